"""Periodic tasks that look after the house itself."""

from datetime import timedelta

import structlog

from armarium.accounts.directory.accounts import DirectoryAccounts
from armarium.accounts.service import Accounts
from armarium.administration.disks import look_at_disks
from armarium.core.errors import Unavailable
from armarium.processes.service import Processes
from armarium.processes.settings import ProcessSettings
from armarium.settings import Settings
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


def clear(context: TaskContext) -> None:
    """Clear away expired sessions, links and sign-in failures, and processes that ended long ago."""
    cleared = context.service(Accounts).forget_expired()
    days = context.service(Settings)[ProcessSettings].keep_days
    forgotten = context.service(Processes).forget(timedelta(days=days))
    log.info("expired things cleared away", access=cleared, processes=forgotten)


def review(context: TaskContext) -> None:
    """Let those go whom the directory no longer has."""
    try:
        gone = context.service(DirectoryAccounts).review()
    except Unavailable as away:  # whoever signs in is told; in an hour it is asked again
        log.warning("directory cannot be asked about those who are signed in", reason=str(away))
        return
    log.info("directory asked about those who are signed in", gone=[account.name for account in gone])


TASKS = (
    TaskKind("administration.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
    TaskKind("administration.directory", review, retry=NEVER_AGAIN, cron="41 * * * *"),
    TaskKind("administration.disks", look_at_disks, retry=NEVER_AGAIN, priority=5, cron="*/10 * * * *"),
)
