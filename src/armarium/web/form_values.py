"""From what a form says to typed values, with all that is wrong at once; and back."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import TypeVar

from armarium.core.entities import Entity, plain, values_of
from armarium.core.errors import Refusals, Refused
from armarium.core.message import Message, message
from armarium.core.moments import moment_in, written_moment, zone_named
from armarium.web.forms import Form, filled
from armarium.web.numbers import LARGEST, number_in

T = TypeVar("T")
C = TypeVar("C", bound=StrEnum)


class FormReader(Refusals):
    """Reads a form in a `with`. A value that cannot be read counts as not given until all is refused."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form = form

    def __enter__(self) -> "FormReader":
        return self

    def text(self, name: str) -> str:
        return self.form.get(name).strip()

    def lines(self, name: str) -> tuple[str, ...]:
        return tuple(self.form.get(name).splitlines())

    def ticked(self, name: str) -> bool:
        return self.form.ticked(name)

    def number(self, name: str, *, most: int = LARGEST, signed: bool = False) -> int | None:
        """A whole number, negative only where that is said; None for nothing."""
        text = self.text(name)
        digits = text.removeprefix("-") if signed else text
        if not text:
            return None
        if digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST)) and int(digits) <= most:
            return int(text)
        self.add(name, message("This must be a whole number."))
        return None

    def choice(self, name: str, kind: type[C], fault: Message) -> C:
        text = self.form.get(name)
        if text in set(kind):
            return kind(text)
        self.add(name, fault)
        return next(iter(kind))

    def option(self, name: str, kind: type[C], fault: Message) -> C | None:
        """One of several, or None where nothing is chosen."""
        return self.choice(name, kind, fault) if self.text(name) else None

    def thing(self, name: str, fault: Message, *, required: bool = True) -> int | None:
        """The number of something that is chosen from a list."""
        text = self.text(name)
        number = number_in(text)
        if not number and (text or required):
            self.add(name, fault)
        return number or None

    def zone(self, name: str) -> tzinfo:
        otherwise: tzinfo = UTC
        return self.checked(lambda: zone_named(self.text(name), name), otherwise)

    def moment(self, name: str, zone: tzinfo) -> datetime | None:
        return self.checked(lambda: moment_in(self.form.get(name), zone, name), None)

    def checked(self, judge: Callable[[], T], otherwise: T) -> T:
        """What a rule makes of a value; its refusal is kept for the end."""
        try:
            return judge()
        except Refused as refusal:
            self.keep(refusal)
            return otherwise


def typed(entity: Entity, zone: tzinfo = UTC) -> dict[str, object]:
    """The fields of an entity as its form shows them, and `seen`, by which a change meanwhile is noticed."""
    return {name: _typed(value, zone) for name, value in values_of(entity).items()} | {"seen": entity.mark}


def form_of(entity: Entity | None, zone: tzinfo = UTC) -> Form:
    return filled(**typed(entity, zone)) if entity else filled()


def _typed(value: object, zone: tzinfo) -> object:
    match value:
        case bool():
            return "yes" if value else None
        case None:
            return ""
        case datetime():
            return written_moment(value, zone)
        case tuple() | list():
            return "\n".join(map(str, value))
        case _:
            return str(plain(value))
