"""Custom fields: what they are, and what may be written into one. No input or output."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from armarium.core.entities import Described, values_of
from armarium.core.errors import Refused
from armarium.core.message import message

LONGEST_NAME = 50
LONGEST_TEXT = 1000
LONGEST_NOTE = 30_000
MOST_CHOICES = 500
LARGEST_PLACE = 100_000
DIGITS = re.compile(r"[+-]?\d{1,30}([.,]\d{1,15})?")


class FieldSubject(StrEnum):
    DOMAIN = "domain"
    HARVEST = "harvest"


class FieldKind(StrEnum):
    TEXT = "text"
    NOTE = "note"  # several lines
    NUMBER = "number"
    YES_NO = "yes-no"
    DATE = "date"
    CHOICE = "choice"


@dataclass(frozen=True)
class NewField:
    """What people say about a field."""

    subject: FieldSubject
    name: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    default_value: str = ""  # as people type it
    help: str = ""
    mandatory: bool = False
    active: bool = True
    place: int = 0  # in the form; smaller is higher


@dataclass(frozen=True)
class Field(NewField, Described):
    id: int = 0

    @property
    def input(self) -> str:
        """The name of its input in a form."""
        return f"field-{self.id}"


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...


def checked_fields(
    definitions: Iterable[Field], form: Posted, before: Mapping[str, object] | None = None
) -> dict[str, object]:
    """What a form says in its custom fields, by the number of each field, as the column `fields` keeps it.

    `before`: what was kept so far; values of fields that are not asked for stay. Empty ones are not kept.
    """
    kept = dict(before or {})
    for field in definitions:
        value = checked_value(field, form.get(field.input))
        if value is None:
            kept.pop(str(field.id), None)
        else:
            kept[str(field.id)] = value
    return kept


def checked_value(field: Field, typed: str) -> object | None:
    """The value of a field as it is kept; None for nothing."""
    text = typed.strip()
    if field.kind is FieldKind.YES_NO:
        return bool(text) and text != "no"
    if not text:
        if field.mandatory:
            raise Refused(message("“%(name)s” has to be filled in.", name=field.name), field=field.input)
        return None
    match field.kind:
        case FieldKind.NUMBER:
            return _number(field, text)
        case FieldKind.DATE:
            return _date(field, text)
        case FieldKind.CHOICE:
            return _choice(field, text)
        case _:
            return _text(field, text)


def typed_values(definitions: Iterable[Field], kept: Mapping[str, object] | None = None) -> dict[str, object]:
    """Values for a form, by the name of each input: those kept or, for a new thing (None), the defaults."""
    values: dict[str, object] = {}
    for field in definitions:
        value = field.default_value if kept is None else kept.get(str(field.id))
        if field.kind is FieldKind.YES_NO:
            values[field.input] = "yes" if value in (True, "yes") else None
        else:
            values[field.input] = "" if value is None else str(value)
    return values


def checked_definition(new: NewField) -> NewField:
    name = " ".join(new.name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Refused(message("A name has 1 to %(most)s characters.", most=LONGEST_NAME), field="name")
    choices = tuple(dict.fromkeys(one for choice in new.choices if (one := choice.strip())))
    if new.kind is FieldKind.CHOICE and not 1 <= len(choices) <= MOST_CHOICES:
        text = message("Write at least one choice, each on a line; at most %(most)s.", most=MOST_CHOICES)
        raise Refused(text, field="choices")
    if any(len(choice) > LONGEST_TEXT for choice in choices) or len(new.help) > LONGEST_TEXT:
        text = message("A text here has at most %(most)s characters.", most=LONGEST_TEXT)
        raise Refused(text, field="help" if len(new.help) > LONGEST_TEXT else "choices")
    if not 0 <= new.place <= LARGEST_PLACE:
        text = message("Write a number from %(least)s to %(most)s.", least=0, most=LARGEST_PLACE)
        raise Refused(text, field="place")
    kept = choices if new.kind is FieldKind.CHOICE else ()
    made = replace(new, name=name, choices=kept, help=new.help.strip())
    _check_default(made)
    return made


def _check_default(new: NewField) -> None:
    if not new.default_value.strip():
        return
    try:
        checked_value(Field(**values_of(new, NewField)), new.default_value)
    except Refused as refusal:
        raise Refused(refusal.message, field="default_value") from refusal


def _number(field: Field, text: str) -> int | float:
    written = text.replace("\u202f", "").replace("\xa0", "").replace(" ", "")
    if not DIGITS.fullmatch(written):
        raise Refused(message("“%(name)s” must be a number.", name=field.name), field=field.input)
    value = Decimal(written.replace(",", "."))
    return int(value) if value == value.to_integral_value() else float(value)


def _date(field: Field, text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Refused(
            message("“%(name)s” must be a date, written as 2026-12-31.", name=field.name), field=field.input
        ) from None


def _choice(field: Field, text: str) -> str:
    if text not in field.choices:
        raise Refused(
            message("“%(value)s” is no choice of “%(name)s”.", value=text[:60], name=field.name),
            field=field.input,
        )
    return text


def _text(field: Field, text: str) -> str:
    most = LONGEST_NOTE if field.kind is FieldKind.NOTE else LONGEST_TEXT
    if len(text) > most:
        raise Refused(
            message("“%(name)s” has more than %(most)s characters.", name=field.name, most=most),
            field=field.input,
        )
    return text
