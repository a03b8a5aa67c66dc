"""The index of a W/ARC file: one line for each capture in it."""

import heapq
from collections.abc import Iterable, Iterator

from armarium.formats.cdx.capture import Capture, Dialect, header_length, is_indexed
from armarium.formats.cdx.line import CdxLine
from armarium.formats.problem import Problem, Severity
from armarium.formats.url import surt
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Request, Response

# --- Request and answer: which two records belong together, and what the request gives to the answer's key.


def pair(first: Capture, second: Capture) -> bool:
    """Join two neighbouring captures if one answers the other; True if so."""
    if isinstance(first.record, Request) and isinstance(second.record, Response):
        request, answer = first, second
    elif isinstance(first.record, Response) and isinstance(second.record, Request):
        request, answer = second, first
    else:
        return False
    if first.url != second.url or first.record.record_id not in second.record.concurrent_to:
        return False
    if request.body is not None and request.url is not None:
        answer.body = request.body
        answer.key = request.key = surt(request.body.appended_to(request.url))
    return True


# --- The index of a W/ARC file: one line for each capture in it.


MOST_PROBLEMS = 1000  # that are kept; a file with more has one more problem


class Index:
    """The lines of one file. Go through it once; `problems` then says what could not be indexed and why.

    `warnings` has the first oddity of each kind, by which no capture suffers.
    """

    def __init__(
        self,
        reader: ArchiveReader,
        filename: str,
        *,
        dialect: Dialect = Dialect.CDXJ,
        every_record: bool = False,
        requests: bool = False,
    ) -> None:
        self._reader = reader
        self._filename = filename
        self._dialect = dialect
        self._every_record = every_record
        self._requests = requests
        self.problems: list[Problem] = []
        self.warnings: dict[str, Problem] = {}

    def __iter__(self) -> Iterator[CdxLine]:
        captures = self._paired() if self._requests else self._captures()
        for capture in captures:
            line = self._line(capture)
            if line is not None:
                yield line

    def _captures(self) -> Iterator[Capture]:
        every, dialect, requests = self._every_record, self._dialect, self._requests
        for record in self._reader:
            if every or requests or is_indexed(record):
                yield Capture(record, dialect, requests=requests)
            record.finish()
            if record.problems:
                self._keep(record.problems)

    def _paired(self) -> Iterator[Capture]:
        """Requests and answers that stand side by side share a key, as in pywb and cdxj-indexer."""
        before: Capture | None = None
        for capture in self._captures():
            if before is None:
                before = capture
                continue
            paired = pair(before, capture)
            yield before
            if paired:
                yield capture
            before = None if paired else capture
        if before is not None:
            yield before

    def _line(self, capture: Capture) -> CdxLine | None:
        record = capture.record
        if not self._every_record and not is_indexed(record):
            return None
        if capture.timestamp is None:
            self._note("cdx-date", record.offset, "The record has no date that an index could hold.")
            return None
        length = record.length
        if record.shares or not length:
            self._note_unreachable(record.offset)
            return None
        if self._reader.compression is Compression.NONE:
            # The empty lines between the records of a plain file belong to none of them, in all indexes.
            length = min(length, header_length(record) + record.block.position)
        fields = capture.fields(length, self._filename)
        return CdxLine(capture.key, capture.timestamp, fields)

    def _note_unreachable(self, offset: int) -> None:
        """One finding for the file: every further record would get the same."""
        if not any(problem.code == "cdx-unreachable" for problem in self.problems):
            self._note(
                "cdx-unreachable",
                offset,
                "Records share one compressed member, so that no offset leads to a single one of them.",
                "Compress the file anew with one member for each record, and index that.",
            )

    def _keep(self, problems: list[Problem]) -> None:
        """What is wrong with the records themselves, as far as it may harm a capture."""
        for problem in problems:
            if problem.severity is Severity.ERROR and len(self.problems) < MOST_PROBLEMS:
                self.problems.append(problem)
            elif problem.severity is Severity.WARNING:
                self.warnings.setdefault(problem.code, problem)

    def _note(self, code: str, offset: int, message: str, hint: str = "") -> None:
        self.problems.append(Problem(code, offset, message, Severity.ERROR, hint=hint))


def index(
    reader: ArchiveReader,
    filename: str,
    *,
    dialect: Dialect = Dialect.CDXJ,
    every_record: bool = False,
    requests: bool = False,
) -> Index:
    """The index lines of a file, in the order of its records.

    By default those of answers, revisits, resources and metadata that are captures (`application/warc-fields`
    are none); with `every_record` all. With `requests`, POST and PUT requests are part of the key.
    """
    return Index(reader, filename, dialect=dialect, every_record=every_record, requests=requests)


# --- Sorted lines: several indexes become one, as `LC_ALL=C sort -m -u` would make it.
#
# Lines are compared as bytes without their end. Memory holds one line per source.


def merge(*sources: Iterable[bytes]) -> Iterator[bytes]:
    """One sorted stream of sorted streams; equal lines come once."""
    return distinct(heapq.merge(*(map(_bare, source) for source in sources)))


def distinct(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Sorted lines without their repetitions. Two lines that differ in anything are two lines."""
    last: bytes | None = None
    for line in map(_bare, lines):
        if line != last:
            yield line
            last = line


def is_sorted(lines: Iterable[bytes]) -> bool:
    last = b""
    for line in map(_bare, lines):
        if line < last:
            return False
        last = line
    return True


def _bare(line: bytes) -> bytes:
    return line.rstrip(b"\r\n")
