"""What the content of a copy says of it: it is read as the W/ARC that it should be, in constant memory."""

from collections.abc import Iterable
from hashlib import sha256
from os import SEEK_END
from typing import BinaryIO, cast

import structlog

from armarium.formats.validation import Options, validate
from armarium.storage.backends.place import Away, Missing, Place, Stopping, Unreadable
from armarium.storage.repairs.rules import Content, Worth
from armarium.tasks.failure import TaskStopped

log = structlog.get_logger(__name__)

#: Findings of the validator that damage leaves behind. Others, a date in the wrong form say, the file has had
#: since it was written, in all its copies.
DAMAGES = frozenset(
    {
        *("gzip-method", "gzip-header-crc", "gzip-crc32-mismatch", "gzip-isize-mismatch", "gzip-truncated"),
        *("gzip-deflate-invalid", "gzip-trailing-data", "gzip-trailing-zeros", "gzip-lost-range"),
        *("gzip-search-ended", "zstd-truncated", "zstd-invalid", "zstd-checksum-mismatch", "zstd-lost-range"),
        *("zstd-trailing-data", "zstd-dictionary-invalid", "warc-data-before", "warc-trailing-data"),
        *("warc-block-truncated", "warc-length-too-large", "warc-length-too-small", "warc-trailer"),
        *("warc-problems-too-many", "warc-version-invalid", "warc-version-unknown", "warc-header-truncated"),
        *("warc-header-too-long", "warc-header-control", "warc-block-digest", "warc-payload-digest"),
        *("arc-data-before", "arc-trailing-data", "arc-header-truncated", "arc-block-truncated"),
        *("arc-length-too-large", "arc-length-too-small", "arc-version-block-missing"),
        # What was appended to itself, or to another, reads well otherwise.
        *("warc-id-repeated", "arc-version-block-again"),
    }
)
#: Bytes in which two files differ: names, dates and numbers stand there, or checksums.
EDGE = 128


def weigh(file: BinaryIO, name: str, stopping: Stopping) -> Content:
    """Read all of it. Raises `OSError` where it cannot be read, and nothing because of its content."""
    begins, ends = _edges(file)
    report = validate(cast(BinaryIO, _Stoppable(file, stopping)), name=name, options=Options(limit=1))
    if not report.records:
        return Content(Worth.NOTHING, 0, report.problems[0].message if report.problems else "")
    damage = next((one.message for one in report.problems if one.code in DAMAGES), "")
    damages = sum(count for code, count in report.counts.items() if code in DAMAGES)
    worth = Worth.DAMAGED if damage else Worth.WHOLE
    return Content(worth, report.records, damage, damages, begins, ends)


def _edges(file: BinaryIO) -> tuple[str, str]:
    begins = file.read(EDGE)
    file.seek(max(0, file.seek(0, SEEK_END) - EDGE))
    ends = file.read(EDGE)
    file.seek(0)
    return sha256(begins).hexdigest()[:16], sha256(ends).hexdigest()[:16]


def weigh_copies(name: str, copies: Iterable[tuple[str, Place]], stopping: Stopping) -> dict[str, Content]:
    """Checksum → content, each from the first copy that can be read. `copies`: checksum and where it lies."""
    found: dict[str, Content] = {}
    for checksum, place in copies:
        if checksum in found or not place.holds_bytes:
            continue
        try:
            with place.open(name) as file:
                found[checksum] = weigh(file, name, stopping)
        except (OSError, Away, Missing, Unreadable) as error:
            log.warning("copy cannot be weighed", file=name, replica=place.replica.name, reason=str(error))
    return found


class _Stoppable:
    """A file that is not read on when the process has to end: some are as long as a disk."""

    def __init__(self, file: BinaryIO, stopping: Stopping) -> None:
        self._file = file
        self._stopping = stopping

    def read(self, count: int = -1) -> bytes:
        if self._stopping():
            raise TaskStopped
        return self._file.read(count)

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)
