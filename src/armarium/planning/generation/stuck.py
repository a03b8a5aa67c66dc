"""Runs that nobody makes jobs for any more: their task was cancelled, or was given up, or is gone."""

from datetime import datetime, timedelta

import structlog

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.planning.generation import queries
from armarium.planning.generation.service import Generator
from armarium.planning.harvests.service import GENERATE
from armarium.tasks.model import TaskState
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

PATIENCE = timedelta(minutes=1)  # a task that is being retried by hand is given this long
CANCELLED: Message = message(
    "The task that made its jobs was cancelled. Jobs that it had planned were cancelled as well."
)
GIVEN_UP: Message = message(
    "The task that made its jobs was given up: it failed, or the workers that ran it were lost, too often. "
    "The page of tasks says why."
)
ENDS = {TaskState.CANCELLED: CANCELLED, TaskState.FAILED: GIVEN_UP}


class StuckRuns:
    """Sees to it that no run says for ever that its jobs are being made."""

    def __init__(self, database: Database, tasks: Tasks, generator: Generator) -> None:
        self._database = database
        self._tasks = tasks
        self._generator = generator

    def free(self, now: datetime | None = None) -> int:
        """End runs whose task has ended without them; begin the task of others anew. How many there were."""
        moment = now or clock.now()
        with self._database.transaction() as connection:
            waiting = queries.runs_being_made(connection, moment - PATIENCE)
            states = self._tasks.states_by_argument(connection, GENERATE, "run", waiting) if waiting else {}
            lost = [run for run in waiting if states.get(run) in (None, TaskState.FINISHED)]
            for run in lost:
                self._tasks.defer(connection, GENERATE, {"run": run}, queueing_lock=f"{GENERATE}-{run}")
        ended = [(run, ENDS[states[run]]) for run in waiting if states.get(run) in ENDS]
        for run, reason in ended:
            self._generator.fail(run, str(reason))
        if lost or ended:
            log.warning("runs without a task", begun_anew=lost, ended=[run for run, _ in ended])
        return len(lost) + len(ended)
