"""Where a chunked body ends, found while it streams by and without copying it.

`formats.http.Dechunker` decodes such a body later and reads the same bytes the same way; this only counts.
"""

import re

from armarium.formats.http.chunked import MAX_SIZE_LINE, MAX_TRAILER, MAY_BECOME_SIZE, SIZE_LINE

# What stands between two chunks as RFC 9112, 7.1 has it: the end of the one, the size of the next.
BETWEEN = re.compile(rb"\r\n([0-9A-Fa-f]{1,15})\r\n")
FIRST = re.compile(rb"([0-9A-Fa-f]{1,15})\r\n")
MAX_SIZE_DIGITS = 15


class Chunks:
    """Fed with all bytes behind the head. `unreadable`: the sizes make no sense, and nobody knows the end."""

    __slots__ = ("_held", "_in_trailer", "_missing", "_trailer", "begun", "unreadable")

    def __init__(self) -> None:
        self._missing = 0  # bytes of the current chunk still to come
        self._held = b""  # the beginning of a line whose end has not come
        self.begun = False  # whether a chunk has gone before
        self._in_trailer = False
        self._trailer = 0
        self.unreadable = False

    def feed(self, data: bytes) -> int:
        """How many of these bytes belong to the body if it ends in them; -1 if it does not."""
        if self.unreadable:
            return -1
        before = len(self._held)
        if before:
            data, self._held = self._held + data, b""
        at = self._missing
        size = len(data)
        while at < size and not self._in_trailer and not self.unreadable:
            regular = BETWEEN.match(data, at) if self.begun else None
            if regular is None:
                at = self._read_line(data, at)
                continue
            length = int(regular[1], 16)
            at = regular.end() + length
            self._in_trailer = length == 0
        if self._in_trailer:
            end = self._read_trailer(data, at)
            return end - before if end >= 0 else -1
        self._missing = max(0, at - size)
        return -1

    def _read_line(self, data: bytes, at: int) -> int:
        """A size line that is not quite regular, or not whole; gives the place behind the chunk's data."""
        start = at
        if self.begun and data[at : at + 1] in (b"\r", b"\n"):
            start += 2 if data[at : at + 2] == b"\r\n" else 1
        end = data.find(b"\n", start)
        if end < 0:
            return self._hold(data, at)
        line = data[start : end + 1]
        if self.begun and not line.strip(b"\r\n"):
            return end + 1  # a line too many
        size = chunk_size(line)
        if size is None:
            self.unreadable = True
            return len(data)
        self.begun = True
        self._in_trailer = size == 0
        return end + 1 + size

    def _hold(self, data: bytes, at: int) -> int:
        self._held = data[at:]
        if len(self._held) > MAX_SIZE_LINE or not (self.begun or MAY_BECOME_SIZE.match(self._held)):
            self.unreadable = True
        return len(data)

    def _read_trailer(self, data: bytes, at: int) -> int:
        while (end := data.find(b"\n", at)) >= 0:
            line = data[at : end + 1].strip(b"\r\n")
            self._trailer += len(line)
            if not line or self._trailer > MAX_TRAILER:
                return end + 1
            at = end + 1
        self._held, self._missing = data[at:], 0
        return len(data) if len(self._held) > MAX_TRAILER else -1


def joined(body: bytes) -> bytes | None:
    """The data of a body whose chunks are exactly as the standard has them; None for any other."""
    pieces: list[bytes] = []
    found = FIRST.match(body)
    while found is not None:
        length, start = int(found[1], 16), found.end()
        if not length:
            return b"".join(pieces) if body[start:] == b"\r\n" else None
        pieces.append(body[start : start + length])
        found = BETWEEN.match(body, start + length)
    return None


def chunk_size(line: bytes) -> int | None:
    """The size a line states, with the liberties that `Dechunker` allows; None if it states none."""
    found = SIZE_LINE.fullmatch(line)
    if found is None or len(found[2]) > MAX_SIZE_DIGITS:
        return None
    if not found[2]:
        return 0 if b"0" in line.partition(b";")[0] else None
    return int(found[2], 16)
