"""The tasks of harvests."""

from armarium.planning.harvests.due import DueRuns
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind


def due(context: TaskContext) -> None:
    """Begin the runs of harvests that are due."""
    context.service(DueRuns).begin()


TASKS = (
    # Not tried again after a failure: the next minute does.
    TaskKind("planning.due", due, retry=NEVER_AGAIN, priority=10, cron="* * * * *"),
)
