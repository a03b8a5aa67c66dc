"""Going on with what was interrupted, clearing away what is stored, telling replicas what is withdrawn."""

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.backends.place import Away, NoRoom
from armarium.storage.files import queries
from armarium.storage.files.registering import STORE, defer_store
from armarium.storage.history import EventKind, note
from armarium.storage.model import CopyState, File, FileState, Origin
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.queries import OwedNote, owe_notes, owed_notes, settle_note
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import ARRIVALS, FETCHED, is_within
from armarium.tasks.service import Tasks

AT_ONCE = 200  # files that wait for a worker by our order; those of a new replica come after each other
LOOKED_AT = 1000  # more than may be under way, so that those behind them are seen
BEHIND = -1  # priority: files that have just come are stored first
CLEANED_AT_ONCE = 100
LEFT_BEHIND = timedelta(days=2)  # longer than any file is on its way

log = structlog.get_logger(__name__)


class Sweep:
    def __init__(self, database: Database, replicas: Replicas, tasks: Tasks) -> None:
        self._database = database
        self._replicas = replicas
        self._tasks = tasks

    def go_on(self) -> int:
        """Defer what is unfinished and has no task; what waits for a replica that is away waits for it."""
        self._replicas.watch()
        self._replicas.fill()
        with self._database.transaction() as connection:
            found = queries.unsettled(connection, LOOKED_AT) + queries.unfinished(connection, LOOKED_AT)
            wanted = list(dict.fromkeys(found))
            alive = self._tasks.alive_by_argument(connection, STORE, "file", wanted)
            idle = [number for number in wanted if number not in alive]
            room = AT_ONCE - (len(wanted) - len(idle))
            chosen = idle[: max(room, 0)]
            return sum(defer_store(self._tasks, connection, number, BEHIND) for number in chosen)

    def clean(self) -> int:
        """Delete sources and companions that nobody needs; how many files had one."""
        cleaned = after = 0
        while batch := self._to_clean(after):
            after = batch[-1].id
            cleaned += sum(self._clean(file) for file in batch)
        return cleaned

    def clear(self) -> int:
        """Remove what interrupted transfers left behind: temporary objects, never a copy."""
        before = clock.now() - LEFT_BEHIND
        removed = 0
        for replica in self._replicas.active():
            try:
                removed += self._replicas.place(replica).sweep(before)
            except Away as away:
                self._replicas.note_away(replica, away.message)
        for folder in (self._replicas.home / FETCHED).glob("*"):
            if folder.stat().st_mtime < before.timestamp():
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
        return removed

    def _to_clean(self, after: int) -> list[File]:
        with self._database.transaction() as connection:
            return queries.to_clean(connection, after, CLEANED_AT_ONCE)

    def _clean(self, file: File) -> bool:
        if not self._is_safe(file):
            return False
        ours = (file.source, file.companion) if file.origin is Origin.COLLECTOR else ()
        deleted = [path for path in ours if path and self._delete(Path(path))]
        with self._database.transaction() as connection:
            held = queries.one(connection, file.id, lock=True)
            if held is None or (held.source, held.companion) != (file.source, file.companion):
                return False
            queries.change(connection, file.id, source="", companion="")
            if deleted:
                note(connection, EventKind.CLEANED, file=file.id, details={"paths": deleted})
        return bool(deleted)

    def _is_safe(self, file: File) -> bool:
        """Whether every active replica has accepted it at this moment, and one of them keeps bytes."""
        with self._database.transaction() as connection:
            if queries.lacking(connection, file.id):
                return False
            return any(
                copy.state is CopyState.ACCEPTED and holds_bytes(copy.replica)
                for copy in queries.copies(connection, file.id)
            )

    def _delete(self, path: Path) -> bool:
        """Only below the folder of arrivals, which is ours; whatever was imported belongs to others."""
        arrivals = (self._replicas.home / ARRIVALS).resolve()
        if path.is_symlink() or not is_within(path, [arrivals]) or path.is_dir():
            return False
        # It may be gone: by one who was killed before that was written down, or by one who does so now.
        path.unlink(missing_ok=True)
        return True


NOTES_AT_ONCE = 500


def owe(connection: Connection, file: int) -> None:
    """Every replica in use is to be told how the file stands; in the transaction in which that changes."""
    owe_notes(connection, file)


class Withdrawals:
    """Notes on withdrawn files in the replicas: whoever rebuilds the register from them must know of them."""

    def __init__(self, database: Database, replicas: Replicas) -> None:
        self._database = database
        self._replicas = replicas

    def write(self, file: int | None = None) -> int:
        """Tell the replicas that answer what they are owed; of one file, or of all. How many were told."""
        with self._database.transaction() as connection:
            owed = owed_notes(connection, file, NOTES_AT_ONCE)
        away: set[int] = set()
        return sum(self._write(one, away) for one in owed)

    def _write(self, one: OwedNote, away: set[int]) -> bool:
        if one.replica in away:
            return False
        replica = self._replicas.get(one.replica)
        try:
            self._tell(one)
        except Away as trouble:  # the sweep comes again
            away.add(one.replica)
            log.warning("withdrawal not noted", file=one.name, replica=replica.name, reason=str(trouble))
            if not isinstance(trouble, NoRoom):
                self._replicas.note_away(replica, trouble.message)
            return False
        with self._database.transaction() as connection:
            settle_note(connection, one)
        return True

    def _tell(self, one: OwedNote) -> None:
        place = self._replicas.place(self._replicas.get(one.replica))
        with self._database.transaction() as connection:
            details = queries.details(connection, one.file)
        assert details is not None, "files are never deleted"
        if details.file.state is not FileState.WITHDRAWN:
            place.forget_withdrawal(one.name)
            return
        at = details.withdrawn_at or clock.now()
        told = {"name": one.name, "at": at.isoformat(), "reason": details.withdrawn_reason}
        place.note_withdrawal(one.name, json.dumps(told).encode())


def reason_in(note: bytes) -> str:
    """Why a file was withdrawn. A note that cannot be read still says that it was."""
    try:
        told: Any = json.loads(note)
        return str(told["reason"])
    except (ValueError, KeyError, TypeError):
        return "The note in the replica cannot be read."
