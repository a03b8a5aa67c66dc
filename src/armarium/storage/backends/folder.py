"""Copies in a folder of a file system.

Plain system calls and not obstore's LocalStore: a copy is called safe only after file and folder were
fsynced, a name is given by link(2), which never replaces, and symbolic links are not followed.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import dropwhile
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from armarium.core.folders import make_private
from armarium.storage.backends.medium import INCOMING, Entry, ended_early, same_bytes
from armarium.storage.backends.place import PIECE
from armarium.storage.backends.transfer import Source

# O_NONBLOCK: a named pipe in the place of a file must not hold the audit; it means nothing for files.
READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MODE = 0o644
SEALED = 0o444  # what of the mode is left when all bytes are there


@dataclass(frozen=True)
class OpenFile:
    key: str
    descriptor: int
    size: int
    window: int = PIECE

    def at(self, start: int, length: int) -> memoryview:
        piece = os.pread(self.descriptor, length, start)
        while len(piece) < length:  # cut off while it is read, or a file system that gives less at once
            more = os.pread(self.descriptor, length - len(piece), start + len(piece))
            if not more:
                raise ended_early(self.key, start, length, len(piece))
            piece += more
        return memoryview(piece)

    def forget(self) -> None:
        os.posix_fadvise(self.descriptor, 0, 0, os.POSIX_FADV_DONTNEED)

    def close(self) -> None:
        os.close(self.descriptor)


@dataclass(frozen=True)
class FolderMedium:
    root: Path
    with_parents: bool = False  # make the folders above too: those in the data folder are ours

    def prepare(self) -> None:
        if not self.root.is_dir():
            if self.with_parents:
                make_private(self.root)
            else:
                self.root.mkdir(exist_ok=True)
            _sync(self.root.parent)

    def glance(self, key: str) -> bytes:
        """From the disk, as far as the system lets us: in memory a file outlives the disk it was on."""
        with closing(self.reader(key)) as file:
            file.forget()
            return bytes(file.at(0, min(PIECE, file.size)))

    def create(self, key: str, source: Source) -> None:
        if shutil.disk_usage(self.root).free < source.facts.size:  # before an hour of copying, not after
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.root))
        self._create(key, source.pieces())

    def create_small(self, key: str, content: bytes) -> None:
        self._create(key, iter((content,)))

    def settle(self, key: str) -> None:
        """A name is safe when its folder is, and the names of the folders above when theirs are."""
        for folder in self._path(key).parents:
            _sync(folder)
            if folder == self.root:
                return

    def look(self, key: str) -> Entry | None:
        try:
            found = self._path(key).lstat()
        except FileNotFoundError:
            return None
        return _entry(key, found)

    def read(self, key: str, start: int, length: int) -> bytes:
        with closing(self.reader(key)) as file:
            left = max(0, min(length, file.size - start))
            return bytes(file.at(start, left)) if left else b""

    def reader(self, key: str) -> OpenFile:
        descriptor = self._open(key)
        return OpenFile(key, descriptor, os.fstat(descriptor).st_size)

    def open(self, key: str) -> BinaryIO:
        return os.fdopen(self._open(key), "rb")

    def entries(self, prefix: str, after: str = "") -> Iterator[Entry]:
        """Files in the prefix and all that its folders hold; one folder's names are in memory at a time."""
        for folder in dropwhile(lambda key: key < after.rpartition("/")[0], self._folders(prefix)):
            with os.scandir(self._path(folder)) as found:
                later = (item for item in found if f"{folder}/{item.name}" > after)
                files = sorted(
                    (item for item in later if folder != prefix or not _is_folder(item)), key=_name
                )
            for file in files:
                with suppress(FileNotFoundError):  # moved aside in this moment
                    yield _entry(f"{folder}/{file.name}", file.stat(follow_symlinks=False))

    def top(self) -> Iterator[Entry]:
        with os.scandir(self.root) as found:
            for item in sorted(found, key=_name):
                with suppress(FileNotFoundError):
                    yield _entry(item.name, item.stat(follow_symlinks=False))

    def move_folder(self, key: str, other: str) -> bool:
        """A folder has one name only, so it cannot get a second one first; nothing in it is touched."""
        source, target = self._path(key), self._path(other)
        if source.is_symlink() or not source.is_dir():
            return False
        self._make(target.parent)
        if os.path.lexists(target):  # rename(2) would replace an empty folder
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), other)
        source.rename(target)
        self.settle(other)
        _sync(source.parent)
        return True

    def duplicate(self, key: str, other: str) -> None:
        target = self._path(other)
        self._make(target.parent)
        os.link(self._path(key), target, follow_symlinks=False)
        self.settle(other)

    def alike(self, key: str, other: str) -> bool:
        one, two = self._path(key).lstat(), self._path(other).lstat()
        return os.path.samestat(one, two) or same_bytes(self, key, other)

    def delete(self, key: str) -> None:
        path = self._path(key)
        path.unlink(missing_ok=True)
        _sync(path.parent)

    def address(self, key: str) -> str:
        return str(self._path(key))

    def _path(self, key: str) -> Path:
        return self.root / key

    def _folders(self, prefix: str) -> list[str]:
        try:
            with os.scandir(self._path(prefix)) as found:
                names = sorted(item.name for item in found if _is_folder(item))
        except FileNotFoundError:  # nothing was ever put here
            return []
        return [prefix, *(f"{prefix}/{name}" for name in names)]

    def _open(self, key: str) -> int:
        try:
            descriptor = os.open(self._path(key), READING)
        except OSError as error:
            # Of a socket the system says what it says of a disk that is gone.
            if error.errno == errno.ENXIO and not stat.S_ISREG(self._path(key).lstat().st_mode):
                raise _no_file(key) from error
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise _no_file(key)
        return descriptor

    def _create(self, key: str, pieces: Iterator[bytes]) -> None:
        target, temporary = self._path(key), self._path(f"{INCOMING}/{uuid4().hex}")
        self._make(temporary.parent)
        self._make(target.parent)
        descriptor = os.open(temporary, WRITING, MODE)
        try:
            for piece in pieces:
                _write(descriptor, piece)
            os.fchmod(descriptor, os.fstat(descriptor).st_mode & SEALED)
            os.fsync(descriptor)
            os.link(temporary, target)
            # So that whoever reads the copy back reads the disk, and not what we just wrote into memory.
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
            with suppress(OSError):
                temporary.unlink()
        self.settle(key)

    def _make(self, folder: Path) -> None:
        """Make a folder below the root, but never the root: where that is away, its disk is."""
        if folder == self.root or folder.is_dir():
            return
        self._make(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir()


def _no_file(key: str) -> OSError:
    return OSError(errno.EIO, "this is not a file", key)


def _is_folder(item: "os.DirEntry[str]") -> bool:
    return item.is_dir(follow_symlinks=False)


def _name(item: "os.DirEntry[str]") -> str:
    return item.name


def _entry(key: str, found: os.stat_result) -> Entry:
    size = -1 if stat.S_ISDIR(found.st_mode) else found.st_size
    return Entry(key, size, datetime.fromtimestamp(found.st_mtime, UTC))


def _write(descriptor: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync(folder: Path) -> None:
    """See the notes of fsync(2): that of a file does not keep the name of it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
