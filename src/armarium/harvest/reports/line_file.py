"""A file of lines that only grows, and survives the death of its writer."""

import os
from contextlib import suppress
from pathlib import Path

_BUFFER = 256 * 1024


class LineFile:
    """Lines are kept in memory until `flush`, or until there are many.

    What a killed process left half written is cut off. With `length`, so is all behind it: lines that a
    resumed crawl will write again.
    """

    def __init__(self, path: Path, *, length: int | None = None) -> None:
        self.path = path
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        size = self._file.seek(0, os.SEEK_END)
        keep = self._last_line_end(size if length is None else min(size, length))
        if keep < size:
            self._file.truncate(keep)
        self.position = self._file.seek(keep)  # where the next line will stand
        self._held = bytearray()

    def write(self, line: str) -> None:
        """Add a line; its end is part of it. A disk that is full keeps it waiting, and is told by `flush`."""
        data = line.encode(errors="backslashreplace")
        self._held += data
        self.position += len(data)
        if len(self._held) >= _BUFFER:
            with suppress(OSError):
                self.flush()

    def flush(self) -> None:
        """Hand over to the system: a killed process loses nothing of it."""
        held = self._held
        while held:
            del held[: self._file.write(held)]  # a disk that is nearly full takes a part

    def close(self) -> None:
        self.flush()
        self._file.close()

    def _last_line_end(self, size: int) -> int:
        while size:
            begin = max(size - 4096, 0)
            self._file.seek(begin)
            found = self._file.read(size - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            size = begin
        return 0
