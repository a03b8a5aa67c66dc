"""Forward reading of a binary file with known offsets, and a step back where the file can seek."""

from collections.abc import Iterator
from typing import BinaryIO

SMALLEST_READ = 4096
FIRST_READ = 64 * 1024  # one record by its offset should not cost a megabyte
LARGEST_READ = 128 * 1024  # more costs page faults and wins nothing
KEPT = 64  # used bytes that stay at hand: an inflater may give back a few that it took before


class Source:
    """The bytes of a file from an offset onwards: `data[position:]` is read but not yet used.

    `base` is the offset in the file of `data[0]`. Users move `position` themselves: a method call for each
    step would cost more than the step.
    """

    __slots__ = ("_before", "_file", "_step", "base", "data", "ended", "position")

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        self._file = file
        self._step = FIRST_READ
        if offset or _can_seek(file):
            file.seek(offset)
        self.base = offset
        self.data = b""
        self.position = 0
        self.ended = False
        self._before = b""  # the last bytes that stood before `data[0]`

    @property
    def offset(self) -> int:
        """Where in the file the next unused byte stands."""
        return self.base + self.position

    def more(self) -> bool:
        """Read on behind what is left; False when the file has no more."""
        if self.ended:
            return False
        fresh = self._file.read(self._step)
        # A socket may give a few bytes at a time: searching anew for each would cost the square of the
        # length.
        while len(fresh) < SMALLEST_READ and (piece := self._file.read(self._step)):
            fresh += piece
        if not fresh:
            self.ended = True
            return False
        self._step = min(self._step * 2, LARGEST_READ)
        used = self.position
        if used:
            self._before = self.data[max(used - KEPT, 0) : used]
        self.data = self.data[used:] + fresh if used < len(self.data) else fresh
        self.base += used
        self.position = 0
        return True

    def give_back(self, count: int) -> None:
        """Stand again before bytes just used: at most as many as stay at hand."""
        self.position -= count
        if self.position < 0:
            missing = -self.position
            self.data = self._before[-missing:] + self.data
            self.base -= missing
            self.position = 0

    def has(self, count: int) -> bool:
        """Make sure that `count` unused bytes are at hand; False when the file ends before."""
        while len(self.data) - self.position < count:
            if not self.more():
                return False
        return True

    def peek(self, count: int) -> bytes:
        """Up to `count` unused bytes; fewer only at the end of the file."""
        self.has(count)
        return self.data[self.position : self.position + count]

    def go_to(self, offset: int) -> bool:
        """Stand at an offset; False where it has passed and the file cannot seek."""
        if self.base <= offset <= self.base + len(self.data):
            self.position = offset - self.base
            return True
        if not _can_seek(self._file):
            return False
        self._file.seek(offset)
        self.base, self.data, self.position, self.ended = offset, b"", 0, False
        return True

    def size(self) -> int | None:
        """Bytes in the file, where it can tell without being read."""
        if not _can_seek(self._file):
            return None
        here = self._file.tell()
        end = self._file.seek(0, 2)
        self._file.seek(here)
        return end

    def find_all(self, needle: bytes) -> Iterator[int]:
        """Stand at each next occurrence in turn, ready to read there; at the end of the file when done.

        The user may read on from a place found; the search goes on behind it, not behind what was read.
        """
        while True:
            at = self.data.find(needle, self.position)
            if at >= 0:
                self.position = at
                found = self.offset
                yield found
                if not self.go_to(found + 1):
                    return
                continue
            self.position = max(len(self.data) - len(needle) + 1, self.position)
            if not self.more():
                self.position = len(self.data)
                return


def _can_seek(file: BinaryIO) -> bool:
    # Bodies of HTTP answers and other partial file objects often lack the method altogether.
    seekable = getattr(file, "seekable", None)
    return bool(seekable and seekable())
