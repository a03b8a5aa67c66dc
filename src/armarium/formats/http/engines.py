"""The decompressors behind the content codings, made alike: small pieces in, bounded pieces out."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import brotli  # type: ignore[import-untyped]
import zstandard
from isal import isal_zlib

# How much is put in at once. The largest expansion of a piece bounds the memory: deflate 1:1032, a zstd block
# of 128 KiB for 4 bytes; brotli is told how much to give at a time.
DEFLATE_PIECE = 4096
ZSTD_PIECE = 256
BROTLI_PIECE = 1024
BROTLI_OUTPUT = 1 << 18
# RFC 9659 lets servers use windows up to 8 MiB; older recordings may have larger ones.
ZSTD_WINDOW = 1 << 26

INFLATE_ERROR: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment]  # its stubs name an instance

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class DecodingError(ValueError):
    """The bytes are not, or no longer, a stream of this coding."""


class Engine(Protocol):
    piece: int  # bytes to feed at once
    finished: bool  # the stream said that it is over
    unused: bytes  # what was fed after its end

    def feed(self, data: bytes) -> Iterator[bytes]: ...


class Deflate:
    """gzip, zlib and raw deflate: one algorithm in three wrappers."""

    piece = DEFLATE_PIECE

    def __init__(self, wbits: int) -> None:
        self._inflate = isal_zlib.decompressobj(wbits)
        self.finished = False
        self.unused = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            out = self._inflate.decompress(data)
        except INFLATE_ERROR as error:
            raise DecodingError(str(error)) from error
        self.finished = self._inflate.eof
        self.unused = self._inflate.unused_data
        if out:
            yield out


class Zstandard:
    piece = ZSTD_PIECE

    def __init__(self) -> None:
        self._frame = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
        self.finished = False
        self.unused = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            out = self._frame.decompress(data)
        except zstandard.ZstdError as error:
            raise DecodingError(str(error)) from error
        self.finished = self._frame.eof
        self.unused = self._frame.unused_data
        if out:
            yield out


class Brotli:
    piece = BROTLI_PIECE

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self.finished = False
        self.unused = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            out = self._stream.process(data, output_buffer_limit=BROTLI_OUTPUT)
            while out:
                yield out
                if self._stream.is_finished():
                    break
                out = self._stream.process(b"", output_buffer_limit=BROTLI_OUTPUT)
        except brotli.error as error:
            raise DecodingError(str(error)) from error
        self.finished = self._stream.is_finished()


class Format(NamedTuple):
    """A compression format as it occurs in bodies, whatever the label says."""

    name: str
    engine: Callable[[], Engine]
    magic: tuple[bytes, ...] = ()  # how every stream, and each one that follows another, begins


GZIP = Format("gzip", lambda: Deflate(31), (GZIP_MAGIC,))
ZLIB = Format("zlib", lambda: Deflate(15))
RAW_DEFLATE = Format("raw deflate", lambda: Deflate(-15))
BROTLI = Format("br", Brotli)
# RFC 8878, 3.1: frames and skippable frames may follow one another.
ZSTD = Format("zstd", Zstandard, (ZSTD_MAGIC, *(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16))))

# RFC 9110, 8.4.1: content codings; "x-" names are the old ones, equal by 8.4.1.1 and 8.4.1.3.
FORMATS = {
    "gzip": GZIP,
    "x-gzip": GZIP,
    "deflate": ZLIB,
    "x-deflate": ZLIB,
    "br": BROTLI,
    "zstd": ZSTD,
    "x-zstd": ZSTD,
}


def candidates(coding: str, start: bytes) -> list[Format]:
    """What bytes labelled with `coding` and beginning with `start` may be, the likeliest first."""
    by_magic = [found for found in (GZIP, ZSTD) if start.startswith(found.magic)]
    labelled = FORMATS[coding]
    if labelled.magic:
        return by_magic or ([ZLIB] if has_zlib_header(start) else [])
    if labelled is BROTLI:
        return [BROTLI, *by_magic]  # brotli has no signature: a stream may begin with anything
    if by_magic:
        return by_magic
    # RFC 9110, 8.4.1.2: "Some non-conformant implementations send the deflate data without the zlib wrapper."
    return [ZLIB, RAW_DEFLATE] if has_zlib_header(start) else [RAW_DEFLATE]


def has_zlib_header(start: bytes) -> bool:
    """RFC 1950, 2.2: method 8, window of at most 32 KiB, check bits that make it a multiple of 31."""
    return (
        len(start) >= 2
        and start[0] & 0x0F == 8
        and start[0] >> 4 <= 7
        and int.from_bytes(start[:2], "big") % 31 == 0
    )
