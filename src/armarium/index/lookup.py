"""Looking captures up, by address and time."""

import heapq
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from xxhash import xxh3_64_hexdigest

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.line import ENCODING, ERRORS
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Found, Match, Query
from armarium.formats.cdx.timestamps import moment as moment_of
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range, surt
from armarium.index.runs import BadRun, MissingRun, Run
from armarium.index.runs.facts import filename_of
from armarium.index.runs.layout import start_of

# --- Several runs read as if they were one, though some of them may vanish on the way.


_PATIENCE = 5  # times in a row that a run may have vanished before its first line


def nobody(_: BadRun) -> None:
    """Nobody wants to know."""


class Union:
    """`runs` gives the runs of this moment; `tell` hears of those that cannot be read.

    While an answer is read, runs may be merged and the old ones deleted. The lines stay the same, so reading
    goes on behind the last one, with the runs that are there then.
    """

    def __init__(self, runs: Callable[[], Sequence[Run]], tell: Callable[[BadRun], None] = nobody) -> None:
        self._runs = runs
        self._tell = tell

    def scan(self, start: bytes, end: bytes | None, *, reverse: bool = False) -> Iterator[bytes]:
        """The lines from `start`, to before `end`, each once, in order or from the last to the first."""
        vanished = 0
        while True:
            try:
                for line in _merged(self._runs(), start, end, reverse=reverse):
                    yield line
                    vanished = 0
                    if reverse:
                        end = line
                    else:
                        start = line + b"\0"  # the next that can be
            except BadRun as bad:
                vanished += 1
                if vanished > _PATIENCE or not isinstance(bad, MissingRun):
                    self._tell(bad)
                    raise
            else:
                return


def _merged(runs: Sequence[Run], start: bytes, end: bytes | None, *, reverse: bool) -> Iterator[bytes]:
    if len(runs) > 1:
        # First all that have to be waited for are asked, then each is waited for.
        for run in runs:
            run.prepare_index(start, end, reverse=reverse)
        for run in runs:
            run.prepare_lines(start, end, reverse=reverse)
    scans = [run.scan(start, end, reverse=reverse) for run in runs]
    if len(scans) == 1:
        yield from scans[0]
        return
    last: bytes | None = None
    for line in heapq.merge(*scans, reverse=reverse):
        if line != last:
            yield line
        last = line


# --- Looking captures up, by address and time.


# Where a page of answers ended, and how the next one begins behind it


@dataclass(frozen=True)
class Mark:
    """A line: its key and timestamp, and a digest, because several lines may have the same of those."""

    start: bytes
    digest: str

    @classmethod
    def at(cls, line: bytes) -> "Mark":
        return cls(start_of(line), xxh3_64_hexdigest(line))

    @classmethod
    def parse(cls, text: str) -> "Mark":
        start, separator, digest = text.rpartition("!")
        if not separator:
            raise Refused(message("No answer ended there; ask again from the beginning."), field="resume")
        return cls(unquote_to_bytes(start), digest)

    def __str__(self) -> str:
        return f"{quote_from_bytes(self.start)}!{self.digest}"

    def is_at(self, line: bytes) -> bool:
        return line.startswith(self.start) and xxh3_64_hexdigest(line) == self.digest

    def rank(self, line: bytes) -> int:
        """Where a line lies that does not come before all of the mark's key and timestamp: see `behind`."""
        return int(start_of(line) != self.start)


def behind(
    lines: Iterator[bytes], mark: Mark, rank: Callable[[bytes], int]
) -> tuple[bytes | None, Iterator[bytes]]:
    """The marked line, and those behind it.

    `rank` is below 0 for lines that surely come before it, above 0 for those that surely come behind it, and
    0 for its neighbours and itself. If a merge has dropped it meanwhile, its neighbours come again: better
    twice than never.
    """
    neighbours: list[bytes] = []
    for line in lines:
        if mark.is_at(line):
            return line, lines
        place = rank(line)
        if place >= 0:
            neighbours.append(line)
        if place > 0:
            break
    return None, chain(neighbours, lines)


MOST_EXAMINED = 2_000_000  # lines for one answer: a filter that nothing passes would read everything
_NEVER = timedelta.max  # the distance of a date that is none


def nothing_withdrawn() -> Container[str]:
    return ()


class Lookup:
    """`runs` gives the runs of this moment, `withdrawn` the names of files that are not to be found."""

    def __init__(
        self,
        runs: Callable[[], Sequence[Run]],
        withdrawn: Callable[[], Container[str]] = nothing_withdrawn,
        *,
        most_examined: int = MOST_EXAMINED,
        tell: Callable[[BadRun], None] = nobody,
    ) -> None:
        self._union = Union(runs, tell)
        self._withdrawn = withdrawn
        self._most_examined = most_examined

    def search(self, query: Query) -> Found:
        """One page. Pages follow each other without gap or repetition, whatever is merged meanwhile."""
        query.check()
        marked, lines = self._ordered(query)
        page = _Page(query, marked)
        most = min(self._most_examined, query.most_examined or self._most_examined)
        examined = 0
        for examined, raw in enumerate(lines, 1):
            page.take(raw)
            if page.full or examined == most:
                more = next(lines, None) is not None
                return Found(page.lines, str(Mark.at(raw)) if more else None, examined)
        return Found(page.lines, None, examined)

    def raw(self, query: Query) -> Iterator[bytes]:
        """All lines of a query as they are in the runs: no pages, no collapsing, not by distance."""
        query.check()
        start, end = query.bounds()
        plain = not (query.filters or query.from_ or query.to)
        for raw in self._present(self._union.scan(start, end, reverse=query.reverse)):
            if plain or ((line := capture_in(raw)) is not None and query.wants(line)):
                yield raw

    def closest(self, url: str, moment: str | datetime) -> CdxLine | None:
        """The capture of an address that is nearest in time."""
        digits = moment if isinstance(moment, str) else f"{moment.year:04}{moment:%m%d%H%M%S}"
        found = self.search(Query(url, closest=digits, limit=1)).lines
        return found[0] if found else None

    def resolve(self, line: CdxLine, *, url: str = "", date: str = "") -> CdxLine | None:
        """The capture that holds what a revisit refers to; a line that is no revisit is its own.

        Of the same address the nearest before it is taken, then the nearest behind it. `url` and `date` are
        what the record itself says it refers to, for those who have read it: they lead to another address.
        """
        if not line.is_revisit:
            return line
        found = self._named_original(line) or self._same_content(line, line.key, line.timestamp)
        if found is None and url:
            found = self._same_content(line, surt(url), date or line.timestamp)
        return found

    def _named_original(self, line: CdxLine) -> CdxLine | None:
        found = _original(line)
        return None if found is None or (found.filename or "") in self._withdrawn() else found

    def _same_content(self, revisit: CdxLine, key: str, timestamp: str) -> CdxLine | None:
        digest = revisit.digest
        if digest is None:
            return None
        spelt = (revisit.text("digest") or "").rpartition(":")[2].encode(ENCODING, ERRORS)
        start, end = Query(key=key).bounds()
        pivot = start + timestamp.encode(ENCODING, ERRORS) + b"\xff"
        before = self._union.scan(start, pivot, reverse=True)
        after = self._union.scan(pivot, end)
        for lines in (before, after):
            for raw in self._present(lines):
                # A page that changes has thousands of captures that are not worth parsing.
                if (
                    spelt in raw
                    and (line := capture_in(raw))
                    and not line.is_revisit
                    and line.digest == digest
                ):
                    return line
        return None

    def _ordered(self, query: Query) -> tuple[bytes | None, Iterator[bytes]]:
        """The line at which the last page ended, and those behind it that may be answers, in order."""
        start, end = query.bounds()
        mark = Mark.parse(query.resume) if query.resume else None
        if query.closest:
            return self._by_distance(query, mark)
        if mark is None:
            return None, self._present(self._union.scan(start, end, reverse=query.reverse))
        if query.reverse:
            end = mark.start + b"\xff" if end is None else min(end, mark.start + b"\xff")
        else:
            start = max(start, mark.start)
        # If its file was withdrawn meanwhile, the marked line still says what lies behind it.
        marked, lines = behind(self._union.scan(start, end, reverse=query.reverse), mark, mark.rank)
        return marked, self._present(lines)

    def _by_distance(self, query: Query, mark: Mark | None) -> tuple[bytes | None, Iterator[bytes]]:
        start, end = query.bounds()
        target = moment_of(query.closest)
        assert target is not None, query.closest
        moment = f"{target.year:04}{target:%m%d%H%M%S}".encode("ascii")
        pivot = Query(query.url, query.key).bounds()[0] + moment

        def distance(raw: bytes) -> timedelta:
            date = moment_of(raw.split(b" ", 2)[1].decode(ENCODING, ERRORS))
            return _NEVER if date is None else abs(date - target)

        earlier = self._union.scan(start, pivot if end is None else min(pivot, end), reverse=True)
        later = self._union.scan(max(start, pivot), end)
        lines = heapq.merge(earlier, later, key=distance)
        if mark is None:
            return None, self._present(lines)
        reached = distance(mark.start + b" ")
        marked, rest = behind(lines, mark, lambda raw: (distance(raw) > reached) - (distance(raw) < reached))
        return marked, self._present(rest)

    def _present(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        withdrawn = self._withdrawn()
        if isinstance(withdrawn, Sized) and not len(withdrawn):
            return lines
        return (line for line in lines if (filename_of(line) or "") not in withdrawn)


class _Page:
    """What of the lines in order is given out."""

    def __init__(self, query: Query, marked: bytes | None) -> None:
        self._query = query
        self.lines: list[CdxLine] = []
        before = capture_in(marked) if marked is not None and query.collapse else None
        self._values = self._collapsed(before) if before is not None and query.wants(before) else None

    @property
    def full(self) -> bool:
        return len(self.lines) == self._query.limit

    def take(self, raw: bytes) -> None:
        line = capture_in(raw)
        if line is None or not self._query.wants(line):
            return
        if self._query.collapse:
            values = self._collapsed(line)
            if values == self._values:
                return
            self._values = values
        self.lines.append(line)

    def _collapsed(self, line: CdxLine) -> tuple[str, ...]:
        return tuple(each.of(line) for each in self._query.collapse)


def _original(revisit: CdxLine) -> CdxLine | None:
    """The original that the line itself names, as CDX with 14 columns does."""
    names = {"filename": "orig.filename", "offset": "orig.offset", "length": "orig.length"}
    places = {name: revisit.text(source) for name, source in names.items()}
    if not places["filename"] or not places["offset"]:
        return None
    fields = {name: value for name, value in {**revisit.fields, **places}.items() if value is not None}
    kept = {name: value for name, value in fields.items() if not name.startswith("orig.") and name != "mime"}
    return CdxLine(revisit.key, revisit.timestamp, kept)


# The same marks by which the engine reads its digest index; a payload that is elsewhere is no original.
_DIGEST = re.compile(rb'"digest": ?"([^"]+)"')
_OK = re.compile(rb'"status": ?"?200\b')
_REVISIT = re.compile(rb'"mime": ?"warc/revisit"|"filename": ?"-"')


class _Range(NamedTuple):
    """Keys from `start` to before `end`, and for each domain in it where that is and which files count."""

    start: str
    end: str
    asked: list[tuple[bytes, bytes, Container[str] | None]]

    def wants(self, line: bytes) -> bool:
        name: str | None = None
        for start, end, files in self.asked:
            if start <= line and (not end or line < end):
                if files is None:
                    return True
                name = filename_of(line) or "" if name is None else name
                if name in files:
                    return True
        return False


def digest_lines(
    lookup: Lookup,
    domains: Iterable[str] | None = None,
    *,
    files: Callable[[str], Container[str]] | None = None,
) -> Iterator[bytes]:
    """Sorted CDXJ of the captures that a new one may repeat: of each address and digest the newest.

    `domains`: those with all that is below them; None: all there are. `files` says whose captures of a domain
    are believed, by the names of files; it is asked once for each domain, and with an empty text for all. A
    file may hold captures of any site, also forged ones: what is repeated is not fetched, so it matters.
    Memory holds the lines of one address.
    """
    for each in _ranges(domains, files):
        group: dict[bytes, bytes] = {}
        key = b""
        for line in lookup.raw(Query(key=each.start, to_key=each.end, match=Match.RANGE)):
            digest = _DIGEST.search(line)
            if digest is None or not _OK.search(line) or _REVISIT.search(line) or not each.wants(line):
                continue
            here = line.partition(b" ")[0]
            if here != key:
                yield from sorted(group.values())
                group, key = {}, here
            group[digest[1]] = line
        yield from sorted(group.values())


def _ranges(domains: Iterable[str] | None, files: Callable[[str], Container[str]] | None) -> Iterator[_Range]:
    """Ranges of keys in order, none within another."""
    if domains is None:
        yield _Range("", "", [(b"", b"", files("") if files is not None else None)])
        return
    found: list[tuple[str, str, str]] = []
    for domain in set(domains):
        start, end = search_range(f"http://{domain}/", UrlMatch.DOMAIN)
        host = end.removesuffix("-")
        # Ports are part of keys: `example,a:8080)/` comes behind all that is below `example,a`.
        found += [(start, end, domain), (f"{host}:", f"{host};", domain)]
    believed = {domain: files(domain) if files is not None else None for _, _, domain in found}
    now: _Range | None = None
    for start, end, domain in sorted(found):
        if now is None or start >= now.end:
            if now is not None:
                yield now
            now = _Range(start, end, [])
        now.asked.append((start.encode(), end.encode(), believed[domain]))
    if now is not None:
        yield now
