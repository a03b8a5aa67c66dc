"""Indexes that come with their file: used if they stand the check, and never believed without it.

Their bytes must be those that were sent, if a digest was sent with them. Every line is looked at: is it CDXJ
as the engine writes it, in order, with the key of its address, of this file, within it, and beside no other?
Then some, which nobody can foresee, are compared with the file itself: the indexer, reading from the place of
a line, must make this very line, and then the one that stands next in the file. So a line that is wrong is
noticed, and so is one that is missing.
"""

import random
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from armarium.core.storing import StoredFile
from armarium.formats.cdx.index import index
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import LONGEST_LINE, parse_line
from armarium.formats.url import surt
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.runs import RunFacts, RunWriter

FIELDS = ("url", "mime", "status", "digest", "length", "offset", "filename")
ENOUGH = 200  # lines of a large index that are compared: one of a hundred, up to here
# Beyond these an index is not worth the memory that its check would take: it is made from the file.
SMALLEST_RECORD = 64  # bytes
MOST_LINES = 1_000_000
TIMES, SPARE = 4, 1 << 20  # bytes of an index for each of its file, and some more


class BadCompanion(ValueError):  # noqa: N818
    """The index that came with a file is not one that can be used as it is."""


class _Place(NamedTuple):
    """Where a record is in the file, and where its line is in the companion."""

    offset: int
    length: int
    line: int


def use_companion(companion: Path, file: StoredFile, opened: BinaryIO, sample: int, target: Path) -> RunFacts:
    """The run of a file at `target`, of the lines that came with it; raises `BadCompanion`."""
    if companion.stat().st_size > SPARE + TIMES * file.size:
        raise BadCompanion(f"it has {companion.stat().st_size} bytes, for a file of {file.size}")
    with companion.open("rb") as lines:
        if file.companion_sha256 and file_digest(lines, "sha256").hexdigest() != file.companion_sha256:
            raise BadCompanion("it was altered since it came")
        lines.seek(0)
        places = sorted(_checked(lines, file))
        _check_overlap(places)
        for number in _chosen(len(places), sample):
            _compare(opened, file.name, lines, places, number)
        lines.seek(0)
        with RunWriter(target) as writer:
            writer.add(line.rstrip(b"\n") for line in lines)
            return writer.finish()


def _checked(lines: BinaryIO, file: StoredFile) -> Iterator[_Place]:
    before, at = b"", 0
    most = min(file.size // SMALLEST_RECORD, MOST_LINES)
    for number, raw in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 2), b""), 1):
        line = raw.rstrip(b"\n")
        if len(line) > LONGEST_LINE or number > most:
            raise BadCompanion(f"line {number} is too long, or one too many")
        if line <= before:
            raise BadCompanion(f"line {number} is not in order")
        yield _place(line, number, at, file)
        before, at = line, at + len(raw)


def _place(line: bytes, number: int, at: int, file: StoredFile) -> _Place:
    parsed = parse_line(line)
    if not isinstance(parsed, CdxLine) or parsed.to_cdxj() != line or not _is_ours(parsed):
        raise BadCompanion(f"line {number} is not CDXJ as we write it")
    if parsed.filename != file.name:
        raise BadCompanion(f"line {number} is of {parsed.filename}")
    offset, length = parsed.offset, parsed.length
    if offset is None or length is None or length < SMALLEST_RECORD or offset + length > file.size:
        raise BadCompanion(f"line {number} leads to no record of the file")
    return _Place(offset, length, at)


def _is_ours(line: CdxLine) -> bool:
    """Whether the line has the fields that the indexer writes and no other, and the key of its address."""
    names = tuple(line.fields)
    if names != tuple(name for name in FIELDS if name in line.fields):
        return False
    if not all(isinstance(value, str) for value in line.fields.values()):
        return False
    return CdxLine(surt(line.url or ""), line.timestamp, line.fields).to_cdxj() == line.to_cdxj()


def _check_overlap(places: Sequence[_Place]) -> None:
    for one, following in pairwise(places):
        if following.offset < one.offset + one.length:
            raise BadCompanion(f"two lines are of the same bytes, at {following.offset}")


def _chosen(count: int, sample: int) -> list[int]:
    """Which lines are compared: -1, the beginning of the file, the last one, and some between."""
    wanted = max(sample, min(-(-count // 100), ENOUGH))
    # Whoever sent the index must not know where it will be looked at.
    between = random.SystemRandom().sample(range(count), min(count, wanted))
    return sorted({-1, *between, *([0, count - 1] if count else [])})


def _compare(opened: BinaryIO, name: str, lines: BinaryIO, places: Sequence[_Place], number: int) -> None:
    begin = places[number].offset if number >= 0 else 0
    told = [_line_at(lines, place.line) for place in places[max(number, 0) : number + 2]]
    opened.seek(begin)
    found = (line.to_cdxj() for line in index(ArchiveReader(opened, offset=begin), name))
    # Behind the last capture there must be none: then this reads on to the end of the file.
    if list(islice(found, 1 if number < 0 and told else 2)) != told:
        raise BadCompanion(f"the records from byte {begin} are others than it says")


def _line_at(lines: BinaryIO, place: int) -> bytes:
    lines.seek(place)
    return lines.readline().rstrip(b"\n")
