"""The periodic task that looks into watched folders."""

import structlog

from armarium.storage.intake.service import Intake
from armarium.storage.intake.watching import Watching
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)

WATCH = "storage.watch"


def watch(context: TaskContext) -> None:
    """Take what is new in watched folders, note what is stored meanwhile, and clear away what is over."""
    taken = context.service(Watching).take(context.stopping)
    context.service(Intake).clear()
    if taken:
        log.info("files of watched folders met", count=taken)


TASKS = (TaskKind(WATCH, watch, retry=NEVER_AGAIN, cron="* * * * *"),)
