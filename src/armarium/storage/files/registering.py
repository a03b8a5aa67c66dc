"""Noting a file in the register: once, whoever brings it how often; and what is lost before it is stored."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import ArmariumError, Refused
from armarium.core.message import message
from armarium.core.storing import SealedFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage.backends.place import Altered, hashed_path
from armarium.storage.files import queries
from armarium.storage.files.labels import LOST
from armarium.storage.files.model import Successor
from armarium.storage.history import EventKind, note
from armarium.storage.model import File, FileKind, FileState, Origin
from armarium.storage.replicas.queries import share_replicas
from armarium.storage.settings import ARRIVALS
from armarium.tasks.service import Tasks

TOPIC = "files"
_PATIENCE = timedelta(minutes=10)  # an import stores by itself; the task is for one that was killed


class OtherContent(Refused):
    """The name is taken by another file. Nothing was changed."""


class Registering:
    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._database = database
        self._tasks = tasks

    def register(
        self,
        connection: Connection,
        sealed: SealedFile,
        *,
        origin: Origin,
        accession: int | None,
        original_job: str,
        details: Mapping[str, object],
    ) -> File:
        hashed_path(sealed.name)  # refuses what is no name
        share_replicas(connection)
        now = clock.now()
        values = {**_values(sealed), "origin": origin.value, "accession": accession}
        also = {"original_job": original_job, "registered_at": now, "state": FileState.STORING.value}
        number = queries.add(connection, {**values, **also})
        if number is None:
            return self._again(connection, sealed)
        queries.await_everywhere(connection, number, now)
        defer_store(self._tasks, connection, number, at=now + _PATIENCE if origin is Origin.IMPORT else None)
        note(connection, EventKind.REGISTERED, file=number, details={"origin": origin.value, **details})
        announce(connection, TOPIC)
        return _one(connection, number)

    def _again(self, connection: Connection, sealed: SealedFile) -> File:
        file = queries.named(connection, sealed.name)
        assert file is not None, "files are never deleted"
        if (file.size, file.sha256) != (sealed.size, sealed.sha256):
            self._refuse(file, sealed)
        if file.stored_at is None:
            defer_store(self._tasks, connection, file.id)  # perhaps it was lost on the way, and is well now
        lost = file.state is FileState.LOST
        gone = file.stored_at is None and (lost or not Path(file.source).is_file())
        if gone and sealed.path.is_file():
            values = _values(sealed)
            new = {name: values[name] for name in ("source", "companion", "companion_sha256")}
            state = FileState.STORING if lost else file.state
            queries.change(connection, file.id, state=state.value, **new)
            return _one(connection, file.id)
        return file

    def _refuse(self, file: File, sealed: SealedFile) -> None:
        """The caller's transaction is lost with the error: the event is written in one of its own."""
        details = {"size": sealed.size, "sha256": sealed.sha256, "source": str(sealed.path)}
        with self._database.transaction() as own:
            known = file.id if queries.is_visible(own, file.id) else None
            note(own, EventKind.REFUSED, file=known, details={"name": file.name, **details})
        raise OtherContent(
            message(
                "There is another file named %(name)s in the archive (%(size)s bytes, SHA-256 %(sum)s…). The "
                "new one (%(other)s bytes, SHA-256 %(other_sum)s…) was not taken; it stays where it is. Find "
                "out which one is meant, and give the new one another name if both are.",
                name=file.name,
                size=file.size,
                sum=file.sha256[:16],
                other=sealed.size,
                other_sum=sealed.sha256[:16],
            ),
            field="name",
        )


def _values(sealed: SealedFile) -> dict[str, object]:
    return {
        "name": sealed.name,
        "kind": FileKind(sealed.kind).value,
        "size": sealed.size,
        "sha256": sealed.sha256,
        "job": sealed.job,
        "harvest": sealed.harvest,
        "source": str(sealed.path),
        "companion": str(sealed.companion) if sealed.companion else "",
        "companion_sha256": sealed.companion_sha256 if sealed.companion else "",
    }


def _one(connection: Connection, number: int) -> File:
    found = queries.one(connection, number)
    assert found is not None, "it was just written"
    return found


STORE = "storage.store"


def defer_store(
    tasks: Tasks, connection: Connection, number: int, priority: int = 0, at: datetime | None = None
) -> bool:
    """False if such a task waits already."""
    deferred = tasks.defer(
        connection,
        STORE,
        {"file": number},
        lock=f"file:{number}",
        queueing_lock=f"{STORE}:{number}",
        priority=priority,
        schedule_at=at,
    )
    return deferred is not None


class Losses:
    """Files that were altered or went away where they had arrived, before any replica had them."""

    def __init__(
        self, database: Database, home: Path, successor: Successor, notifier: Notifier | None
    ) -> None:
        self._database = database
        self._home = home
        self._successor = successor
        self._notifier = notifier

    def note(self, file: File, troubles: Sequence[ArmariumError]) -> None:
        """Ask whoever sent it for it. If nobody will send it again, and what lies there is not the file, it
        is lost. One that is not there at all may come back with its disk, and is looked for on and on."""
        if not (self._home / ARRIVALS).is_dir():
            return  # it arrived on another machine, whose workers see it
        altered = any(isinstance(one, Altered) for one in troubles)
        with self._database.transaction() as connection:
            wanted = self._successor.source_lost(connection, file.name, file.sha256)
            if altered and not wanted:
                self._give_up(connection, file)

    def _give_up(self, connection: Connection, file: File) -> None:
        held = queries.one(connection, file.id, lock=True)
        if held is None or held.state is not FileState.STORING:
            return
        queries.change(connection, file.id, state=FileState.LOST.value, trouble="")
        self._successor.lost(connection, file.name, file.sha256)
        note(connection, EventKind.LOST, file=file.id, details={"source": file.source})
        announce(connection, TOPIC)
        if self._notifier is not None:
            title = message("%(name)s was lost before it was stored", name=file.name)
            self._notifier.notify(
                connection, Notification(Severity.ERROR, title, LOST, key=f"storage-lost:{file.id}")
            )
