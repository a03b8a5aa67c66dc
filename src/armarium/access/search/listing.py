"""The chronological list of the captures of one address, page after page, and the one nearest to a moment.

What the index says of where it stopped may name a capture that the reader must not know of. So whatever
leaves the house is made of the last capture that was shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile

from armarium.access.captures.lines import AFTER_ALL, Span
from armarium.access.model import Seen
from armarium.access.search import links
from armarium.access.search.question import Capture, Narrowing, Question, before, kind_of
from armarium.access.view import Restricted, View
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Match, Query
from armarium.formats.cdx.timestamps import clipped
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range

_PLACE = re.compile(r"(?P<timestamp>\S{1,40})-(?P<nth>[0-9]{1,9})\Z")


class Onward:
    """All captures of a query, as far as the index may be read for one request."""

    def __init__(self, view: View, query: Query) -> None:
        self._view = view
        self._query = query
        self.short = False  # there are more, but no more may be read

    def __iter__(self) -> Iterator[Seen]:
        resume: str | None = self._query.resume
        while resume is not None:
            page = self._view.search(replace(self._query, resume=resume))
            yield from page.captures
            resume, self.short = page.resume, page.short
            if self.short:
                return


@dataclass(frozen=True)
class Place:
    """Where a list of the captures of one address ended: several of them may be of the same second."""

    timestamp: str
    nth: int = 1  # of those of this second, as the list goes

    @classmethod
    def parse(cls, text: str) -> "Place":
        found = _PLACE.match(text)
        if found is None:
            raise Refused(
                message("The list cannot go on from there. Start again from the beginning."), field="resume"
            )
        return cls(found["timestamp"], int(found["nth"]))

    def __str__(self) -> str:
        return f"{self.timestamp}-{self.nth}"


class Stretch:
    """The captures of one address that a reader may know of, from where the last page ended."""

    def __init__(self, view: View, question: Question, lines: int) -> None:
        self._place = Place.parse(question.resume) if question.resume else None
        self._onward = Onward(view, _query(question, self._place, lines))
        self._coming = self._behind_place()
        self._ahead: list[Seen] = []
        self._got_on = False

    def take(self, most: int) -> list[Seen]:
        found = list(islice(chain(self._ahead, self._coming), most))
        self._ahead = []
        for seen in found:
            here = self._place
            alike = here is not None and here.timestamp == seen.line.timestamp
            self._place = Place(seen.line.timestamp, here.nth + 1 if here and alike else 1)
            self._got_on = True
        return found

    @property
    def resume(self) -> str | None:
        """None: nothing that the reader may know of lies behind what was taken."""
        self._ahead = self._ahead or list(islice(self._coming, 1))
        return str(self._place) if self._got_on and (self._ahead or self._onward.short) else None

    def _behind_place(self) -> Iterator[Seen]:
        passed, place = 0, self._place
        for seen in self._onward:
            if place and seen.line.timestamp == place.timestamp and passed < place.nth:
                passed += 1
            else:
                yield seen


def _query(question: Question, place: Place | None, lines: int) -> Query:
    key = search_range(question.url, UrlMatch.EXACT)[0]
    span = Span.of_key(key, question.from_, question.to)
    start, end = span.start, span.end
    if place and question.newest:
        end = min(end, f"{key} {place.timestamp}{AFTER_ALL}")
    elif place:
        start = max(start, f"{key} {place.timestamp}")
    return Query(key=start, to_key=end, match=Match.RANGE, reverse=question.newest, limit=lines)


ROWS = 50  # at least so many on a page, if there are
MOST_PAGES = 50  # that are looked through for one of ours: a filter may let few through


@dataclass(frozen=True)
class Row:
    timestamp: str
    url: str
    href: str
    status: str
    mime: str
    kind: str
    size: int | None
    unchanged: bool
    restricted: Message | None  # why it may not be seen; None: it may
    one_reader: bool
    changed_since: str = ""  # the timestamp of the capture before it in time, if that may be seen

    @property
    def tone(self) -> str:
        return {"2": "good", "3": "busy", "4": "warning", "5": "bad"}.get(self.status[:1], "neutral")


@dataclass(frozen=True)
class Listing:
    rows: Sequence[Row]
    resume: str | None  # there may be more


def captures(view: View, question: Question) -> Listing:
    """One page. With a filter it may be shorter or longer than others."""
    stretch, narrowing = Stretch(view, question, ROWS), Narrowing(view, question)
    rows: list[Row] = []
    for _ in range(MOST_PAGES):
        found = stretch.take(ROWS)
        rows += _rows(view, narrowing, found, newest=question.newest)
        if not found or len(rows) >= ROWS:
            break
    return Listing(rows, stretch.resume)


def _rows(view: View, narrowing: Narrowing, captures: list[Seen], *, newest: bool) -> list[Row]:
    """Whether a capture changed is known from the one before it in time, whichever way the list goes."""
    in_time = captures[::-1] if newest else captures
    last = None
    if in_time:
        first = in_time[0].line
        last = before(view, first.url or "", first.timestamp) if first.url else None
        narrowing.begin_behind(last)
    found = []
    for seen in in_time:
        if (capture := narrowing.look(seen)) is not None:
            found.append(row_of(view, capture, last.line.timestamp if last else ""))
        last = seen if seen.allowed else last
    return found[::-1] if newest else found


def row_of(view: View, capture: Capture, changed_since: str = "") -> Row:
    line, decision = capture.seen.line, capture.seen.decision
    url = line.url or line.key
    return Row(
        timestamp=line.timestamp,
        url=links.readable(url),
        href=links.frame(view.collection.name, line.timestamp, url),
        status=line.text("status") or "",
        mime=links.readable(capture.mime),
        kind=kind_of(capture.mime),
        size=line.length,
        unchanged=capture.unchanged,
        restricted=None if capture.seen.allowed else Restricted(decision).message,
        one_reader=decision.one_reader,
        changed_since=changed_since if capture.seen.allowed else "",
    )


MOST_AT_ONCE = 50  # captures of one second that are compared
NOT_MODIFIED = 304


def closest(view: View, url: str, timestamp: str) -> Seen | None:
    """The capture at this moment or, failing that, the nearest; of several at once the one that is shown."""
    found = iter(Onward(view, Query(url, closest=clipped(timestamp), limit=5)))
    first = next(found, None)
    if first is None:
        return None
    same = takewhile(lambda seen: seen.line.timestamp == first.line.timestamp, found)
    return min([first, *islice(same, MOST_AT_ONCE)], key=_rank)


def _rank(seen: Seen) -> tuple[bool, bool, bool]:
    """As replay chooses: a redirect in the second of a page under the same key nearly always leads to that
    page, from `http` to `https` or to `www`, and is passed by."""
    line = seen.line
    empty = not line.is_revisit and line.status in (None, NOT_MODIFIED)
    return not seen.allowed, empty, line.status is not None and 300 <= line.status < 400
