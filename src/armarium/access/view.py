"""What one reader may see of one collection: the only way from any door to captures and records.

Decisions are made for captures that were found, by their own key and date, never for what was asked for:
however an address is spelt, it leads to a capture whose key is spelt in one way.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from armarium.access.model import Collection, Decision, Effect, Page, Reader, Seen
from armarium.access.sources import Archive, Captures, Policy
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import Message, message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from armarium.formats.url import surt
from armarium.formats.warc.records import Record

#: What is told of a capture that may not be shown.
_TOLD = ("url",)
MOST_HIDDEN = 20  # pages in a row of which everything was hidden, before an answer is given short


class Restricted(ArmariumError):  # noqa: N818  (reads as what happened)
    """It is in the archive, and this reader may not see it."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.message or _reason(decision))
        self.decision = decision


def _reason(decision: Decision) -> Message:
    if decision.until is not None:
        return message("This capture may be seen from %(date)s on.", date=decision.until.isoformat())
    return message("This capture is in the archive, but you may not see it here.")


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

    @property
    def captures(self) -> Captures:
        return self.archive.captures(self.collection)

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

        `Page.resume` names a capture, perhaps a hidden one: it is not for readers.
        """
        shown: list[Seen] = []
        captures = self.captures
        narrowing = _Narrowing(query)
        query = replace(query, filters=(), collapse=())
        for _ in range(MOST_HIDDEN):
            found = captures.search(query)
            seen = (self.seen(line) for line in found.lines)
            shown += [one for one in seen if one is not None and narrowing.takes(one)]
            if found.resume is None or shown:
                return Page(shown, found.resume)
            query = replace(query, resume=found.resume)
        return Page(shown, query.resume)

    def all(self, query: Query) -> Iterator[Seen]:
        """All captures of a query, page after page."""
        resume: str | None = query.resume
        while resume is not None:
            page = self.search(replace(query, resume=resume))
            yield from page.captures
            resume = page.resume

    def record(self, seen: Seen) -> Record:
        """The record of a capture that this reader may see."""
        line = self._allowed(seen)
        assert line.filename is not None, "checked by _allowed"
        return self.archive.record(line.filename, line.offset or 0, line.length)

    def record_bytes(self, seen: Seen) -> bytes:
        line = self._allowed(seen)
        if not line.length:
            raise NotFound(message("The index does not tell how long this record is."))
        assert line.filename is not None, "checked by _allowed"
        return self.archive.record_bytes(line.filename, line.offset or 0, line.length)

    def original(self, seen: Seen, *, url: str = "", date: str = "") -> Seen | None:
        """Where the content of a revisit is. What may not be seen there may not be seen by the revisit."""
        found = self.captures.resolve(self._allowed(seen), url=url, date=date)
        if found is None:
            return None
        original = self.seen(found)
        if original is not None and not original.allowed:
            raise Restricted(original.decision)
        return original

    def check(self, record: Record, filename: str) -> None:
        """Refuse a record that was reached otherwise than by its own line, if its own address is denied."""
        date = record.date
        moment = f"{date.year:04}{date:%m%d%H%M%S}" if date is not None else ""
        url = record.target_uri or ""
        decision = self.decide(CdxLine(surt(url), moment, {"url": url, "filename": filename}))
        if decision.effect is Effect.HIDDEN:
            raise NotFound(message("There is no such capture."))
        if not decision.allowed:
            raise Restricted(decision)

    def _allowed(self, seen: Seen) -> CdxLine:
        # Decided anew: a `Seen` may be older than a take-down.
        decision = self.decide(seen.line)
        if decision.effect is Effect.HIDDEN:
            raise NotFound(message("There is no such capture."))
        if not decision.allowed:
            raise Restricted(decision)
        if not seen.allowed or seen.line.filename is None:
            raise NotFound(message("The index does not tell where this capture lies."))
        return seen.line
