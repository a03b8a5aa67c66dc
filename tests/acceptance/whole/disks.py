"""Disks of their own for what may run out of room."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.storage.small_disk import SmallDisk, small_disk

SIZE = 400 << 20  # bytes
FILLER = "filler"
CONTENT = "content"


@dataclass
class Disk:
    """A folder; on a disk of its own where the kernel lets us mount one."""

    name: str
    folder: Path
    small: SmallDisk | None

    @property
    def root(self) -> Path:
        return self.small.folder if self.small else self.folder

    @property
    def content(self) -> Path:
        """What its owner sees."""
        return self.root / CONTENT

    def fill(self) -> None:
        """To the last byte."""
        with (self.root / FILLER).open("ab", buffering=0) as filler:
            for size in (1 << 20, 4096, 1):
                piece = os.urandom(size)
                try:
                    while True:
                        filler.write(piece)
                except OSError:
                    continue

    def relieve(self) -> None:
        (self.root / FILLER).unlink(missing_ok=True)


@contextmanager
def disks(folder: Path, names: list[str]) -> Iterator[dict[str, Disk]]:
    folder.mkdir()
    with ExitStack() as stack:
        made = {}
        for name in names:
            small = stack.enter_context(small_disk(folder / name, SIZE))
            made[name] = Disk(name, folder / name, small)
            made[name].content.mkdir()
        yield made
