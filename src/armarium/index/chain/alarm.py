"""Runs that could not be read: whoever meets one rings, and a worker looks at it."""

import time
from threading import Lock

import structlog

from armarium.db.database import Database
from armarium.index.runs import BadRun
from armarium.tasks.service import Tasks

EXAMINE = "index.examine"  # the kind of task declared in tasks.py
QUIET = 5.0  # seconds: a hundred readers meet the same run at once

log = structlog.get_logger(__name__)


class Alarm:
    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._database = database
        self._tasks = tasks
        self._rung: dict[str, float] = {}
        self._lock = Lock()

    def ring(self, bad: BadRun) -> None:
        """The run is not judged here: it may only have been merged in this moment."""
        now = time.monotonic()
        with self._lock:
            if now - self._rung.get(bad.run, -QUIET) < QUIET:
                return
            self._rung = {run: at for run, at in self._rung.items() if now - at < QUIET} | {bad.run: now}
        log.warning("run of the index could not be read", run=bad.run, reason=str(bad))
        with self._database.transaction() as connection:
            key = f"{EXAMINE}:{bad.run}"
            # One at a time: reading a long run takes minutes, and readers ring on.
            self._tasks.defer(connection, EXAMINE, {"run": bad.run}, lock=key, queueing_lock=key)
