"""From an address and a moment to a capture that can be shown."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import groupby

from armarium.access.captures import fuzzy
from armarium.access.model import Seen
from armarium.access.replay.capture import NOT_MODIFIED, Capture, leads_to_itself, open_capture
from armarium.access.replay.model import ReplayRequest
from armarium.access.replay.ranges import begin_of, recorded_span
from armarium.access.view import Restricted
from armarium.core import clock
from armarium.core.errors import NotFound, Unavailable
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Collapse, Match, Query
from armarium.formats.cdx.requests import LONGEST_BODY, request_body
from armarium.formats.cdx.timestamps import clipped, moment
from armarium.formats.url import surt

FEW = 4  # captures that are asked for first: nearly always the first of them will do
MOST_TRIED = 12  # records that are opened for one answer
MOST_LOOKED_AT = 200  # captures, nearest first
MOST_SIMILAR = 1000  # keys among which a similar one is looked for
WHOLE = 14  # digits of a timestamp
READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class NotCaptured(NotFound):
    """Nothing can be shown. `nearest` are captures that exist, and are too far away or go in a circle."""

    def __init__(self, text: Message, *, reason: str = "missing", nearest: tuple[Seen, ...] = ()) -> None:
        super().__init__(text)
        self.reason = reason
        self.nearest = nearest


def key_of(request: ReplayRequest) -> str:
    """The key under which an index has the answer to such a request."""
    if request.method in READ_METHODS:
        return surt(request.url)
    content_type = request.headers.get("content-type")
    body = request_body(request.method, content_type, request.body[:LONGEST_BODY])
    return surt(body.appended_to(request.url))


def find(request: ReplayRequest, limit: timedelta | None = None) -> Capture:
    """The nearest capture that can be shown; of parts of a page, none that is farther away than `limit`."""
    key = key_of(request)
    search = _Search(request, limit)
    found = search.best(key)
    if found is None and not search.saw_any and (similar := _similar(request, key)):
        found = search.best(similar[0])
        if found is not None:
            found.rule = similar[1]
    if found is None:
        raise search.failure()
    return found


class _Search:
    """One search, and what was seen on the way and could not be shown."""

    def __init__(self, request: ReplayRequest, limit: timedelta | None) -> None:
        self._request = request
        self._view = request.view
        self._closest = clipped(request.timestamp) if request.timestamp else ""
        self._target = moment(self._closest) if self._closest else None
        self._limit = limit if self._target is not None else None
        self._begin = begin_of(request.headers.get("range"))
        self.saw_any = False
        self._tried = 0
        self._restricted: Restricted | None = None
        self._failed: NotFound | Unavailable | None = None
        self._circling: Capture | None = None
        self._partial: Capture | None = None
        self._distant: Seen | None = None

    def best(self, key: str) -> Capture | None:
        for seen in self._candidates(key):
            self.saw_any = True
            if self._is_distant(seen):
                self._distant = self._distant or seen
                break  # nearest first: all that follow are farther away
            capture = self._opened(seen)
            if capture is not None and self._fits(capture, key):
                return capture
            if self._tried >= MOST_TRIED:
                break
        return self._partial

    def failure(self) -> Exception:
        """What to say, the most telling first."""
        if self._restricted is not None:
            return self._restricted
        if isinstance(self._failed, Unavailable):
            return self._failed
        if self._distant is not None:
            told = message("This part of the page was captured, but not near enough to its date.")
            return NotCaptured(told, reason="spread", nearest=(self._distant,))
        if self._circling is not None:
            told = message("This address was captured only as a redirect to itself.")
            return NotCaptured(told, reason="circle", nearest=(self._circling.seen,))
        if self._failed is not None:
            return NotCaptured(self._failed.message, reason="unreadable")
        return NotCaptured(message("This address has not been captured."))

    def _candidates(self, key: str) -> Iterator[Seen]:
        """Nearest first, or newest first where no moment was asked for."""
        if self._request.is_page and len(self._request.timestamp) == WHOLE:
            yield from self._exact(key)  # most addresses of pages name the moment of a capture
        query = Query(key=key, closest=self._closest, limit=FEW)
        query = query if self._target else replace(query, reverse=True)
        page = self._view.search(query)
        yield from _answers_first(page.captures)
        looked_at = len(page.captures)
        while page.resume is not None and not page.short and looked_at < MOST_LOOKED_AT:
            page = self._view.search(replace(query, resume=page.resume, limit=50))
            yield from _answers_first(page.captures)
            looked_at += len(page.captures)

    def _exact(self, key: str) -> Iterator[Seen]:
        moment = self._request.timestamp
        found = self._view.search(Query(key=key, from_=moment, to=moment, limit=FEW))
        yield from _answers_first(found.captures)

    def _is_distant(self, seen: Seen) -> bool:
        if self._limit is None or self._target is None:
            return False
        date = seen.line.date
        return date is not None and abs(date - self._target) > self._limit

    def _opened(self, seen: Seen) -> Capture | None:
        if not seen.allowed:
            self._refuse(seen, Restricted(seen.decision))
            return None
        if seen.line.status == NOT_MODIFIED and not seen.line.is_revisit:
            return None  # an answer without a body to a crawler that had one
        self._tried += 1
        try:
            return open_capture(self._view, seen)
        except Restricted as restricted:
            self._refuse(seen, restricted)
        except Unavailable as failed:
            self._failed = failed
        except NotFound as failed:
            self._failed = self._failed or failed
        return None

    def _refuse(self, seen: Seen, restricted: Restricted) -> None:
        # Who asks for one moment is told of that one; who asks for about that time gets what may be seen.
        if seen.line.timestamp == self._request.timestamp:
            raise restricted
        self._restricted = self._restricted or restricted

    def _fits(self, capture: Capture, key: str) -> bool:
        if capture.status == NOT_MODIFIED:
            return False
        url = capture.seen.line.url or self._request.url
        if leads_to_itself(key, url, capture.status, capture.location):
            self._circling = self._circling or capture
            return False
        if self._begin is not None and capture.status == 206:
            held = recorded_span(capture.field("content-range"))
            if held is not None and not held[0].first <= self._begin <= held[0].last:
                self._partial = self._partial or capture
                return False
        return True


def _answers_first(captures: list[Seen]) -> Iterator[Seen]:
    """In their order; but of those of one moment, what a server answered before what was made of it later."""
    for _, group in groupby(captures, key=lambda seen: seen.line.timestamp):
        together = list(group)
        yield from sorted(together, key=_has_no_status) if len(together) > 1 else together


def _has_no_status(seen: Seen) -> bool:
    return seen.allowed and seen.line.status is None and not seen.line.is_revisit


def _similar(request: ReplayRequest, key: str) -> tuple[str, str] | None:
    view = request.view
    if view.keeps_back(key, request.url, request.timestamp or f"{clock.now():%Y%m%d%H%M%S}"):
        return None
    known: dict[str, None] = {}
    for start, end in fuzzy.search_ranges(key):
        query = Query(
            key=start, to_key=end, match=Match.RANGE, limit=MOST_SIMILAR, collapse=(Collapse("urlkey"),)
        )
        known.update((seen.line.key, None) for seen in view.search(query).captures)
    return fuzzy.best(key, known)
