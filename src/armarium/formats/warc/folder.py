"""The one place of the formats that touches files: a folder in which a writer leaves finished WARC files."""

import errno
import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from armarium.formats.warc.new_record import NewRecord
from armarium.formats.warc.usual_capture import UsualCapture
from armarium.formats.warc.writer import (
    OPEN_SUFFIX,
    USUAL_SIZE,
    Naming,
    Recovery,
    WarcWriter,
    Written,
    is_full,
    open_name,
    plan_recovery,
    sealed_name,
)

UNFINISHED = f"*.warc*{OPEN_SUFFIX}"
DAMAGED_SUFFIX = ".damaged"  # a file that was left unfinished and holds no whole record
_CHUNK = 1024 * 1024
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
Sealing = Callable[[Path], None]  # what is to be done with a complete file before it gets its sealed name


Plan = Callable[[BinaryIO, int], Recovery]  # where to cut a file of that size
Ours = Callable[[Path], bool]


def _nothing(_: Path) -> None:
    """Most files need nothing."""


def _any(_: Path) -> bool:
    """Most folders belong to one writer."""
    return True


@dataclass(frozen=True, slots=True)
class Recovered:
    """A file found unfinished: where it is now, and what was cut off."""

    path: Path | None  # None where no whole record was in it
    recovery: Recovery
    aside: Path | None = None  # what was cut off, or all of it; None where that was nothing, or only zeros
    live: bool = False  # somebody still writes it: nothing was done


class RotatingWriter:
    """Writes records into files of bounded size: `.open` and locked while written, sealed by renaming.

    `describe` makes the warcinfo record that begins each file, from its name and the moment. `sealing` gets
    the file when all of it is on the disk, and may leave something beside it; where that fails, the file is
    not sealed.
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
        sealing: Sealing = _nothing,
        sealed: Callable[[Path], None] = _nothing,
    ) -> None:
        self._folder = folder
        self._naming = naming
        self._now = now
        self._describe = describe
        self._limit = limit
        self._serial = serial
        self._algorithm = algorithm
        self._sealing = sealing
        self._sealed = sealed
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        self._writer: WarcWriter | None = None

    @property
    def path(self) -> Path | None:
        """The file that is being written, under its name with `.open`."""
        return self._path

    @property
    def offset(self) -> int:
        """Where in that file the next record will begin; 0 while there is none."""
        return 0 if self._writer is None else self._writer.offset

    def write(self, *records: NewRecord) -> list[Written]:
        """Write records that belong together into one file: they are never parted by a rotation."""
        writer = self._with_room()
        begin = writer.offset
        try:
            return [writer.write(record) for record in records]
        except BaseException:
            writer.give_up(begin)  # with those that were whole: without the others they say nothing
            raise

    def write_capture(self, capture: UsualCapture) -> Written:
        """Write the records of a usual capture into one file; tells of the first."""
        return self._with_room().write_capture(capture)

    def _with_room(self) -> WarcWriter:
        if self._writer is not None and is_full(self._writer.offset, self._limit):
            self.seal()
        return self._writer or self._begin()

    def flush(self) -> None:
        """Make sure that all that was written survives the death of the machine."""
        if self._file is not None and self._writer is not None:
            self._writer.mend()
            self._file.flush()
            os.fsync(self._file.fileno())

    def seal(self) -> Path | None:
        """Finish the file that is being written; its path, or None where none was begun."""
        if self._file is None or self._path is None:
            return None
        self.flush()
        path = _seal(self._path, self._sealing)  # before the lock is given up
        self._file.close()
        self._file = self._path = self._writer = None
        self._sealed(path)
        return path

    def abandon(self) -> None:
        """Let the file go as it is, unfinished and unlocked, as a kill would: `recover` will find it."""
        file, self._file = self._file, None
        self._path = self._writer = None
        if file is not None:
            with suppress(OSError):  # what is not on the disk by now does not fit
                file.close()

    def _begin(self) -> WarcWriter:
        moment = self._now()
        name = self._naming.name(moment, self._serial)
        self._serial += 1
        path = self._folder / open_name(name)
        # Exclusively: two writers with one name would destroy each other's records.
        file = path.open("xb", buffering=1024 * 1024)
        try:
            writer = self._begun(file, name, moment)
        except BaseException:
            path.unlink(missing_ok=True)  # nothing is in it but half of the record that describes it
            with suppress(OSError):
                file.close()
            raise
        self._path, self._file, self._writer = path, file, writer
        return writer

    def _begun(self, file: BinaryIO, name: str, moment: datetime) -> WarcWriter:
        if not _lock(file):
            raise BlockingIOError(
                f"{open_name(name)} is locked by another process: is it recovering the folder?"
            )
        writer = WarcWriter(file, compression=self._naming.compression, algorithm=self._algorithm)
        writer.write(self._describe(name, moment))
        return writer


def recover(
    folder: Path, sealing: Sealing = _nothing, *, plan: Plan = plan_recovery, ours: Ours = _any
) -> list[Recovered]:
    """Cut every unfinished file at its last whole record and seal it. A file that is being written is let be,
    and so is one that is not `ours`, where several share the folder. `plan` may cut off more.

    What is cut off is kept beside it as `NAME.cut-OFFSET`, and a file without a whole record as
    `NAME.damaged`: somebody may make more of it than we can. Only files without a single byte are removed.
    """
    found = sorted(folder.glob(UNFINISHED))
    return [_recover(path, sealing, plan) for path in found if ours(path) and path.is_file()]


def _recover(path: Path, sealing: Sealing, plan: Plan) -> Recovered:
    with path.open("r+b") as file:
        size = path.stat().st_size
        if not _lock(file):
            return Recovered(path, Recovery(size, 0, 0, ()), live=True)
        recovery = plan(file, size)
        if not recovery.keep:
            return Recovered(None, recovery, _put_aside(path, size))
        aside = _cut(file, path, recovery)
        return Recovered(_seal(path, sealing), recovery, aside)


def _put_aside(path: Path, size: int) -> Path | None:
    if not size:
        path.unlink()
        return None
    target = path.with_name(sealed_name(path.name) + DAMAGED_SUFFIX)
    if target.exists():
        raise FileExistsError(f"{target} exists already; {path.name} keeps its name. Move one of them away.")
    path.rename(target)
    keep_names(path.parent)
    return target


def _cut(file: BinaryIO, path: Path, recovery: Recovery) -> Path | None:
    """Truncate the file, its tail put down elsewhere before; None where the tail was nothing or zeros."""
    aside = None
    if not _only_zeros(file, recovery.keep):
        aside = path.with_name(f"{sealed_name(path.name)}.cut-{recovery.keep}")
        file.seek(recovery.keep)
        with aside.open("wb") as tail:
            shutil.copyfileobj(file, tail, _CHUNK)
            tail.flush()
            os.fsync(tail.fileno())
        keep_names(path.parent)
    file.truncate(recovery.keep)
    file.flush()
    os.fsync(file.fileno())
    return aside


def _only_zeros(file: BinaryIO, begin: int) -> bool:
    """Whether nothing follows, or what a disk gives for blocks that it never wrote."""
    file.seek(begin)
    while piece := file.read(_CHUNK):
        if piece.strip(b"\0"):
            return False
    return True


def _lock(file: BinaryIO) -> bool:
    """Mark a file as being written by this process; False where another one has done so.

    The mark goes with the process, however that ends. Some network disks know no locks: there, it is nothing.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True


def _seal(path: Path, sealing: Sealing) -> Path:
    target = path.with_name(sealed_name(path.name))
    if target.exists():
        raise FileExistsError(f"{target} exists already; {path.name} keeps its name. Move one of them away.")
    sealing(path)
    path.rename(target)
    keep_names(path.parent)
    return target


def keep_names(folder: Path) -> None:
    """Make sure that names survive the death of the machine: a file may, and its name be lost."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
