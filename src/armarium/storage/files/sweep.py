"""Going on with what was interrupted, and clearing away what is safely stored."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.backends.place import Away
from armarium.storage.files import queries
from armarium.storage.files.events import note
from armarium.storage.files.model import EventKind
from armarium.storage.files.storing import STORE
from armarium.storage.folders import ARRIVALS, FETCHED, is_within
from armarium.storage.model import CopyState, File, Origin
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.service import Replicas
from armarium.tasks.service import Tasks

AT_ONCE = 200  # files that wait for a worker by our order; those of a new replica come after each other
LOOKED_AT = 1000  # more than may be under way, so that those behind them are seen
BEHIND = -1  # priority: files that have just come are stored first
CLEANED_AT_ONCE = 100
LEFT_BEHIND = timedelta(days=2)  # longer than any file is on its way

log = structlog.get_logger(__name__)


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
