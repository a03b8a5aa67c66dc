"""Whether a record is whole, by what it says of itself: gzip's checksum, its length, its block's digest."""

from typing import BinaryIO

from armarium.formats.problem import Severity
from armarium.formats.warc.digest import ALGORITHMS
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record


def whole_record(source: BinaryIO, offset: int, length: int | None = None) -> bool:
    """Read the record that begins there, every byte of it, in constant memory; closes the source.

    `length`: how many bytes of the file it should take, compressed or not.
    """
    with source:
        reader = ArchiveReader(source, offset=offset)
        record = next(iter(reader), None)
        if record is None or record.offset != offset or not _is_what_it_says(record):
            return False
        record.finish()
        if length is not None and record.length != length:
            return False
        found = [*record.problems, *reader.problems]
        return record.complete and not any(problem.severity is Severity.ERROR for problem in found)


def _is_what_it_says(record: Record) -> bool:
    declared = record.block_digest
    if declared is None or declared.value is None or declared.algorithm not in ALGORITHMS:
        return True
    running = ALGORITHMS[declared.algorithm]()
    for piece in record.block:
        running.update(piece)
    return running.digest() == declared.value
