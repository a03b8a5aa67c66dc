"""The form by which lines are taken."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Collection
from armarium.selection.entry.model import Common, Line, Taken
from armarium.selection.model import Budget, Depth, Frequency
from armarium.web.forms import Form, filled

Choice = TypeVar("Choice", bound=StrEnum)


def usual(collection: Collection, account: int | None, lines: Sequence[Line]) -> Form:
    """What the collection and the page itself suggest."""
    values: dict[str, object] = {
        "theme": collection.default_theme or "",
        "budget": collection.default_budget.value,
        "frequency": collection.default_frequency.value,
        "depth": collection.default_depth.value,
        "responsible": account or "",
    }
    if len(lines) == 1:
        values |= {"title": lines[0].check.title, "language": lines[0].check.language}
    return filled(**values)


def collection_of(form: Form) -> int:
    number = _number(form, "collection")
    if number is None:
        raise Refused(message("Choose the collection that the addresses are for."), field="collection")
    return number


def common_of(form: Form) -> Common:
    return Common(
        theme=_number(form, "theme") or 0,
        budget=_one_of(form, "budget", Budget),
        frequency=_one_of(form, "frequency", Frequency),
        depth=_one_of(form, "depth", Depth),
        responsible=_number(form, "responsible"),
    )


def taken_of(form: Form) -> list[Taken]:
    """The ticked lines. Title and language are there only where one address was entered alone."""
    title = form.get("title") if form.ticked("title") else None
    language = form.get("language") if form.ticked("language") else None
    numbers = [int(text) for text in form.chosen("line") if text.isascii() and text.isdigit()]
    return [
        Taken(number, form.get(f"address-{number}"), title, language) for number in dict.fromkeys(numbers)
    ]


def _number(form: Form, name: str) -> int | None:
    text = form.get(name)
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Refused(message("Choose one from the list."), field=name)
    return int(text)


def _one_of(form: Form, name: str, kind: type[Choice]) -> Choice:
    try:
        return kind(form.get(name))
    except ValueError:
        raise Refused(message("Choose one from the list."), field=name) from None
