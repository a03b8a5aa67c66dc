"""Putting a file into every replica, step by step, so that it may be killed at any of them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import ArmariumError
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage.backends.place import (
    Altered,
    Away,
    Different,
    Facts,
    Missing,
    NoRoom,
    Place,
    SourceUnreadable,
    Stopping,
    Sums,
    Unreadable,
)
from armarium.storage.files import queries
from armarium.storage.files.copies import Copies
from armarium.storage.files.copying import Copying, NoSource
from armarium.storage.files.model import Copy, Successor, as_stored
from armarium.storage.files.registering import Losses
from armarium.storage.history import EventKind, note
from armarium.storage.model import UNFINISHED, CopyState, File, FileState, Origin, Replica, ReplicaState
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.queries import share_replicas
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import FETCHED
from armarium.tasks.failure import TaskFailed

TOPIC = "files"
ALGORITHMS = ("sha256", "blake3")
BAD_SOURCES = (Altered, NoSource, SourceUnreadable)


class ReplicaAwaited(TaskFailed):
    """Only replicas that are away lack the file: the sweep goes on when they are back."""


class BadSource(TaskFailed):
    """No replica has the file, and where it came from it is not (any more) what was registered."""


class Storing:
    def __init__(
        self,
        database: Database,
        replicas: Replicas,
        copies: Copies,
        notifier: Notifier | None,
        successor: Successor,
    ) -> None:
        self._database = database
        self._replicas = replicas
        self._copies = copies
        self._notifier = notifier
        self._successor = successor
        self._losses = Losses(database, replicas.home, successor, notifier)

    def store(self, file: File, stopping: Stopping) -> FileState:
        """Put the file wherever it still has to go; raises `TaskFailed` if some replica has not got it."""
        if not file.sha256:
            return file.state  # a rebuild found no majority: it is open what would be put there
        if file.state is FileState.LOST:
            return file.state
        troubles = self._distribute(file, stopping)
        state = self._settle(file.id)
        if troubles:
            self._tell(file, troubles)
            kind = self._kind_of(file, troubles)
            if kind is BadSource and file.origin is Origin.COLLECTOR:
                self._losses.note(file, troubles)
            raise kind(
                message(
                    "%(name)s is not yet in every replica: %(why)s",
                    name=file.name,
                    why=" ".join(str(trouble) for trouble in troubles),
                )
            )
        return state

    def _kind_of(self, file: File, troubles: Sequence[ArmariumError]) -> type[TaskFailed]:
        if any(isinstance(one, BAD_SOURCES) for one in troubles) and not self._copies.readable(file):
            return BadSource
        if all(isinstance(one, Away) and not isinstance(one, NoRoom) for one in troubles):
            return ReplicaAwaited
        return TaskFailed

    def _distribute(self, file: File, stopping: Stopping) -> list[ArmariumError]:
        """From where it arrived; if it is not (any more) there as it was, from a replica that has it."""
        pending = self._pending(file)
        if not pending:
            return []
        source = Path(file.source) if file.source else None
        here = source is not None and source.is_file()
        if here or not self._copies.readable(file):
            troubles = self._everywhere(file, pending, source if here else None, stopping)
            altered = any(isinstance(trouble, Altered) for trouble in troubles)
            if not (altered and self._copies.readable(file)):
                return troubles
        with self._fetched(file, stopping) as fetched:
            return self._everywhere(file, self._pending(file), fetched, stopping)

    def _pending(self, file: File) -> list[Copy]:
        with self._database.transaction() as connection:
            found = queries.copies(connection, file.id)
        return [
            copy for copy in found if copy.replica.state is ReplicaState.ACTIVE and copy.state in UNFINISHED
        ]

    def _everywhere(
        self, file: File, pending: Sequence[Copy], source: Path | None, stopping: Stopping
    ) -> list[ArmariumError]:
        """All replicas at the same time: the slowest one says how long it takes."""
        with ThreadPoolExecutor(len(pending) or 1, thread_name_prefix="store") as pool:
            running = [pool.submit(self._into, file, copy.replica, source, stopping) for copy in pending]
        return [trouble for one in running if (trouble := one.result()) is not None]

    @contextmanager
    def _fetched(self, file: File, stopping: Stopping) -> Iterator[Path]:
        """The file from a replica that has it, compared with the register, for one that has not."""
        folder = self._replicas.home / FETCHED
        make_private(folder)
        with TemporaryDirectory(dir=folder, prefix=f"{file.id}-") as own:
            target = Path(own) / file.name
            self._copies.fetch(file, target, stopping)
            yield target

    # One copy

    def _into(
        self, file: File, replica: Replica, source: Path | None, stopping: Stopping
    ) -> ArmariumError | None:
        """None if the copy is accepted, or somebody else is at it."""
        copying = Copying(self._database, file, replica)
        if not copying.begin():
            return None
        try:
            place = self._replicas.place(replica)
            if source is None and not copying.uploaded:
                return self._found_there(copying, place, stopping)
            return self._put_there(copying, place, source, stopping)
        except Away as away:
            self._note_away(replica, away)
            return copying.fail(away)
        except (Missing, Unreadable, Different) as refused:
            return copying.fail(refused)

    def _put_there(
        self, copying: Copying, place: Place, source: Path | None, stopping: Stopping
    ) -> ArmariumError | None:
        file = copying.file
        if not copying.uploaded and source is not None:
            place.put(Facts(file.name, file.size, file.sha256, file.blake3), source, stopping=stopping)
            if not copying.has_uploaded():
                return None
        sums = place.sums(file.name, algorithms=ALGORITHMS, stopping=stopping)
        if _is(file, sums):
            copying.accept(sums)
            return None
        # A place gives a name to the right bytes only: these were ours and have turned bad already.
        return copying.refuse(sums, place.set_aside(file.name, sha256=sums.sha256))

    def _found_there(self, copying: Copying, place: Place, stopping: Stopping) -> ArmariumError | None:
        """Without a source: perhaps an attempt that was killed had come so far that it is there."""
        file = copying.file
        try:
            sums = place.sums(file.name, algorithms=ALGORITHMS, stopping=stopping)
        except Missing:
            return copying.fail(_no_source(file))
        if not _is(file, sums):
            return copying.refuse(sums)  # and leave it: nobody knows whose it is
        if copying.has_uploaded():
            copying.accept(sums)
        return None

    def _note_away(self, replica: Replica, away: Away) -> None:
        if not isinstance(away, NoRoom):  # one without room is there, and can be read
            self._replicas.note_away(replica, away.message)

    def _tell(self, file: File, troubles: Sequence[ArmariumError]) -> None:
        """Call a person where waiting does not help. Replicas that are away have their own notification."""
        grave = [
            trouble for trouble in troubles if not isinstance(trouble, Away) or isinstance(trouble, NoRoom)
        ]
        if self._notifier is None or not grave:
            return
        full = isinstance(grave[0], NoRoom)
        about = Notification(
            Severity.ERROR,
            message("%(name)s cannot be stored", name=file.name),
            message("It is retried regularly. %(why)s", why=str(grave[0])),
            key="storage-no-room" if full else f"storage-file:{file.id}",
        )
        with self._database.transaction() as connection:
            self._notifier.notify(connection, about)

    # All copies

    def _settle(self, number: int) -> FileState:
        """Call the file stored if every active replica has accepted it, and let the next room know."""
        with self._database.transaction() as connection:
            share_replicas(connection)
            file = queries.one(connection, number, lock=True)
            assert file is not None, "files are never deleted"
            if file.stored_at is not None:
                return file.state
            lacking = queries.lacking(connection, number)
            if lacking or not self._has_bytes(connection, number):
                queries.change(connection, number, trouble=_waits_for(lacking))
                announce(connection, TOPIC)
                return file.state
            withdrawn = file.state is FileState.WITHDRAWN
            state = FileState.WITHDRAWN if withdrawn else FileState.STORED
            queries.change(connection, number, state=state.value, stored_at=clock.now(), trouble="")
            note(connection, EventKind.STORED, file=number)
            self._hand_over(connection, number, withdrawn)
            announce(connection, TOPIC)
        return state

    def _hand_over(self, connection: Connection, number: int, withdrawn: bool) -> None:
        stored = queries.one(connection, number)
        assert stored is not None
        self._successor.stored(connection, as_stored(stored))
        if withdrawn:  # somebody was quicker than the replicas: the next room learns of both, in order
            self._successor.withdrawn(connection, as_stored(stored))

    def _has_bytes(self, connection: Connection, number: int) -> bool:
        """Whether not only witnesses have accepted it."""
        return any(
            copy.state is CopyState.ACCEPTED and holds_bytes(copy.replica)
            for copy in queries.copies(connection, number)
        )


def _is(file: File, sums: Sums) -> bool:
    return (sums.size, sums.sha256) == (file.size, file.sha256)


def _no_source(file: File) -> NoSource:
    return NoSource(
        message(
            "%(name)s is not (or no longer) at %(source)s on this machine, and no replica has it "
            "yet. Look for it at its source; workers must see the same folders as the web server.",
            name=file.name,
            source=file.source or "-",
        )
    )


def _waits_for(lacking: Sequence[str]) -> str:
    if not lacking:
        return "No replica that keeps bytes is active."
    return "Waits for " + ", ".join(lacking)
