"""The kinds of fields that a question has: how each is read from a query string, and written into one.

Reading and writing are inverse: what is written reads as the same value, and there is one way of writing it,
so that two people who ask the same have the same address.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Protocol

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.model import line

LONGEST = 500
MOST_NUMBERS = 100_000  # as many records as a bulk edit takes
MOST_VALUES = 100  # of other fields: thousands keep the database busy, and pages that say them, for minutes
LARGEST = 2**63 - 1
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(9998, 12, 31)
YES_NO = {"yes": True, "no": False}
AMOUNT = re.compile(r"(\d{1,19})\s*([kMGT]?)B?", re.IGNORECASE)
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}

Given = Mapping[str, Sequence[str]]  # all values by the name of their parameter
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Days:
    """From the beginning of one day to the end of another; None: open."""

    since: date | None = None
    until: date | None = None


@dataclass(frozen=True)
class Amounts:
    least: int | None = None
    most: int | None = None


NO_DAYS, NO_AMOUNTS = Days(), Amounts()


class Kind(Protocol):
    """`name` is that of the field in the question, and of its parameter."""

    @property
    def empty(self) -> Any: ...

    def parameters(self, name: str) -> tuple[str, ...]: ...

    def read(self, name: str, given: Given) -> Any: ...

    def write(self, name: str, value: Any) -> Pairs: ...


class OneParameter:
    def parameters(self, name: str) -> tuple[str, ...]:
        return (name,)


class Text(OneParameter):
    """A text that is looked for: spaces do not count."""

    empty = ""

    def read(self, name: str, given: Given) -> str:
        return last(name, given)

    def write(self, name: str, value: str) -> Pairs:
        return [(name, value)] if value else []


class Several(OneParameter):
    """Any number of texts, each once."""

    empty: tuple[Any, ...] = ()
    most = MOST_VALUES

    def read(self, name: str, given: Given) -> tuple[Any, ...]:
        typed = [kept for one in given.get(name, ()) if (kept := line(one, name, LONGEST))]
        if len(typed) > self.most:
            raise Refused(message("At most %(most)s values at once.", most=self.most), field=name)
        return tuple(sorted({self.value(one, name) for one in typed}, key=self.order))

    def order(self, value: Any) -> Any:
        return value

    def value(self, text: str, _name: str) -> Any:
        return text

    def write(self, name: str, value: tuple[Any, ...]) -> Pairs:
        return [(name, str(one)) for one in value]


class Numbers(Several):
    """Numbers of things."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.most = most

    def value(self, text: str, _name: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 19 or not 0 < int(text) <= LARGEST:
            raise Refused(message("“%(text)s” is not a number.", text=text[:60]), field=_name)
        return int(text)


class Named(Several):
    """Things by their number, as pages ask for them, or by their name, as people write it."""

    def value(self, text: str, _name: str) -> int | str:
        return Numbers().value(text, _name) if text.isascii() and text.isdigit() else text

    def order(self, value: int | str) -> tuple[bool, int | str]:
        return isinstance(value, str), value


class Choices(Several):
    """Some of a few values, in the order that people know them in."""

    def __init__(self, words: type[StrEnum]) -> None:
        self.words = words

    def read(self, name: str, given: Given) -> tuple[StrEnum, ...]:
        found = set(super().read(name, given))
        return tuple(one for one in self.words if one in found)

    def value(self, text: str, _name: str) -> StrEnum:
        if text not in set(self.words):
            known = ", ".join(self.words)
            raise Refused(
                message("“%(text)s” is none of: %(known)s.", text=text[:60], known=known), field=_name
            )
        return self.words(text)


class YesNo(OneParameter):
    empty = None

    def read(self, name: str, given: Given) -> bool | None:
        text = last(name, given)
        if text and text not in YES_NO:
            raise Refused(message("Say yes or no, or leave it out."), field=name)
        return YES_NO.get(text)

    def write(self, name: str, value: bool | None) -> Pairs:
        return [] if value is None else [(name, "yes" if value else "no")]


class DaySpan:
    empty = NO_DAYS

    def parameters(self, name: str) -> tuple[str, ...]:
        return (f"{name}_from", f"{name}_to")

    def read(self, name: str, given: Given) -> Days:
        return Days(*(day_in(last(one, given), one) for one in self.parameters(name)))

    def write(self, name: str, value: Days) -> Pairs:
        both = zip(self.parameters(name), (value.since, value.until), strict=True)
        return [(one, day.isoformat()) for one, day in both if day]


class AmountSpan:
    empty = NO_AMOUNTS

    def parameters(self, name: str) -> tuple[str, ...]:
        return (f"{name}_from", f"{name}_to")

    def read(self, name: str, given: Given) -> Amounts:
        return Amounts(*(amount_in(last(one, given), one) for one in self.parameters(name)))

    def write(self, name: str, value: Amounts) -> Pairs:
        both = zip(self.parameters(name), (value.least, value.most), strict=True)
        return [(one, str(amount)) for one, amount in both if amount is not None]


def last(name: str, given: Given) -> str:
    values = given.get(name, ())
    return line(values[-1], name, LONGEST) if values else ""


def day_in(text: str, name: str) -> date | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or not FIRST_DAY <= day <= LAST_DAY:
        raise Refused(
            message("“%(text)s” is not a date. Write it as 2026-12-31.", text=text[:60]), field=name
        )
    return day


def amount_in(text: str, name: str) -> int | None:
    """A whole number; 10 MB and 2G are understood as well."""
    if not text:
        return None
    found = AMOUNT.fullmatch(text) if text.isascii() else None
    amount = int(found[1]) * UNITS[found[2].lower()] if found else LARGEST + 1
    if amount > LARGEST:
        raise Refused(message("“%(text)s” is not a whole number.", text=text[:60]), field=name)
    return amount
