"""The tasks of this room."""

from collections.abc import Mapping
from datetime import timedelta

import structlog

from armarium.core import clock
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.notify import letters, tables
from armarium.notify.letters import Letters
from armarium.notify.model import Notification, Severity
from armarium.notify.service import SEND, Notifications, Notifier
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskFailed
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

FAILED_TASKS = "tasks.failed"
LOOK_BACK = timedelta(days=1)


def send(context: TaskContext, notification: int, channel: str) -> None:
    """Carry one notification through one channel."""
    notifications = context.service(Notifications)
    if channel not in notifications.channels:
        raise TaskFailed(
            message(
                "This worker has no notification channel named %(name)s. "
                "Give it the same settings (notify.channels) as the process that notified, "
                "then retry the task.",
                name=channel,
            ),
            permanent=True,
        )
    try:
        sent = notifications.get(notification)
    except NotFound as error:
        raise TaskFailed(error.message, permanent=True) from error
    notifications.channels[channel].send(sent)


def forget(context: TaskContext) -> None:
    """Remove old notifications and letters."""
    forgotten = context.service(Notifications).forget_old()
    context.service(Letters).forget_old()
    if forgotten:
        log.info("old notifications removed", notifications=forgotten)


def report_failed_tasks(context: TaskContext) -> None:
    """Tell the operators that tasks have failed for good since they were last told."""
    database, tasks = context.service(Notifications).database, context.service(Tasks)
    notifier = context.service(Notifier)
    with database.transaction() as connection:
        if notifier.is_quiet(connection, FAILED_TASKS):
            return  # whatever failed since then is told afterwards
        since = tables.last_sent(connection, FAILED_TASKS) or clock.now() - LOOK_BACK
        # Not those that should have carried a notification: who could tell about them?
        failed = tasks.failed_since(connection, since, besides=SEND)
        if failed:
            notifier.notify(connection, _about(failed))


def _about(failed: Mapping[str, int]) -> Notification:
    names = ", ".join(f"{name} ({count})" for name, count in sorted(failed.items()))
    return Notification(
        severity=Severity.ERROR,
        subject=message("Tasks have failed: %(count)s", count=sum(failed.values())),
        text=message(
            "These tasks have failed and will not be tried again by themselves: %(names)s.\n\n"
            "The page of tasks shows why. Remove the cause, then retry them there.",
            names=names,
        ),
        key=FAILED_TASKS,
    )


TASKS = (
    *letters.TASKS,
    # A mail server may be away for a night: ten attempts reach over four hours and more.
    TaskKind(SEND, send, retry=Retry(attempts=10), priority=5),
    TaskKind("notify.failed-tasks", report_failed_tasks, retry=NEVER_AGAIN, cron="*/5 * * * *"),
    TaskKind("notify.forget", forget, retry=NEVER_AGAIN, priority=-5, cron="17 3 * * *"),
)


def notification_kinds() -> TaskKinds:
    """For a process that defers nothing else."""
    return TaskKinds(TASKS)
