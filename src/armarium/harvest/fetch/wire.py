"""The bytes of one answer, exactly as received: small ones in memory, others in a file without a name."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

IN_MEMORY = 1 << 20
PIECE = 1 << 18  # read from the file at a time


class Wire:
    """Bytes are added while they come in; then `data`, or `pieces()` as often as wanted; then `close()`.

    The file has no name: nothing is left of it when the process is killed.
    """

    __slots__ = ("_file", "_folder", "_pieces", "head_length", "length")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pieces: list[bytes] = []
        self._file: IO[bytes] | None = None
        self.length = 0
        self.head_length = 0  # bytes of the head, the empty line included

    def add(self, data: bytes) -> None:
        """Raises OSError when the disk does not take it."""
        self.length += len(data)
        if self._file is not None:
            self._write(self._file, data)
        else:
            self._pieces.append(data)
            if self.length > IN_MEMORY:
                self._move_to_file()

    def _move_to_file(self) -> None:
        self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115  (closed in `close`)
        for piece in self._pieces:
            self._write(self._file, piece)
        self._pieces = []

    @staticmethod
    def _write(file: IO[bytes], data: bytes) -> None:
        """All of it: a file without a buffer takes less when the disk is nearly full."""
        written = file.write(data)
        while written < len(data):
            written += file.write(data[written:])

    @property
    def data(self) -> bytes | None:
        """All bytes, if they are in memory."""
        if self._file is not None:
            return None
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0]
        joined = b"".join(pieces)
        self._pieces = [joined]
        return joined

    def pieces(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on, in pieces of bounded size."""
        data = self.data
        if data is not None:
            yield data[start:] if start else data
            return
        assert self._file is not None
        number = self._file.fileno()
        while piece := os.pread(number, PIECE, start):
            start += len(piece)
            yield piece

    def clear(self) -> None:
        """Forget everything: what came was not the answer."""
        self.close()
        self.length = self.head_length = 0

    def close(self) -> None:
        self._pieces = []
        if self._file is not None:
            self._file.close()
            self._file = None
