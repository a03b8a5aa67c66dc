"""Merges that a person asked for."""

from armarium.index.chain.service import Chain
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

MERGE = "index.merge"


def merge_now(context: TaskContext, big: bool) -> None:
    """Put the runs of files into runs of their days, and those into the big one if that is wanted."""
    chain = context.service(Chain)
    chain.merge_days(context.stopping)
    if big:
        chain.merge_big(context.stopping, now=True)


TASKS = (TaskKind(MERGE, merge_now, retry=NEVER_AGAIN, priority=5),)
