"""Noting a file in the register: once, whoever brings it how often."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.storing import SealedFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.storage.backends.place import hashed_path
from armarium.storage.files import queries
from armarium.storage.files.events import note
from armarium.storage.files.model import EventKind
from armarium.storage.files.sweep import defer_store
from armarium.storage.model import File, FileKind, FileState, Origin
from armarium.storage.replicas.queries import share_replicas
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
