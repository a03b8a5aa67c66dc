"""Collections as forms, and back."""

import re
from enum import StrEnum
from typing import Protocol, TypeVar

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Choices, Collection, MemberChange, ThemeGiven
from armarium.selection.model import Budget, Depth, Frequency

T = TypeVar("T", bound=StrEnum)

SEVERAL = ("budgets", "frequencies", "depths")  # fields of which all values are shown again


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...

    def chosen(self, name: str) -> list[str]: ...

    def ticked(self, name: str) -> bool: ...


def choices_of(form: Posted) -> Choices:
    return Choices(
        name=form.get("name"),
        description=form.get("description"),
        active=form.ticked("active"),
        budgets=_all(Budget, form, "budgets"),
        frequencies=_all(Frequency, form, "frequencies"),
        depths=_all(Depth, form, "depths"),
        default_budget=_one(Budget, form, "default_budget"),
        default_frequency=_one(Frequency, form, "default_frequency"),
        default_depth=_one(Depth, form, "default_depth"),
        open_to_nominations=form.ticked("open_to_nominations"),
    )


def typed(choices: Choices) -> dict[str, object]:
    """Values for the form."""
    return {
        "name": choices.name,
        "description": choices.description,
        "active": "yes" if choices.active else None,
        "budgets": list(choices.budgets),
        "frequencies": list(choices.frequencies),
        "depths": list(choices.depths),
        "default_budget": choices.default_budget,
        "default_frequency": choices.default_frequency,
        "default_depth": choices.default_depth,
        "open_to_nominations": "yes" if choices.open_to_nominations else None,
        "seen": choices.edition if isinstance(choices, Collection) else "",
    }


def seen(form: Posted) -> int | None:
    """The edition of the collection that the form was made of."""
    return whole(form.get("seen"))


def whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# Themes


def themes_of(form: Posted, collection: Collection) -> tuple[list[ThemeGiven], str]:
    """All themes in their new order, and the name of the usual one. Equal places keep the order they had."""
    placed: list[tuple[int, ThemeGiven]] = []
    usual = ""
    for at, theme in enumerate(collection.themes, 1):
        name = form.get(f"name-{theme.id}").strip() or theme.name
        place = form.get(f"place-{theme.id}").strip()
        number = at if not place else whole(place)
        if number is None:
            raise Refused(message("A place is a whole number: 1 comes first."), field=f"place-{theme.id}")
        placed.append((number, ThemeGiven(name, theme.id, form.ticked(f"active-{theme.id}"))))
        if form.get("usual") == str(theme.id):
            usual = name
    ordered = [theme for _, theme in sorted(placed, key=lambda one: one[0])]
    return [*ordered, *(ThemeGiven(name) for name in lines(form.get("more")))], usual


def typed_themes(collection: Collection) -> dict[str, object]:
    values: dict[str, object] = {"usual": str(collection.default_theme or ""), "seen": collection.edition}
    for at, theme in enumerate(collection.themes, 1):
        values[f"name-{theme.id}"] = theme.name
        values[f"place-{theme.id}"] = at
        values[f"active-{theme.id}"] = "yes" if theme.active else None
    return values


# Members


def members_of(form: Posted) -> MemberChange:
    """Several accounts may stand in one field: no account's name has a comma or a space in it."""
    names = [name for field in form.chosen("account") for name in re.split(r"[\s,;]+", field) if name]
    return MemberChange(
        add=tuple(names),
        remove=tuple(number for one in form.chosen("remove") if (number := whole(one)) is not None),
        add_groups=tuple(one for one in form.chosen("group") if one.strip()),
        remove_groups=tuple(form.chosen("remove_group")),
    )


# Steps


def _all(kind: type[T], form: Posted, name: str) -> tuple[T, ...]:
    """In the order in which people know them."""
    chosen = set(form.chosen(name))
    return tuple(one for one in kind if one.value in chosen)


def _one(kind: type[T], form: Posted, name: str) -> T:
    try:
        return kind(form.get(name))
    except ValueError:
        raise Refused(message("Choose one of those that are offered."), field=name) from None
