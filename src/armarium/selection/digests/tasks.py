"""The tasks of digests."""

import structlog

from armarium.selection.digests.service import Digests
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


def write(context: TaskContext) -> None:
    """Write the digests that are due."""
    if written := context.service(Digests).write_due():
        log.info("digests written", digests=written)


TASKS = (TaskKind("selection.digests", write, retry=NEVER_AGAIN, cron="13 5 * * *"),)
