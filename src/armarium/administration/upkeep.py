"""Periodic tasks that look after the house itself."""

from datetime import timedelta

import structlog

from armarium.accounts.service import Accounts
from armarium.administration.room import look_at_disks
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


TASKS = (
    TaskKind("administration.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
    TaskKind("administration.disks", look_at_disks, retry=NEVER_AGAIN, priority=5, cron="*/10 * * * *"),
)
