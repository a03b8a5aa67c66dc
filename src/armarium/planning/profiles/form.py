"""A profile's document as a form, and back. Nothing is judged here: rules.checked does that."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from armarium.planning.profiles.keys import Key, Kind, all_keys
from armarium.planning.profiles.rules import flat

BLANKS = str.maketrans("", "", " \t\xa0\u202f\u2009")  # people group the digits of large numbers


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...

    def ticked(self, name: str) -> bool: ...


def typed(document: Mapping[str, Any]) -> dict[str, object]:
    """Values for the form: what the document says and, where it says nothing, the defaults."""
    said = dict(flat(document))
    return {key.path: written(key, said.get(key.path, key.default)) for key in all_keys()}


def written(key: Key, value: Any) -> str | None:
    """A value as one would type it; for a box to tick: None if it is not ticked."""
    match key.kind:
        case Kind.YES_NO:
            return "yes" if value else None
        case Kind.LINES:
            return "\n".join(value)
        case Kind.PAIRS:
            return "\n".join(f"{name} = {one}" for name, one in value.items())
        case Kind.HEADERS:
            return "\n".join(f"{name}: {one}" for name, one in value)
        case Kind.NUMBER:
            return "" if value is None else str(value).removesuffix(".0")
        case _:
            return "" if value is None else str(value)


def shown(value: object) -> str | None:
    """A value in a line, for tables of differences; None for the default."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {one}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(": ".join(one) if isinstance(one, list | tuple) else str(one) for one in value)
    return str(value).removesuffix(".0")


def document_of(form: Posted) -> dict[str, Any]:
    """What the form says. Wrong numbers stay text, for the judgement to name them."""
    document: dict[str, Any] = {}
    for key in all_keys():
        section, _, name = key.path.rpartition(".")
        table = document.setdefault(section, {}) if section else document
        if (value := _value(key, form)) is not NOTHING:
            table[name] = value
    return document


NOTHING = object()  # the default holds


def _value(key: Key, form: Posted) -> Any:
    text = form.get(key.path).strip()
    match key.kind:
        case Kind.YES_NO:
            return form.ticked(key.path)
        case Kind.NUMBER if not text:
            return None if key.optional else NOTHING
        case Kind.NUMBER:
            return text.translate(BLANKS)
        case Kind.LINES:
            return _lines(text)
        case Kind.PAIRS:
            return _pairs(_lines(text), "=")
        case Kind.HEADERS:
            return list(_pairs(_lines(text), ":").items())
        case Kind.CHOICE if not text:
            return NOTHING
        case _:
            return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pairs(lines: Iterable[str], sign: str) -> dict[str, str]:
    halves = (line.partition(sign) for line in lines)
    return {name.strip(): value.strip() for name, _, value in halves}
