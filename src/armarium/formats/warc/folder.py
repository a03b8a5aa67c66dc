"""The one place of the formats that touches files: a folder in which a writer leaves finished WARC files."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from armarium.formats.warc.new_record import NewRecord
from armarium.formats.warc.rotation import (
    OPEN_SUFFIX,
    USUAL_SIZE,
    Naming,
    Recovery,
    is_full,
    open_name,
    plan_recovery,
    sealed_name,
)
from armarium.formats.warc.writer import WarcWriter, Written


@dataclass(frozen=True, slots=True)
class Recovered:
    """A file found unfinished: where it is now, and what was cut off. No path where nothing was worth
    keeping.
    """

    path: Path | None
    recovery: Recovery


class RotatingWriter:
    """Writes records into files of bounded size: `.open` while written, sealed by renaming.

    `describe` makes the warcinfo record that begins each file, from its name and the moment.
    """

    def __init__(
        self,
        folder: Path,
        naming: Naming,
        now: Callable[[], datetime],
        *,
        describe: Callable[[str, datetime], NewRecord],
        limit: int = USUAL_SIZE,
        serial: int = 0,
        algorithm: str = "sha1",
        sealed: Callable[[Path], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._naming = naming
        self._now = now
        self._describe = describe
        self._limit = limit
        self._serial = serial
        self._algorithm = algorithm
        self._sealed = sealed
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        self._writer: WarcWriter | None = None

    @property
    def path(self) -> Path | None:
        """The file that is being written, under its name with `.open`."""
        return self._path

    def write(self, *records: NewRecord) -> list[Written]:
        """Write records that belong together into one file: they are never parted by a rotation."""
        if self._writer is not None and is_full(self._writer.offset, self._limit):
            self.seal()
        writer = self._writer or self._begin()
        return [writer.write(record) for record in records]

    def flush(self) -> None:
        """Make sure that all that was written survives the death of the machine."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def seal(self) -> Path | None:
        """Finish the file that is being written; its path, or None where none was begun."""
        if self._file is None or self._path is None:
            return None
        self.flush()
        self._file.close()
        path = _seal(self._path)
        self._file = self._path = self._writer = None
        self._sealed(path)
        return path

    def _begin(self) -> WarcWriter:
        moment = self._now()
        name = self._naming.name(moment, self._serial)
        self._serial += 1
        self._path = self._folder / open_name(name)
        # Exclusively: two writers with one name would destroy each other's records.
        self._file = self._path.open("xb", buffering=1024 * 1024)
        self._writer = WarcWriter(self._file, compression=self._naming.compression, algorithm=self._algorithm)
        self._writer.write(self._describe(name, moment))
        return self._writer


def recover(folder: Path) -> list[Recovered]:
    """Cut every unfinished file at its last whole record and seal it; remove those that hold none."""
    found = []
    for path in sorted(folder.glob(f"*{OPEN_SUFFIX}")):
        with path.open("r+b") as file:
            recovery = plan_recovery(file, path.stat().st_size)
            if recovery.keep:
                file.truncate(recovery.keep)
                file.flush()
                os.fsync(file.fileno())
        if recovery.keep:
            found.append(Recovered(_seal(path), recovery))
        else:
            path.unlink()
            found.append(Recovered(None, recovery))
    return found


def _seal(path: Path) -> Path:
    target = path.with_name(sealed_name(path.name))
    if target.exists():
        raise FileExistsError(f"{target} exists already; {path.name} keeps its name. Move one of them away.")
    path.rename(target)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # or the name may be lost although the file is not
    finally:
        os.close(folder)
    return target
