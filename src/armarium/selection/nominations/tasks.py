"""The tasks of nominations."""

from armarium.selection.nominations.service import Nominations
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind


def forget(context: TaskContext) -> None:
    """Remove what is no longer needed about those who nominated."""
    context.service(Nominations).forget()


TASKS = (TaskKind("selection.forget-nominators", forget, retry=NEVER_AGAIN, priority=-5, cron="41 3 * * *"),)
