"""Sorted lines: several indexes become one, as `LC_ALL=C sort -m -u` would make it.

Lines are compared as bytes without their end. Memory holds one line per source.
"""

import heapq
from collections.abc import Iterable, Iterator


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
