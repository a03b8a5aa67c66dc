"""What the chain is at, for the pages: each step is a row that is heard of while it runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from armarium.core import clock
from armarium.core.errors import ArmariumError
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.index.chain import run_queries
from armarium.index.chain.model import StepRow
from armarium.tasks.failure import TaskStopped

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
