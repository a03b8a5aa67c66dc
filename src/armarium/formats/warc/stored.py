"""A record byte for byte as it stands in its file, below the compression: no reader's view of it."""

from collections.abc import Iterator
from typing import BinaryIO, cast

from armarium.formats.arc import ArcRecord
from armarium.formats.source import Source
from armarium.formats.warc.cursor import detect
from armarium.formats.warc.grammar import starts_record
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record

CHUNK = 64 * 1024


def stored(record: Record, file: BinaryIO) -> Iterator[bytes]:
    """The record with its line ends, whatever their kind; nothing of its block may have been read.

    Where the file cannot seek, or the record shares a compressed member, it is put together from what the
    reader kept: then an unusual version line, empty line or separator comes as the standard wants it.
    """
    # What came at a stroke has nothing unusual about it.
    if record.stroke is not None or record.shares or not file.seekable():
        yield from _put_together(record)
        return
    length = record.length
    position = file.tell()  # where the reader goes on
    try:
        if length:
            yield from _range(file, record, record.offset + length)
        else:  # the first of several in one member, and its block is behind us
            yield from _put_together(next(iter(ArchiveReader(file, offset=record.offset))))
    finally:
        file.seek(position)


def _put_together(record: Record) -> Iterator[bytes]:
    is_arc = isinstance(record, ArcRecord)
    if not is_arc:
        yield record.version.encode("latin-1") + b"\r\n"
    yield record.fields.raw
    yield b"" if is_arc else b"\r\n"
    yield from record.block
    record.finish()
    if record.complete:
        yield b"\n" if is_arc else b"\r\n\r\n"


def _range(file: BinaryIO, record: Record, end: int) -> Iterator[bytes]:
    """The decoded bytes of the file from the record's first byte to that offset."""
    before = record.inner_offset
    window = _Until(file, end)
    if record.member is not None and record.member.plain:
        window.seek(record.offset)
        while piece := window.read(CHUNK):
            yield piece
        return
    source = Source(cast("BinaryIO", window), record.offset)
    _, coding = detect(source, starts_record)
    while (entered := coding.enter()) is not None:
        segment, piece = entered
        while piece:
            yield piece[before:]
            before = max(before - len(piece), 0)
            piece = segment.read()


class _Until:
    """A file that ends at an offset."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file = file
        self._end = end

    def read(self, count: int) -> bytes:
        return self._file.read(max(min(count, self._end - self._file.tell()), 0))

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 2:
            offset, whence = self._end + offset, 0
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True
