"""The verbs of files: register, store, withdraw, restore, look."""

from collections.abc import Callable, Iterator, Mapping

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import Message, message
from armarium.core.storing import Places, SealedFile, StoredFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.notify.service import Notifier
from armarium.storage import history
from armarium.storage.figures import KeptFigures
from armarium.storage.files import queries
from armarium.storage.files.catalogue import FILES, figures_of_files
from armarium.storage.files.copies import Copies
from armarium.storage.files.model import Details, as_stored
from armarium.storage.files.model import Successor as Successor
from armarium.storage.files.registering import STORE, Registering, defer_store
from armarium.storage.files.registering import OtherContent as OtherContent
from armarium.storage.files.storing import ReplicaAwaited, Storing
from armarium.storage.files.sweep import Sweep, Withdrawals, owe
from armarium.storage.history import Event, EventKind, note
from armarium.storage.model import File, FileState, Origin, Replica
from armarium.storage.replicas.growth import GROWTH, figures_of_growth
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.queries import any_file
from armarium.storage.replicas.service import REPLICAS, Replicas, figures_of_replicas
from armarium.tasks.context import TaskContext, never
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.tasks.service import Tasks

TOPIC = "files"
NAMES_AT_ONCE = 1000


def subject(file: File) -> Subject:
    return Subject("file", file.id, file.name)


class Files:
    def __init__(
        self,
        database: Database,
        replicas: Replicas,
        tasks: Tasks,
        notifier: Notifier | None,
        successor: Successor,
    ) -> None:
        self.copies = Copies(database, replicas, tasks)
        self._database = database
        self._replicas = replicas
        self._tasks = tasks
        self._successor = successor
        self._registering = Registering(database, tasks)
        self._storing = Storing(database, replicas, self.copies, notifier, successor)
        self._sweep = Sweep(database, replicas, tasks)
        self._withdrawals = Withdrawals(database, replicas)

    # Taking in

    def register(
        self,
        connection: Connection,
        sealed: SealedFile,
        *,
        origin: Origin,
        accession: int | None = None,
        original_job: str = "",
        details: Mapping[str, object] | None = None,
    ) -> File:
        """Note a file in the caller's transaction, and let a worker store it afterwards.

        `details` are told of how it was registered. The same file again is the row that is there. Another
        file of the same name raises `OtherContent`.
        """
        return self._registering.register(
            connection,
            sealed,
            origin=origin,
            accession=accession,
            original_job=original_job,
            details=details or {},
        )

    def refuse_lost(self) -> None:
        """Take nothing in beside replicas of an archive whose database was lost: a register that holds a
        file can never become theirs."""
        with self._database.transaction() as connection:
            if any_file(connection):
                return
        foreign = self._replicas.foreign()
        if foreign is not None:
            raise Refused(
                message(
                    "Nothing can be imported: the register is empty, but a replica belongs to another "
                    "archive. %(why)s",
                    why=foreign,
                )
            )

    def store(self, number: int, stopping: Callable[[], bool] = never) -> FileState:
        """Put it into every active replica, read it back, and call it stored when all agree.

        May be killed anywhere and called again. Raises `TaskFailed` if some replica has not got it yet.
        """
        return self._storing.store(self.get(number), stopping)

    def sweep(self) -> int:
        """Go on with what was interrupted, or waited for a replica; how many files were deferred."""
        deferred = self._sweep.go_on()
        self._withdrawals.write()
        return deferred

    def clean(self) -> int:
        """Delete what lies in the folder of arrivals, is stored, and is not needed by the index."""
        self._sweep.clear()
        return self._sweep.clean()

    def taken_over(self, connection: Connection, number: int) -> None:
        """The index is done with source and companion."""
        queries.change(connection, number, taken_over_at=clock.now())

    # Giving out, or no more

    def withdraw(self, actor: Actor, number: int, reason: str) -> File:
        """Give it out no more, and take it out of the index. The copies stay."""
        _check_reason(reason)
        with self._database.transaction() as connection:
            before = _existing(connection, number, lock=True)
            if before.state is FileState.WITHDRAWN:
                return before
            values = {"withdrawn_at": clock.now(), "withdrawn_reason": reason}
            queries.change(connection, number, state=FileState.WITHDRAWN.value, **values)
            after = self._noted(connection, actor, before, EventKind.WITHDRAWN, reason)
            owe(connection, number)
            if after.stored_at is not None:
                self._successor.withdrawn(connection, as_stored(after))
        self._withdrawals.write(number)
        return after

    def restore(self, actor: Actor, number: int, reason: str) -> File:
        _check_reason(reason)
        with self._database.transaction() as connection:
            before = _existing(connection, number, lock=True)
            if before.state is not FileState.WITHDRAWN:
                return before
            stored = before.stored_at is not None
            state = FileState.STORED if stored else FileState.STORING
            queries.change(connection, number, state=state.value, withdrawn_at=None, withdrawn_reason="")
            after = self._noted(connection, actor, before, EventKind.RESTORED, reason)
            owe(connection, number)
            if stored:
                self._successor.restored(connection, as_stored(after))
            else:
                defer_store(self._tasks, connection, number)
        self._withdrawals.write(number)
        return after

    # Looking

    def get(self, number: int) -> File:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    def named(self, name: str) -> File:
        with self._database.transaction() as connection:
            found = queries.named(connection, name)
        return existing(found, message("There is no file named %(name)s in the archive.", name=name))

    def details(self, number: int) -> Details:
        with self._database.transaction() as connection:
            return existing(queries.details(connection, number), _missing(number))

    copies_of = reading(queries.copies)

    def events_of(self, number: int, *, limit: int, offset: int = 0) -> list[Event]:
        """What was done to it, newest first."""
        with self._database.transaction() as connection:
            return history.events(connection, file=number, limit=limit, offset=offset)

    def stored_after(self, number: int, most: int) -> list[StoredFile]:
        """Stored files with higher numbers, in their order; those that are withdrawn are not among them."""
        with self._database.transaction() as connection:
            return [as_stored(file) for file in queries.stored_after(connection, number, most)]

    def places(self, after: str = "") -> Iterator[Places]:
        """Where copies of each stored file lie, in the order of the bytes of the names."""
        address = {replica.id: self._replicas.place(replica).address for replica in self._with_bytes()}
        while True:
            with self._database.transaction() as connection:
                found = queries.names_and_places(connection, after, NAMES_AT_ONCE)
            if not found:
                return
            for name, held in found:
                yield Places(name, tuple(address[one](name) for one in address if one in held))
            after = found[-1][0]

    def _with_bytes(self) -> list[Replica]:
        return [replica for replica in self._replicas.in_use() if holds_bytes(replica)]

    def _noted(
        self, connection: Connection, actor: Actor, before: File, kind: EventKind, reason: str
    ) -> File:
        after = _existing(connection, before.id)
        note(connection, kind, file=before.id, actor=actor.name, details={"reason": reason})
        changed = {"before": {"state": before.state.value}, "after": {"state": after.state.value}}
        changed["after"]["reason"] = reason
        record(connection, actor, f"file.{kind.value}", subject(after), **changed)
        announce(connection, TOPIC)
        return after


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused(message("Enter a reason."), field="reason")


def _existing(connection: Connection, number: int, *, lock: bool = False) -> File:
    return existing(queries.one(connection, number, lock=lock), _missing(number))


def _missing(number: int) -> Message:
    return message("There is no file with the number %(number)s.", number=number)


# Tasks


log = structlog.get_logger(__name__)


def store(context: TaskContext, file: int) -> None:
    """Put a file into every replica. After its attempts the sweep defers it again, for ever.

    Where replicas are away it has nothing to try again: people are told of the replica, once, and not of
    each file; the file's page says which replica it waits for.
    """
    try:
        context.service(Files).store(file, context.stopping)
    except ReplicaAwaited as awaited:
        log.info("file waits for a replica", file=file, reason=str(awaited))


def sweep(context: TaskContext) -> None:
    deferred = context.service(Files).sweep()
    counts = {FILES: figures_of_files, REPLICAS: figures_of_replicas, GROWTH: figures_of_growth}
    KeptFigures(context.service(Database)).refresh(counts)
    if deferred:
        log.info("files deferred again", count=deferred)


def clean(context: TaskContext) -> None:
    cleaned = context.service(Files).clean()
    if cleaned:
        log.info("arrived files cleared away", count=cleaned)


TASKS = (
    TaskKind(STORE, store, priority=5),
    TaskKind("storage.sweep", sweep, retry=NEVER_AGAIN, priority=5, cron="* * * * *"),
    TaskKind("storage.clean", clean, retry=NEVER_AGAIN, priority=-5, cron="*/10 * * * *"),
)
