"""A part of a file as a file: a WARC that is stored in a ZIP is read where it lies."""

import io
from typing import BinaryIO


class Stretch(io.RawIOBase):
    """The bytes of another file from `begin` on. Closing it closes the other one, if it owns that."""

    def __init__(self, file: BinaryIO, begin: int, size: int, *, owns: bool = False) -> None:
        super().__init__()
        self._file = file
        self._begin = begin
        self._size = size
        self._position = 0
        self._owns = owns

    def read(self, count: int | None = -1) -> bytes:
        left = max(self._size - self._position, 0)
        count = left if count is None or count < 0 else min(count, left)
        self._file.seek(self._begin + self._position)
        piece = self._file.read(count)
        self._position += len(piece)
        return piece

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, whence: int = 0) -> int:
        start = {0: 0, 1: self._position, 2: self._size}[whence]
        self._position = max(start + offset, 0)
        return self._position

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if self._owns and not self.closed:
            self._file.close()
        super().close()
