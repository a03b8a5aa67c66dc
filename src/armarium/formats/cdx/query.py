"""A question to the index: which addresses, when, in which order, and what of it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import re2  # type: ignore[import-untyped]

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS
from armarium.formats.cdx.timestamps import moment
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range

LIMIT = 1000  # lines in an answer, if nobody says
_DIGITS = re.compile(r"[0-9]{1,17}\Z")
_LONGEST_VALUE = 4000  # characters of a filter
# The names of the Internet Archive's server, which OutbackCDX knows, too.
_OTHER_NAMES = {"original": "url", "mimetype": "mime", "statuscode": "status", "key": "urlkey"}


class Match(StrEnum):
    """How much of the index a question covers."""

    EXACT = "exact"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"  # the host and all hosts below it
    RANGE = "range"  # from one key to another, or to the end


class Operator(StrEnum):
    EQUALS = "equals"
    CONTAINS = "contains"
    REGEX = "regex"  # of the whole value, in the language of RE2


def value_of(line: CdxLine, name: str) -> str:
    """A field as text, by any of its names; `-` where the line does not tell."""
    name = _OTHER_NAMES.get(name, name)
    if name == "urlkey":
        return line.key
    return line.timestamp if name == "timestamp" else line.text(name) or ABSENT


@dataclass(frozen=True)
class Filter:
    """Lines that it does not pass are left out."""

    field: str
    value: str
    operator: Operator = Operator.EQUALS
    negated: bool = False

    def passes(self, line: CdxLine) -> bool:
        return self._fits(value_of(line, self.field)) != self.negated

    def check(self) -> None:
        """Refuse a pattern that is none, before anything is read."""
        if len(self.value) > _LONGEST_VALUE:
            raise Refused(message("What to filter by is too long."), field="filter")
        if self.operator is Operator.REGEX:
            _ = self._pattern

    def _fits(self, value: str) -> bool:
        match self.operator:
            case Operator.EQUALS:
                return value == self.value
            case Operator.CONTAINS:
                return self.value in value
            case Operator.REGEX:
                # JSON can hold half of a character pair, which RE2 cannot read.
                readable = value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
                return self._pattern.fullmatch(readable) is not None

    @cached_property
    def _pattern(self) -> Any:
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 1 << 20
        try:
            return re2.compile(self.value, options)
        except re2.error as error:
            told = message(
                "“%(pattern)s” is not a regular expression that can be searched for; see the syntax of RE2.",
                pattern=self.value[:100],
            )
            raise Refused(told, field="filter") from error


@dataclass(frozen=True)
class Collapse:
    """Of lines in a row with the same value, or the same first letters of it, the first is given."""

    field: str
    letters: int = 0  # 0: all

    def of(self, line: CdxLine) -> str:
        value = value_of(line, self.field)
        return value[: self.letters] if self.letters else value


@dataclass(frozen=True)
class Query:
    """Either `url` or its `key`; a range of everything has neither. `resume` is what an answer gave."""

    url: str = ""
    key: str = ""
    match: Match = Match.EXACT
    to_key: str = ""  # of a range: the first key that is no longer of it
    from_: str = ""  # timestamps, whole or their first digits, both included
    to: str = ""
    closest: str = ""  # order by the distance to this moment
    reverse: bool = False
    limit: int = LIMIT
    resume: str = ""
    filters: tuple[Filter, ...] = ()
    collapse: tuple[Collapse, ...] = ()
    most_examined: int | None = None  # lines after which the page ends, wanted or not; None: the index knows

    def check(self) -> None:
        """Refuse what has no answer."""
        if not (self.url or self.key or self.match is Match.RANGE):
            raise Refused(message("Name the address to look for."), field="url")
        for name, digits in (("from", self.from_), ("to", self.to)):
            if digits and not _DIGITS.match(digits):
                told = message(
                    "“%(digits)s” is no date: write 1 to 14 digits, as in 20260131.", digits=digits[:40]
                )
                raise Refused(told, field=name)
        if self.limit < 1:
            raise Refused(message("The number of lines must be at least 1."), field="limit")
        if self.closest and self.match is not Match.EXACT:
            raise Refused(message("The nearest capture can be asked for one address only."), field="closest")
        if self.closest and moment(self.closest) is None:
            told = message(
                "“%(digits)s” is no date: write 1 to 14 digits, as in 20260131.", digits=self.closest[:40]
            )
            raise Refused(told, field="closest")
        for each in self.filters:
            each.check()

    def bounds(self) -> tuple[bytes, bytes | None]:
        """The first line that may be an answer, and the first that no longer may."""
        if self.match is Match.EXACT:
            key = _encoded(self._keys()[0])
            return key + b" " + _encoded(self.from_), key + b" " + _encoded(self.to) + b"\xff"
        start, end = self._keys()
        return _encoded(start), _encoded(end) if end else None

    def wants(self, line: CdxLine) -> bool:
        """Whether a line within the bounds is an answer."""
        if not (self.from_ or self.to or self.filters):
            return True
        date = line.timestamp
        if date[: len(self.from_)] < self.from_ or date[: len(self.to)] > self.to:
            return False
        return all(each.passes(line) for each in self.filters)

    def _keys(self) -> tuple[str, str]:
        if self.match is Match.RANGE:
            return self.key, self.to_key
        return search_range(self.url, UrlMatch(self.match)) if self.url else _key_range(self.key, self.match)


@dataclass(frozen=True)
class Found:
    """One page of an answer."""

    lines: list[CdxLine]
    resume: str | None  # for `Query.resume`, if there may be more
    examined: int = 0  # lines that were read for it


def _key_range(key: str, match: Match) -> tuple[str, str]:
    """As `search_range`, for a key that is known."""
    host = key.partition(")")[0]
    match match:
        case Match.PREFIX:
            return key, key[:-1] + chr(ord(key[-1]) + 1)
        case Match.HOST:
            return f"{host})/", f"{host}*"
        case Match.DOMAIN:
            return (f"{host})/" if "," in host else f"{host},"), f"{host}-"
    return key, f"{key}!"


def _encoded(text: str) -> bytes:
    return text.encode(ENCODING, ERRORS)
