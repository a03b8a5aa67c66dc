"""Periodic tasks between the rooms."""

from typing import TYPE_CHECKING

import structlog

from armarium.core.late import late
from armarium.planning.arrivals.handover import EarlierFiles
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.workflow.join import Clearing
from armarium.workflow.learning import LEARN, Learning

if TYPE_CHECKING:
    from armarium.access.pictures.service import Pictures
    from armarium.workflow.archive_pictures import ArchivePhotographer
else:
    Pictures = late("armarium.access.pictures.service:Pictures")
    ArchivePhotographer = late("armarium.workflow.archive_pictures:ArchivePhotographer")

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


def take_pictures(context: TaskContext) -> None:
    """Take the pictures of archived pages that somebody waits for."""
    pictures = context.service(Pictures)
    wanted = pictures.waiting()
    photographer = context.service(ArchivePhotographer) if wanted else None
    if photographer and photographer.is_there:
        photographer.take(wanted, done=pictures.put, stopping=context.stopping)
        log.info("pictures taken", count=len(wanted))


def tidy_pictures(context: TaskContext) -> None:
    """Forget the oldest pictures where there are too many."""
    if gone := context.service(Pictures).tidy():
        log.info("pictures forgotten", count=gone)


TASKS = (
    TaskKind(LEARN, learn),
    TaskKind("workflow.adopt", adopt, retry=NEVER_AGAIN, priority=-5, cron="*/3 * * * *"),
    TaskKind("workflow.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
    TaskKind("workflow.pictures", take_pictures, retry=NEVER_AGAIN, priority=-10, cron="* * * * *"),
    TaskKind("workflow.tidy_pictures", tidy_pictures, retry=NEVER_AGAIN, priority=-10, cron="17 4 * * *"),
)
