"""The tasks of harvests."""

from armarium.planning.generation.service import StuckRuns
from armarium.planning.harvests.due import DueRuns
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind


def due(context: TaskContext) -> None:
    """Begin the runs of harvests that are due, and see to those that nobody makes jobs for any more."""
    context.service(DueRuns).begin()
    context.service(StuckRuns).free()


TASKS = (
    # Not tried again after a failure: the next minute does.
    TaskKind("planning.due", due, retry=NEVER_AGAIN, priority=10, cron="* * * * *"),
)
