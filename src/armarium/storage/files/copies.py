"""Which copies of a file may be read, in which order, and what happens when one turns out bad."""

import io
import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import structlog
from typing_extensions import Buffer

from armarium.core.errors import ArmariumError, Unavailable
from armarium.core.lately import Lately
from armarium.core.message import message
from armarium.db.database import Database
from armarium.storage.backends.place import Away, Missing, Stopping, Unreadable
from armarium.storage.files import queries
from armarium.storage.files.model import Copy
from armarium.storage.history import EventKind, note
from armarium.storage.model import CopyState, File, ReplicaState
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.service import Replicas
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped
from armarium.tasks.service import Tasks

CHECK = "storage.check"  # the kind of task that reads one copy again, declared by the audits
FAILURES = (Away, Missing, Unreadable)  # of reading a copy: another one may be well

log = structlog.get_logger(__name__)


class NoGoodCopy(Unavailable):
    """No copy of the file could be read as it should be; nothing wrong was given out."""


class OtherBytes(Unreadable):
    """A copy gave other bytes than were registered."""


class Copies:
    def __init__(self, database: Database, replicas: Replicas, tasks: Tasks) -> None:
        self._database = database
        self._replicas = replicas
        self._tasks = tasks

    def readable(self, file: File) -> list[Copy]:
        """Accepted ones with bytes: primaries first, and those last whose replica did not answer lately."""
        with self._database.transaction() as connection:
            found = queries.copies(connection, file.id)
        good = [
            copy
            for copy in found
            if file.sha256  # else nobody knows yet which of them is right
            and copy.state is CopyState.ACCEPTED
            and copy.replica.state is not ReplicaState.RETIRED
            and holds_bytes(copy.replica)
        ]
        return sorted(good, key=lambda copy: copy.away)

    def note_bad(self, file: File, copy: Copy, error: ArmariumError | OSError) -> None:
        """Reading failed: the copy is not judged here; it is read again, whole, by a task."""
        if isinstance(error, Away):
            self._replicas.note_away(copy.replica, error.message)
            return
        log.warning("copy could not be read", file=file.name, replica=copy.replica.name, reason=str(error))
        key = f"{CHECK}:{file.id}:{copy.replica.id}"
        with self._database.transaction() as connection:
            arguments = {"file": file.id, "replica": copy.replica.id}
            if self._tasks.defer(connection, CHECK, arguments, queueing_lock=key) is not None:
                details = {"error": str(error)}
                note(
                    connection,
                    EventKind.READ_FAILED,
                    file=file.id,
                    replica=copy.replica.id,
                    details=details,
                )

    def fetch(self, file: File, target: Path, stopping: Stopping = never) -> None:
        """The whole file, compared with the register; the target appears only when it is right."""
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            for copy in self.readable(file):
                try:
                    self._copy(file, copy, part, stopping)
                except FAILURES as error:
                    self.note_bad(file, copy, error)
                else:
                    part.replace(target)
                    _sync(target.parent)
                    return
        finally:
            part.unlink(missing_ok=True)
        raise no_good_copy(file)

    def _copy(self, file: File, copy: Copy, part: Path, stopping: Stopping) -> None:
        digest = sha256()
        with part.open("wb") as target:
            for piece in self._replicas.place(copy.replica).pieces(file.name):
                if stopping():
                    raise TaskStopped
                digest.update(piece)
                target.write(piece)
            size = target.tell()
            if size != file.size or digest.hexdigest() != file.sha256:
                raise other_bytes(file, copy)
            target.flush()
            os.fsync(target.fileno())


def other_bytes(file: File, copy: Copy) -> OtherBytes:
    return OtherBytes(
        message(
            "The copy of %(name)s in replica %(replica)s does not match its registered checksum.",
            name=file.name,
            replica=copy.replica.name,
        )
    )


class RecentCopies(Copies):
    """Copies that are not looked up again for a moment, unless one of them turns out bad."""

    def __init__(self, copies: Copies, seconds: float) -> None:
        super().__init__(copies._database, copies._replicas, copies._tasks)
        self._known: Lately[int, list[Copy]] = Lately(seconds)

    def readable(self, file: File) -> list[Copy]:
        return self._known.get(file.id, lambda: super(RecentCopies, self).readable(file))

    def note_bad(self, file: File, copy: Copy, error: ArmariumError | OSError) -> None:
        self._known.forget()
        super().note_bad(file, copy, error)


def no_good_copy(file: File) -> NoGoodCopy:
    if not file.sha256:
        return NoGoodCopy(
            message(
                "The replicas disagree on the content of %(name)s, so it cannot be read until a person "
                "decides. See its repairs.",
                name=file.name,
            )
        )
    return NoGoodCopy(
        message(
            "No copy of %(name)s can be read at the moment. Its page shows which replicas have it "
            "and what the last checks found.",
            name=file.name,
        )
    )


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class FailoverFile(io.RawIOBase):
    """To read and to seek in, over several copies: where one fails, the next goes on at the same byte.

    Not to be shared between threads.
    """

    def __init__(self, file: File, copies: Copies, replicas: Replicas) -> None:
        super().__init__()
        self._file = file
        self._copies = copies
        self._replicas = replicas
        self._left = iter(copies.readable(file))
        self._copy: Copy | None = None
        self.used: list[Copy] = []  # copies from which something may have been read
        self._opened: BinaryIO | None = None
        self._position = 0
        self._next()  # so that a file of which nothing can be read is not opened

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._file.size}[whence]
        if base + offset < 0:
            raise ValueError(f"There is no byte {base + offset} in {self._file.name}.")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self._file.size - self._position)
        if wanted <= 0:
            return 0
        data = self._read(wanted)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        super().close()

    def _read(self, wanted: int) -> bytes:
        while True:
            assert self._opened is not None, "`_next` found one, or raised"
            assert self._copy is not None, "it is a copy's"
            try:
                self._opened.seek(self._position)
                data = self._opened.read(wanted)
                if not data:
                    raise _too_short(self._file, self._copy, self._position)
            except (*FAILURES, OSError) as error:
                self._copies.note_bad(self._file, self._copy, error)
                self._next()
            else:
                return data

    def _next(self) -> None:
        """Take the next copy that can be opened."""
        if self._opened is not None:
            with suppress(OSError):
                self._opened.close()
            self._opened = None
        for copy in self._left:
            try:
                self._opened = self._replicas.place(copy.replica).open(self._file.name)
            except FAILURES as error:
                self._copies.note_bad(self._file, copy, error)
            else:
                self._copy = copy
                self.used.append(copy)
                return
        raise no_good_copy(self._file)


def _too_short(file: File, copy: Copy, position: int) -> Unreadable:
    return Unreadable(
        message(
            "The copy of %(name)s in replica %(replica)s ends at byte %(position)s; it should have %(size)s.",
            name=file.name,
            replica=copy.replica.name,
            position=position,
            size=file.size,
        )
    )
