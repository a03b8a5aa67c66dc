"""Runs in a folder of this machine."""

import filecmp
import os
import re
import shutil
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from uuid import uuid4

from armarium.core.folders import make_private
from armarium.index.runs.facts import MissingRun, OtherRun

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\Z")
MOST_OPEN = 256  # files
_UNFINISHED = ".incoming-"  # no name of a run begins with a dot
_MARKER = ".armarium-index"
MARKED = (
    b"Runs of the index of an archive. Without this file they are taken for a disk that is not mounted.\n"
)


def checked(name: str) -> str:
    if not NAME.match(name):
        raise ValueError(f"“{name}” cannot name a run: letters, digits, dots, underscores and hyphens can.")
    return name


def missing(name: str, where: object) -> MissingRun:
    return MissingRun(
        f"There is no run {name} in {where}. It was merged into another one, or has to be made again.", name
    )


def other(name: str, where: object) -> OtherRun:
    return OtherRun(
        f"There is a run {name} with other bytes in {where}; it was left as it is. Choose another name."
    )


class FolderPlace:
    """Reads by offset on open files, so that threads do not wait for each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: OrderedDict[str, _Opened] = OrderedDict()
        self._lock = Lock()

    def read(self, name: str, start: int, length: int) -> bytes:
        return self._opened(name).read(start, length)

    def prepare(self, name: str, start: int, length: int) -> None:
        self._opened(name).prepare(start, length)

    def size(self, name: str) -> int:
        return self._opened(name).size()

    def publish(self, name: str, path: Path) -> None:
        make_private(self.folder)
        target = self.folder / checked(name)
        waiting = self.folder / f"{_UNFINISHED}{uuid4().hex}"
        try:
            _durable_copy(path, waiting)
            # Unlike a rename, a link replaces nothing.
            os.link(waiting, target)
        except FileExistsError:
            if not filecmp.cmp(path, target, shallow=False):
                raise other(name, self.folder) from None
        finally:
            waiting.unlink(missing_ok=True)
        _sync_folder(self.folder)

    def delete(self, name: str) -> None:
        (self.folder / checked(name)).unlink(missing_ok=True)
        self.release(name)
        if self.folder.exists():
            _sync_folder(self.folder)

    def release(self, name: str) -> None:
        with self._lock:
            self._open.pop(name, None)

    def names(self) -> Iterator[str]:
        if not self.folder.exists():
            return
        for entry in os.scandir(self.folder):
            if NAME.match(entry.name) and entry.is_file():
                yield entry.name

    def is_marked(self) -> bool:
        return (self.folder / _MARKER).is_file()

    def mark(self) -> None:
        make_private(self.folder)
        waiting = self.folder / f"{_UNFINISHED}{uuid4().hex}"
        waiting.write_bytes(MARKED)
        waiting.replace(self.folder / _MARKER)
        _sync_folder(self.folder)

    def clear(self, before: float) -> None:
        if not self.folder.exists():
            return
        for path in self.folder.glob(f"{_UNFINISHED}*"):
            with suppress(FileNotFoundError):  # somebody else's, who has finished
                if path.stat(follow_symlinks=False).st_mtime < before:
                    path.unlink()

    def _opened(self, name: str) -> "_Opened":
        with self._lock:
            found = self._open.get(name)
            if found is not None:
                self._open.move_to_end(name)
                return found
        try:
            opened = _Opened(self.folder / checked(name))
        except FileNotFoundError:
            raise missing(name, self.folder) from None
        with self._lock:
            opened = self._open.setdefault(name, opened)  # another may have opened it meanwhile
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return opened


class _Opened:
    """An open file that closes when nobody holds it any more: a thread may be reading when it is put away.

    The number stays in here. Whoever had it alone would not hold the file, and might read another one that
    got the same number.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self, start: int, length: int) -> bytes:
        piece = os.pread(self._descriptor, length, start)
        if len(piece) == length or not piece:
            return piece
        pieces = [piece]  # a signal, or the end of the file
        while piece:
            start, length = start + len(piece), length - len(piece)
            piece = os.pread(self._descriptor, length, start)
            pieces.append(piece)
        return b"".join(pieces)

    def prepare(self, start: int, length: int) -> None:
        os.posix_fadvise(self._descriptor, start, length, os.POSIX_FADV_WILLNEED)

    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def __del__(self) -> None:
        descriptor = getattr(self, "_descriptor", None)
        if descriptor is not None:
            os.close(descriptor)


def _durable_copy(path: Path, target: Path) -> None:
    """The same file under a second name; a copy where the folders lie on different disks."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
