"""Lines of the index as one reader may know them, in order, read as they are asked for.

Whatever is filtered, collapsed, counted or cut off in an answer happens behind this module. So nothing of a
capture that the reader may not know can show in a count, a page number, a resume key or a missing line.
"""

import heapq
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

from armarium.access.model import Effect, Reader
from armarium.access.requests.threads import current_work
from armarium.access.view import View
from armarium.accounts.model import Role
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.line import ENCODING, ERRORS
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.formats.cdx.timestamps import clipped, moment

# Lines and seconds for one answer: a filter that nothing passes would read everything.
FOR_READERS = (200_000, 3.0)
FOR_STAFF = (2_000_000, 60.0)
OUTSIDERS = frozenset({Role.READER, Role.RESEARCHER})
LONG = 10_000  # lines from which on an answer takes its turn among the long ones
OFTEN = 1000  # lines after which is looked at the clock
SHORT_WAIT = 0.005  # seconds
AFTER_ALL = "\udcff"  # the byte 0xFF, which no line has behind its key: it ends what begins alike
ACCESS = "access"  # the field that says so of a capture that may not be shown
RESTRICTED = "restricted"
_NEVER = timedelta.max  # the distance of a date that is none
# A line as we write it begins with the address, which it has once.
_FILES = re.compile(rb'"filename": "([^"\\]*+)"')
_USUAL = re.compile(rb'\{"url": "([^"\\]*)"(?!.*"url")', re.DOTALL)


class TooMuch(Refused):
    """An answer would take longer to find than a reader waits."""


class Patience:
    """How many more lines may be read for one answer, and for how long; staff are given more.

    Time in which the client is still busy with what it was sent does not count.
    """

    def __init__(self, lines: int | None = None) -> None:
        self._work = current_work()
        self._lines = lines
        self._left = 0
        self._until = 0.0

    def begin(self, reader: Reader) -> None:
        if self._until:
            return  # another part of the same answer
        most, seconds = FOR_STAFF if is_staff(reader) else FOR_READERS
        self._lines = most if self._lines is None else self._lines
        self._left = self._lines
        self._until = monotonic() + seconds

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0 or (not self._left % OFTEN and self._is_over()):
            raise TooMuch(
                message(
                    "Too many captures lie there to look through all of them at once. Narrow the address."
                )
            )

    def _is_over(self) -> bool:
        self._work.go_on(long=(self._lines or 0) - self._left > LONG)
        return monotonic() > self._until

    def waited(self, since: float) -> None:
        """For the client, as far as it was longer than it takes to write a line."""
        lasted = monotonic() - since
        if lasted > SHORT_WAIT:
            self._until += lasted


def is_staff(reader: Reader) -> bool:
    return reader.sees_everything or bool(reader.roles - OUTSIDERS)


@dataclass(frozen=True)
class Span:
    """A part of the index: from the beginning of one line to before that of another."""

    start: str
    end: str = ""  # empty: to the last line

    def query(self, *, reverse: bool = False) -> Query:
        return Query(match=Match.RANGE, key=self.start, to_key=self.end, reverse=reverse)

    @classmethod
    def of_key(cls, key: str, from_: str = "", to: str = "") -> "Span":
        """The captures of one address, between two dates of which the first digits are enough."""
        return cls(f"{key} {from_}", f"{key} {to}{AFTER_ALL}")


class ListedCapture:
    """A capture as it is told to a reader. A line is taken apart, or put together, only for those who ask."""

    __slots__ = ("_line", "_raw", "key", "nth", "restricted", "timestamp")

    def __init__(
        self,
        key: str,
        timestamp: str,
        raw: bytes | None,
        line: CdxLine | None = None,
        *,
        restricted: bool = False,
        nth: int = 1,
    ) -> None:
        self.key = key
        self.timestamp = timestamp
        self.restricted = restricted
        self.nth = nth  # among the neighbours of the same key and timestamp
        self._raw = raw
        self._line = line

    @property
    def raw(self) -> bytes:
        """The line as CDXJ."""
        if self._raw is None:
            self._raw = self.line.to_cdxj()
        return self._raw

    @property
    def line(self) -> CdxLine:
        if self._line is None:
            self._line = capture_in(self._raw or b"") or CdxLine(self.key, self.timestamp, {})
        return self._line

    def changed(self, fields: Mapping[str, Any]) -> "ListedCapture":
        """The same capture with other fields."""
        line = CdxLine(self.key, self.timestamp, fields)
        return ListedCapture(self.key, self.timestamp, None, line, restricted=self.restricted, nth=self.nth)


_NOBODY = ListedCapture("", "", None)


def captures(
    view: View,
    span: Span,
    patience: Patience,
    *,
    from_: str = "",
    to: str = "",
    reverse: bool = False,
) -> Iterator[ListedCapture]:
    """What the reader may know of a part of the index, in its order or from the last to the first."""
    dated = bool(from_ or to)
    before = _NOBODY
    patience.begin(view.reader)
    for raw in view.captures.raw(span.query(reverse=reverse)):
        patience.spend()
        told = _told(view, raw)
        if told is None or (dated and not _within(told.timestamp, from_, to)):
            continue
        if before.timestamp == told.timestamp and before.key == told.key:
            told.nth = before.nth + 1
        before = told
        paused = monotonic()
        yield told
        patience.waited(paused)


def nearest(
    view: View, key: str, closest: str, patience: Patience, *, from_: str = "", to: str = ""
) -> Iterator[ListedCapture]:
    """The captures of one address, by their distance to a moment; of two alike the earlier first."""
    target = moment(clipped(closest))
    assert target is not None, "clipped to what there is"

    def distance(told: ListedCapture) -> timedelta:
        date = moment(told.timestamp)
        return _NEVER if date is None else abs(date - target)

    within = Span.of_key(key, from_, to)
    pivot = f"{key} {target.year:04}{target:%m%d%H%M%S}"
    earlier = captures(view, Span(within.start, min(pivot, within.end)), patience, reverse=True)
    later = captures(view, Span(max(pivot, within.start), within.end), patience)
    return heapq.merge(earlier, later, key=distance)


def _told(view: View, raw: bytes) -> ListedCapture | None:
    short = _short(raw)
    line = capture_in(raw) if short is None else None
    asked = short or line
    if asked is None:
        return None
    decision = view.decide(asked)
    if decision.allowed:
        # What is spelt otherwise than by us is spelt anew.
        return ListedCapture(asked.key, asked.timestamp, raw if line is None else None, line)
    seen = view.seen(line or capture_in(raw) or asked) if decision.effect is not Effect.HIDDEN else None
    if seen is None or seen.allowed:
        return None
    told = CdxLine(asked.key, asked.timestamp, {**seen.line.fields, ACCESS: RESTRICTED})
    return ListedCapture(asked.key, asked.timestamp, None, told, restricted=True)


def _short(raw: bytes) -> CdxLine | None:
    """What the rules ask for: key, time, address and file, which tells the collections. To take the whole
    line apart takes longer than to decide. None if the line is not as we write them."""
    parts = raw.split(b" ", 2)
    usual = _USUAL.match(parts[2]) if len(parts) == 3 else None
    if usual is None or not parts[1].isdigit():
        return None
    files = _FILES.findall(parts[2])
    if len(files) != 1:
        return None
    fields = {"url": usual[1].decode(ENCODING, ERRORS), "filename": files[0].decode(ENCODING, ERRORS)}
    return CdxLine(parts[0].decode(ENCODING, ERRORS), parts[1].decode(ENCODING, ERRORS), fields)


def _within(timestamp: str, from_: str, to: str) -> bool:
    """By the digits that were given, as the index itself compares."""
    return not ((from_ and timestamp[: len(from_)] < from_) or (to and timestamp[: len(to)] > to))
