"""What one reader may see of one collection: the only way from any door to captures and records.

Decisions are made for captures that were found, by their own key and date, never for what was asked for:
however an address is spelt, it leads to a capture whose key is spelt in one way.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice

from armarium.access.model import (
    WHOLE,
    Archive,
    Captures,
    Collection,
    Decision,
    Effect,
    Page,
    Policy,
    Reader,
    Seen,
)
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import Message, message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Found, Query
from armarium.formats.url import surt
from armarium.formats.warc.records import Record

# How much of the index is read for one request, before its answer is given short.


MOST_LINES = 300_000  # in all searches of a request together
MOST_SECONDS = 2.0  # of searching; what happens between searches is not counted
PIECE = 50_000  # lines after which we look at the clock
LEAST = 1000  # lines that a search may read even when all is spent: whoever goes on, gets on


class Budget:
    """One for each request. It is not for several threads."""

    def __init__(self, lines: int = MOST_LINES, seconds: float = MOST_SECONDS) -> None:
        self._lines = lines
        self._seconds = seconds

    @property
    def spent(self) -> bool:
        return self._lines <= 0 or self._seconds <= 0

    @property
    def piece(self) -> int:
        """Lines that may be read at once."""
        return LEAST if self.spent else max(LEAST, min(PIECE, self._lines))

    @contextmanager
    def searching(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self._seconds -= time.monotonic() - started

    def spend(self, lines: int) -> None:
        self._lines -= lines


#: What is told of a capture that may not be shown.
_TOLD = ("url",)
MANY = 1000  # lines that are asked for when a whole page was hidden
# Notes of a crawler about a capture. They have its address, and are none.
_NOTES = frozenset({"text/anvl", "application/warc-fields"})
_OF_THE_WEB = ("http:", "https:", "ftp:")  # notes under an address of their own are found by it


class Restricted(ArmariumError):  # noqa: N818  (reads as what happened)
    """It is in the archive, and this reader may not see it."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.message or _reason(decision))
        self.decision = decision


class Hidden(NotFound):
    """It is in the archive, and this reader may not know of it: told as if it were missing."""

    def __init__(self) -> None:
        super().__init__(message("There is no such capture."))


def _reason(decision: Decision) -> Message:
    if decision.until is not None:
        return message("This capture is available from %(date)s.", date=decision.until.isoformat())
    return message("This capture is in the archive, but you cannot see it here.")


def describes(line: CdxLine) -> bool:
    """Whether it is no capture of a page but a record about one (Heritrix up to 3 wrote such `metadata`)."""
    return line.mime in _NOTES and line.status is None and (line.url or "").startswith(_OF_THE_WEB)


class _Narrowing:
    """Filters and collapsing, of what the reader may know: before the rules, they would tell of more."""

    def __init__(self, query: Query) -> None:
        self._filters = query.filters
        self._collapse = query.collapse
        self._before: tuple[str, ...] | None = None

    def takes(self, seen: Seen) -> bool:
        if self._filters and not (seen.allowed and all(each.passes(seen.line) for each in self._filters)):
            return False
        if self._collapse:
            values = tuple(each.of(seen.line) for each in self._collapse)
            if values == self._before:
                return False
            self._before = values
        return True


@dataclass(frozen=True)
class View:
    archive: Archive
    policy: Policy
    reader: Reader
    collection: Collection
    budget: Budget = field(default_factory=Budget, compare=False)  # a view is made for one request

    @property
    def captures(self) -> Captures:
        return self.archive.captures(self.collection)

    @property
    def whole(self) -> "View":
        """The same reader before the whole archive, where the originals of revisits are."""
        return replace(self, collection=WHOLE)

    def decide(self, line: CdxLine) -> Decision:
        return self.policy.decide(self.reader, self.collection, line)

    def seen(self, line: CdxLine) -> Seen | None:
        """The capture as this reader may know it; None if not at all."""
        decision = self.decide(line)
        if decision.allowed:
            return Seen(line, decision)
        if decision.effect is Effect.HIDDEN:
            return None
        told = {name: value for name, value in line.fields.items() if name in _TOLD}
        return Seen(CdxLine(line.key, line.timestamp, told), decision)

    def search(self, query: Query) -> Page:
        """One page of captures. It may be shorter than asked for, and there may be more nevertheless.

        `Page.resume` names a capture, perhaps a hidden one: it is not for readers. Of a page that is `short`,
        whoever goes on at once gets little for it.
        """
        narrowing = _Narrowing(query)
        query = replace(query, filters=(), collapse=())
        limit = query.limit
        with self.budget.searching():
            while True:
                query = replace(query, most_examined=self.budget.piece)
                found = self._examined(query)
                shown = list(islice(self._shown(found.lines, narrowing), limit + 1))
                if len(shown) > limit:
                    return self._ending_at(query, shown[:limit])
                captures = [seen for _, seen in shown]
                if found.resume is None or captures or self.budget.spent:
                    return Page(captures, found.resume, found.resume is not None and self.budget.spent)
                # Where so many in a row are hidden, more are.
                query = replace(query, resume=found.resume, limit=max(limit, MANY))

    def _examined(self, query: Query) -> Found:
        found = self.captures.search(query)
        self.budget.spend(max(found.examined, len(found.lines)))
        return found

    def _shown(self, lines: list[CdxLine], narrowing: _Narrowing) -> Iterator[tuple[int, Seen]]:
        for place, line in enumerate(lines):
            seen = self.seen(line) if not describes(line) else None
            if seen is not None and narrowing.takes(seen):
                yield place, seen

    def _ending_at(self, query: Query, shown: list[tuple[int, Seen]]) -> Page:
        """As many as were asked for, out of a larger page: only the index can say where they end."""
        last, _ = shown[-1]
        resume = self._examined(replace(query, limit=last + 1)).resume
        return Page([seen for _, seen in shown], resume, resume is not None and self.budget.spent)

    def all(self, query: Query) -> Iterator[Seen]:
        """All captures of a query, page after page, as far as the index may be read for one request."""
        resume: str | None = query.resume
        while resume is not None:
            page = self.search(replace(query, resume=resume))
            yield from page.captures
            resume = page.resume if not page.short else None

    def record(self, seen: Seen) -> Record:
        """The record of a capture that this reader may see."""
        line = self._allowed(seen)
        assert line.filename is not None, "checked by _allowed"
        return self.archive.record(line.filename, line.offset or 0, line.length)

    def record_pieces(self, seen: Seen, first: int = 0, last: int | None = None) -> Iterator[bytes]:
        """The record as it stands in its file, or its bytes from `first` to `last`, that one included."""
        line = self._allowed(seen)
        if not line.length:
            raise NotFound(message("The index does not say how long this record is."))
        assert line.filename is not None, "checked by _allowed"
        return self.archive.record_pieces(line.filename, line.offset or 0, line.length, first, last)

    def original(self, seen: Seen, *, url: str = "", date: str = "") -> Seen | None:
        """Where the content of a revisit is. What may not be seen there may not be seen by the revisit.

        What was not kept twice may lie outside the collection: it is looked for there, and then everywhere. A
        rule that opens a collection must not open what revisits in it lead to, so it is `whole` that decides
        about an original, and by which it is read.
        """
        line, whole = self._allowed(seen), self.whole
        found = self.captures.resolve(line, url=url, date=date)
        if found is None and not self.collection.everything:
            found = whole.captures.resolve(line, url=url, date=date)
        if found is None:
            return None
        original = whole.seen(found)
        if original is None:
            raise Hidden
        if not original.allowed:
            raise Restricted(original.decision)
        return original

    def keeps_back(self, key: str, url: str, timestamp: str, *, from_: str = "", to: str = "") -> bool:
        """Whether an address of which this reader sees nothing is denied: then no other may stand for it."""
        if self.captures.search(Query(key=key, from_=from_, to=to, limit=1)).lines:
            return True
        decision = self.decide(CdxLine(key, timestamp, {"url": url}))
        return not decision.allowed and decision.rule is not None

    def check(self, record: Record, filename: str) -> Decision:
        """Refuse a record that was reached otherwise than by its own line, if its own address is denied."""
        date = record.date
        moment = f"{date.year:04}{date:%m%d%H%M%S}" if date is not None else ""
        url = record.target_uri or ""
        decision = self.decide(CdxLine(surt(url), moment, {"url": url, "filename": filename}))
        if decision.effect is Effect.HIDDEN:
            raise Hidden
        if not decision.allowed:
            raise Restricted(decision)
        return decision

    def _allowed(self, seen: Seen) -> CdxLine:
        # Decided anew: a `Seen` may be older than a take-down.
        decision = self.decide(seen.line)
        if decision.effect is Effect.HIDDEN:
            raise Hidden
        if not decision.allowed:
            raise Restricted(decision)
        if not seen.allowed or seen.line.filename is None:
            raise NotFound(message("The index does not say where this capture is stored."))
        return seen.line
