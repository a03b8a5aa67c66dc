"""The tasks of batches."""

from armarium.storage.batches.service import RUN, Batches
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind


def run_part(context: TaskContext, batch: int, part: int) -> None:
    """Run a function over a part of the chosen files."""
    context.service(Batches).run_part(batch, part, context.stopping)


def sweep(context: TaskContext) -> None:
    """Go on with batches whose tasks are gone."""
    context.service(Batches).sweep()


TASKS = (
    # Below what keeps the archive going: a batch over everything may run for days.
    TaskKind(RUN, run_part, retry=Retry(attempts=10), priority=-10),
    TaskKind("storage.batches", sweep, retry=NEVER_AGAIN, priority=-5, cron="*/10 * * * *"),
)
