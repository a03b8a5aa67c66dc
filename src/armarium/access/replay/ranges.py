"""Parts of a body, as media players ask for them (RFC 9110, 14)."""

import re
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import chain
from threading import BoundedSemaphore

# One range: `bytes=0-499`, `bytes=500-`, `bytes=-500`. Several at once are answered with the whole, as 14.2
# allows.
_ONE_RANGE = re.compile(r"bytes\s*+=\s*+(\d{0,18}+)\s*+-\s*+(\d{0,18}+)\s*+\Z", re.IGNORECASE)
_CONTENT_RANGE = re.compile(r"bytes\s+(\d{1,18})\s*-\s*(\d{1,18})\s*/\s*(\d{1,18}|\*)\s*\Z", re.IGNORECASE)

LONG_WAY = 16 << 20  # bytes to pass over: compressed ones must be unpacked for it
OFTEN = 0.05  # seconds
_LONG_WAYS = BoundedSemaphore(3)  # at a time, in a process: the other threads are for the other readers


class NotSatisfiable(ValueError):  # noqa: N818  (reads as what happened)
    """The range lies behind the end."""


@dataclass(frozen=True)
class Span:
    """From the first byte up to the last, that one included, as HTTP counts."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1

    def content_range(self, whole: int | None) -> str:
        return f"bytes {self.first}-{self.last}/{'*' if whole is None else whole}"


def is_range(header: str | None) -> bool:
    found = _ONE_RANGE.match(header or "")
    return found is not None and bool(found[1] or found[2])


def begin_of(header: str | None) -> int | None:
    """The first byte that is asked for; None where only the end is, or nothing."""
    found = _ONE_RANGE.match(header or "")
    return int(found[1]) if found and found[1] else None


def asked_span(header: str | None, length: int) -> Span | None:
    """The span that is asked for; None where the whole is; raises `NotSatisfiable`."""
    found = _ONE_RANGE.match(header or "")
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        count = min(int(found[2]), length)
        if not count:
            raise NotSatisfiable
        return Span(length - count, length - 1)
    first = int(found[1])
    last = min(int(found[2]), length - 1) if found[2] else length - 1
    if found[2] and int(found[2]) < first:
        return None  # 14.1.1: such a range is invalid, and the field is to be ignored
    if first >= length:
        raise NotSatisfiable
    return Span(first, last)


def recorded_span(content_range: str | None) -> tuple[Span, int | None] | None:
    """What a recorded 206 holds, and of how many bytes in all."""
    found = _CONTENT_RANGE.match((content_range or "").strip())
    if found is None or int(found[2]) < int(found[1]):
        return None
    return Span(int(found[1]), int(found[2])), None if found[3] == "*" else int(found[3])


def cut(pieces: Iterator[bytes], skip: int, length: int) -> Iterator[bytes]:
    """`length` bytes behind the first `skip`. Empty pieces come while it is on its way there.

    Players seek with every click and hang up what they asked for before: whoever takes the pieces can see
    meanwhile whether anybody still wants them.
    """
    if skip > LONG_WAY:
        while not _LONG_WAYS.acquire(blocking=False):
            yield b""
        try:
            piece, skip = yield from _skipped(pieces, skip)
        finally:
            _LONG_WAYS.release()
        pieces = chain([piece], pieces)
    for piece in pieces:
        if skip >= len(piece):
            skip -= len(piece)
            continue
        wanted = piece[skip : skip + length]
        skip = 0
        length -= len(wanted)
        yield wanted
        if not length:
            return


def _skipped(pieces: Iterator[bytes], skip: int) -> Generator[bytes, None, tuple[bytes, int]]:
    """The piece in which the way ends, and how far into it."""
    looked = time.monotonic()
    for piece in pieces:
        if skip < len(piece):
            return piece, skip
        skip -= len(piece)
        if time.monotonic() - looked > OFTEN:
            yield b""
            looked = time.monotonic()
    return b"", skip
