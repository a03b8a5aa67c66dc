"""What the chain is at, for the pages: each step is a row that is heard of while it runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock

import structlog

from armarium.core import clock
from armarium.core.errors import ArmariumError
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.index.chain import run_queries
from armarium.index.chain.model import StepRow
from armarium.index.runs import BadRun
from armarium.tasks.failure import TaskStopped
from armarium.tasks.service import Tasks

TOPIC = "index"
HEARD_EVERY = 5.0  # seconds
SILENCE = timedelta(minutes=2)  # a step that was not heard of for so long was killed

Progress = Callable[[int], None]


class Steps:
    def __init__(self, database: Database) -> None:
        self.database = database

    @contextmanager
    def step(self, name: str, about: str = "", total: int = 0) -> Iterator[Progress]:
        """Note a step, how far it is and how it ended. Gives a function that hears how much is done."""
        with self.database.transaction() as connection:
            number = run_queries.begin_step(connection, name, about, _quiet_since())
            announce(connection, TOPIC)
        said = time.monotonic()

        def progress(done: int) -> None:
            nonlocal said
            if time.monotonic() - said >= HEARD_EVERY:
                said = time.monotonic()
                with self.database.transaction() as connection:
                    run_queries.note_progress(connection, number, done, total)
                    announce(connection, TOPIC)

        try:
            yield progress
        except TaskStopped:
            self._end(number, "stopped")
            raise
        except (ArmariumError, OSError) as error:
            self._end(number, "failed", str(error))
            raise
        self._end(number, "finished")

    def is_running(self, name: str) -> bool:
        """Whether somebody is at this step, on this machine or another."""
        with self.database.transaction() as connection:
            return run_queries.is_running(connection, name, _quiet_since())

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[StepRow], int]:
        with self.database.transaction() as connection:
            return run_queries.steps(connection, limit, offset)

    def _end(self, number: int, state: str, error: str = "") -> None:
        with self.database.transaction() as connection:
            run_queries.end_step(connection, number, state, error)
            announce(connection, TOPIC)


def _quiet_since() -> datetime:
    return clock.now() - SILENCE


EXAMINE = "index.examine"  # the kind of task declared in tasks.py
QUIET = 5.0  # seconds: a hundred readers meet the same run at once

log = structlog.get_logger(__name__)


class Alarm:
    """Runs that could not be read: whoever meets one rings, and a worker looks at it."""

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
