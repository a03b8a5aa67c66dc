"""An object of a bucket as a file that can be sought in."""

import io
import os
from typing import Protocol

from typing_extensions import Buffer


class Opened(Protocol):
    @property
    def size(self) -> int: ...

    @property
    def window(self) -> int: ...

    def at(self, start: int, length: int) -> memoryview: ...


class Ranges(io.RawIOBase):
    """To be wrapped in a `BufferedReader`: each read is a request."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._opened.size}[whence]
        if start + offset < 0:
            raise ValueError(f"There is no position {start + offset} in a file.")
        self._position = start + offset
        return self._position

    def readall(self) -> bytes:
        """In as few requests as it takes; the inherited one asks for 8 KiB at a time."""
        rest = bytearray(max(0, self._opened.size - self._position))
        view = memoryview(rest)
        for start in range(0, len(rest), self._opened.window):
            self.readinto(view[start : start + self._opened.window])
        return bytes(rest)

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self._opened.size - self._position))
        if count:
            view[:count] = self._opened.at(self._position, count)
            self._position += count
        return count
