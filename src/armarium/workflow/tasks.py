"""Periodic tasks between the rooms."""

import structlog

from armarium.planning.arrivals.handover import EarlierFiles
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.workflow.join import Clearing
from armarium.workflow.learning import LEARN, Learning

log = structlog.get_logger(__name__)


def adopt(context: TaskContext) -> None:
    """Hand over to the archive what arrived before there was one."""
    if adopted := context.service(EarlierFiles).some():
        log.info("earlier files handed over to the archive", count=adopted)


def clear(context: TaskContext) -> None:
    """Delete files from collectors that the archive has otherwise, and indexes that nobody needs."""
    if cleared := context.service(Clearing).clear():
        log.info("files among the arrivals cleared away", count=cleared)


def learn(context: TaskContext, job: int) -> None:
    """Tell the records of selection what a job brought."""
    context.service(Learning).learn(job)


TASKS = (
    TaskKind(LEARN, learn),
    TaskKind("workflow.adopt", adopt, retry=NEVER_AGAIN, priority=-5, cron="*/3 * * * *"),
    TaskKind("workflow.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
)
