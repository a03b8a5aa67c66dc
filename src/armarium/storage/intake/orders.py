"""What people may ask of the worker that watches folders."""

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.db.database import Database
from armarium.storage.intake.tasks import WATCH
from armarium.tasks.service import Tasks


class WatchOrders:
    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._database = database
        self._tasks = tasks

    def look(self, actor: Actor) -> bool:
        """Look into the watched folders now; False if a worker is about to."""
        with self._database.transaction() as connection:
            # The locks of the periodic task itself: it never runs beside itself.
            task = self._tasks.defer(connection, WATCH, {}, lock=WATCH, queueing_lock=WATCH)
            record(connection, actor, "accession.looked", Subject("accession", "", ""))
        return task is not None
