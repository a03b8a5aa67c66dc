"""Where files from collectors lie: `<home>/arrivals/<job>/<name>`, and `<name>.part` until they are whole.

What is called written here has reached the disk: it is still there after the machine lost its power.
"""

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from armarium.core.errors import Unavailable
from armarium.core.folders import make_private
from armarium.core.message import message

PART = ".part"
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class NoRoom(Exception):  # noqa: N818  (reads as what happened)
    """The disk is full. What had been written before is whole."""


@dataclass(frozen=True)
class ArrivalsFolder:
    """The files of all jobs. Names are checked before: they are one plain word."""

    root: Path

    def whole(self, job: int, name: str) -> Path:
        return self.root / str(job) / name

    def part(self, job: int, name: str) -> Path:
        return self.root / str(job) / (name + PART)

    def free_bytes(self) -> int:
        make_private(self.root)
        return shutil.disk_usage(self.root).free

    def size_of_part(self, job: int, name: str) -> int:
        try:
            return self.part(job, name).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, job: int, name: str, offset: int, data: bytes) -> None:
        """Write at the offset, and nothing behind it: there may be more of a request that was cut off."""
        path = self.part(job, name)
        make_private(path.parent)
        fresh = not path.exists()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, offset)
            _write(descriptor, offset, data)
            os.fsync(descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(descriptor, offset)
            if error.errno in FULL:
                raise NoRoom(str(error)) from error
            raise
        finally:
            os.close(descriptor)
        if fresh:
            _sync_folder(path.parent)

    def close(self, job: int, name: str) -> None:
        """The part is whole: give it its name."""
        self.part(job, name).rename(self.whole(job, name))
        _sync_folder(self.root / str(job))

    def reopen(self, job: int, name: str) -> None:
        """What was called whole is a part again, which is cleared away if nobody asks for it."""
        self.whole(job, name).rename(self.part(job, name))
        _sync_folder(self.root / str(job))

    def discard_part(self, job: int, name: str) -> None:
        self.part(job, name).unlink(missing_ok=True)

    def old_parts(self, seconds: float) -> Iterator[tuple[int, str]]:
        """Parts to which nothing was added for so long."""
        for job, name in self._old(seconds):
            if name.endswith(PART):
                yield job, name.removesuffix(PART)

    def old_files(self, seconds: float) -> Iterator[tuple[int, str]]:
        """Whole files that have lain here for so long."""
        return ((job, name) for job, name in self._old(seconds) if not name.endswith(PART))

    def _old(self, seconds: float) -> Iterator[tuple[int, str]]:
        before = time.time() - seconds
        for path in self.root.glob("[0-9]*/*"):
            with suppress(OSError, ValueError):  # finished or discarded in this moment, or none of ours
                if path.stat().st_mtime < before:
                    yield int(path.parent.name), path.name

    def drop_empty_folders(self, seconds: float) -> None:
        """Of jobs whose files the archive has all, and that nothing was changed in for so long."""
        before = time.time() - seconds
        for folder in self.root.glob("[0-9]*"):
            with suppress(OSError):  # there are files in it
                if folder.stat().st_mtime < before:
                    folder.rmdir()


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write(descriptor: int, offset: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _sync_folder(folder: Path) -> None:
    """A name is safe when its folder is (see fsync(2))."""
    for place in (folder, folder.parent):
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# Locks ----------------------------------------------------------------------------------------------


LOCKS = ".turns"
LONGEST_WAIT = 10.0  # seconds; who has to wait longer asks again, instead of keeping a thread
GLANCE = 0.02


@contextmanager
def file_lock(root: Path, job: int, name: str, *, wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Raises `Unavailable` if another request has the file for so long."""
    make_private(root / LOCKS)
    path = root / LOCKS / f"{job}-{name}"
    until = time.monotonic() + wait
    while (descriptor := _taken(path)) is None:
        if time.monotonic() >= until:
            raise Unavailable(
                message("Another request for %(name)s is still running. Try again in a moment.", name=name)
            )
        time.sleep(GLANCE)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # before it is released: whoever waits for it then looks for a new one
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """The descriptor of the file, locked; None while another has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):  # another has it, or has just removed it
        pass
    os.close(descriptor)
    return None
