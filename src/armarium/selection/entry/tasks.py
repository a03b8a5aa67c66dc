"""The tasks of entry: look at what was entered, and forget what came to nothing."""

import structlog

from armarium.selection.entry.ordering import CHECK
from armarium.selection.entry.service import Checks
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


def check(context: TaskContext, batch: int) -> None:
    """Look at each address of a list; what was seen before an interruption is not looked at again."""
    context.service(Checks).run(batch, context.stopping)
    if context.stopping():
        raise TaskStopped


def forget(context: TaskContext) -> None:
    """Remove checks that led to no record."""
    if gone := context.service(Checks).forget():
        log.info("checks of addresses forgotten", count=gone)


TASKS = (
    TaskKind(CHECK, check),
    TaskKind("selection.forget-checks", forget, retry=NEVER_AGAIN, priority=-5, cron="41 3 * * *"),
)
