"""Periodic tasks that look after the house itself."""

from datetime import timedelta

import structlog

from armarium.accounts.service import Accounts
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.processes.model import Process
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


def watch(context: TaskContext) -> None:
    """Tell the operators of processes that fell silent."""
    for process in context.service(Processes).newly_silent():
        with context.service(Database).transaction() as connection:
            context.service(Notifier).notify(connection, silence_of(process))


def silence_of(process: Process) -> Notification:
    return Notification(
        severity=Severity.ERROR,
        subject=message(
            "Process %(name)s on %(machine)s is silent", name=process.name, machine=process.machine
        ),
        text=message(
            "The process %(name)s (pid %(pid)s) on %(machine)s was last heard of at %(moment)s UTC. "
            "Look at its log, and restart it there if it does not come back by itself.",
            name=process.name,
            pid=process.pid,
            machine=process.machine,
            moment=process.heartbeat.strftime("%Y-%m-%d %H:%M:%S"),
        ),
        key=f"silent {process.machine} {process.name}",
    )


TASKS = (
    TaskKind("administration.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
    TaskKind("administration.watch", watch, retry=NEVER_AGAIN, priority=5, cron="* * * * *"),
)
