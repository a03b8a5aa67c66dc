"""How records are compressed into a file: one member or frame for each."""

import struct
from collections.abc import Iterable, Iterator
from typing import Protocol

import zstandard
from isal import igzip_lib, isal_zlib

from armarium.formats.warc.cursor import Compression
from armarium.formats.zstd.frames import DICTIONARY

GZIP_LEVEL = 2  # of ISA-L: near zlib's 6 in size and ten times faster
ZSTD_LEVEL = 3
CHUNK = 1024 * 1024

# RFC 1952, 2.3: deflate, no flags, no time, unknown system.
_MEMBER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_TRAILER = struct.Struct("<II")
_STORED = 0xFFFF  # bytes; RFC 1951, 3.2.4: the length of a stored block has 16 bits
_STORED_HEAD = struct.Struct("<BHH")


def _stored(length: int, *, last: bool) -> bytes:
    """What stands before a stored block that begins with a byte: its kind, its length, and the complement."""
    return _STORED_HEAD.pack(last, length, length ^ 0xFFFF)


class Packing(Protocol):
    """Makes the bytes in the file out of a record's bytes."""

    def whole(self, record: bytes) -> bytes:
        """A record that is at hand at once."""

    def partly(self, head: bytes, body: memoryview, tail: bytes) -> bytes:
        """A record of which the body does not become smaller: it is compressed already."""

    def pieces(self, record: Iterable[bytes], length: int) -> Iterator[bytes]:
        """A record that comes in pieces; `length` is what they sum up to."""


class PlainPacking:
    """As it is."""

    def whole(self, record: bytes) -> bytes:
        return record

    def partly(self, head: bytes, body: memoryview, tail: bytes) -> bytes:
        return b"".join((head, body, tail))

    def pieces(self, record: Iterable[bytes], length: int) -> Iterator[bytes]:  # noqa: ARG002
        yield from record


class GzipPacking:
    """WARC 1.1 annex D.2: each record is a gzip member of its own."""

    def __init__(self, level: int = GZIP_LEVEL) -> None:
        self._level = level

    def whole(self, record: bytes) -> bytes:
        # The header has no time in it: the same records make the same file.
        return igzip_lib.compress(record, self._level, igzip_lib.COMP_GZIP)

    def partly(self, head: bytes, body: memoryview, tail: bytes) -> bytes:
        # Deflating what cannot become smaller takes five times as long, and makes it larger.
        deflate = isal_zlib.compressobj(self._level, isal_zlib.DEFLATED, -15)
        pieces: list[bytes | memoryview] = [
            _MEMBER,
            deflate.compress(head),
            deflate.flush(isal_zlib.Z_SYNC_FLUSH),
        ]
        for begin in range(0, len(body), _STORED):
            piece = body[begin : begin + _STORED]
            pieces += (_stored(len(piece), last=False), piece)
        checksum = isal_zlib.crc32(tail, isal_zlib.crc32(body, isal_zlib.crc32(head)))
        size = len(head) + len(body) + len(tail)
        pieces += (_stored(len(tail), last=True), tail, _TRAILER.pack(checksum, size & 0xFFFFFFFF))
        return b"".join(pieces)

    def pieces(self, record: Iterable[bytes], length: int) -> Iterator[bytes]:  # noqa: ARG002
        deflate = isal_zlib.compressobj(self._level, isal_zlib.DEFLATED, 31)
        for piece in record:
            yield deflate.compress(piece)
        yield deflate.flush()


class ZstdPacking:
    """Zstandard compression of WARC files 1.0: each record is a frame with its size and a checksum."""

    def __init__(self, level: int = ZSTD_LEVEL, dictionary: bytes | None = None) -> None:
        self.dictionary = dictionary
        dict_data = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._zstd = zstandard.ZstdCompressor(
            level, dict_data=dict_data, write_checksum=True, write_content_size=True
        )

    def beginning(self) -> bytes:
        """What the file must begin with: the frame of the dictionary, if there is one."""
        if not self.dictionary:
            return b""
        packed = zstandard.ZstdCompressor(19).compress(self.dictionary)
        return DICTIONARY + len(packed).to_bytes(4, "little") + packed

    def whole(self, record: bytes) -> bytes:
        return self._zstd.compress(record)

    def partly(self, head: bytes, body: memoryview, tail: bytes) -> bytes:
        return self._zstd.compress(b"".join((head, body, tail)))  # it notices by itself

    def pieces(self, record: Iterable[bytes], length: int) -> Iterator[bytes]:
        compress = self._zstd.compressobj(size=length)
        for piece in record:
            yield compress.compress(piece)
        yield compress.flush()


def packing(compression: Compression, level: int | None = None, dictionary: bytes | None = None) -> Packing:
    """The packing of that name; the level is its own default unless given."""
    if compression is Compression.GZIP:
        return GzipPacking(GZIP_LEVEL if level is None else level)
    if compression is Compression.ZSTD:
        return ZstdPacking(ZSTD_LEVEL if level is None else level, dictionary)
    return PlainPacking()
