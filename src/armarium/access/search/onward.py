"""Captures page after page, and where the next page of ours begins.

What the index says of where it stopped may name a capture that the reader must not know of. So whatever
leaves the house is made of the last capture that was shown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from armarium.access.cdxserver.lines import AFTER_ALL, Span
from armarium.access.model import Seen
from armarium.access.search.question import Question
from armarium.access.view import View
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Match, Query
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
            raise Refused(message("No answer ended there; ask again from the beginning."), field="resume")
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
