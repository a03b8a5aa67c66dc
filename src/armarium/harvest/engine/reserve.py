"""Room on the disk that is kept for the end: with it, a crawl whose disk is full can still put in order what
it has."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

SIZE = 32 * 1024 * 1024  # bytes: what is gathered in memory between two commits, and the reports
_SHARE = 4  # of a disk that is nearly full, no more than one part of so many


class Reserve:
    """A file that is of no use but for its size."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self) -> None:
        """As much as there is room for; a disk that has none is noticed soon enough."""
        size = min(SIZE, shutil.disk_usage(self._path.parent).free // _SHARE)
        with suppress(OSError), self._path.open("wb") as file:
            if size:
                os.posix_fallocate(file.fileno(), 0, size)

    def release(self) -> None:
        with suppress(OSError):  # on a disk that takes nothing any more; the crawl pauses nonetheless
            self._path.unlink(missing_ok=True)
