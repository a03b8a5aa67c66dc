"""The tasks of notifications and letters."""

from collections.abc import Mapping
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify import tables
from armarium.notify.mail import MAIL, Post, body, one_line
from armarium.notify.model import Letter, Notification, Severity
from armarium.notify.service import SEND, Notifications, Notifier
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskFailed
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

# --- Letters: mail to one person, written in the transaction of what it speaks of, carried by a task.


CARRY = "notify.letter"


class Letters:
    def __init__(self, database: Database, tasks: Tasks, notify: NotifySettings, mail: MailSettings) -> None:
        self._database = database
        self._tasks = tasks
        self._notify = notify
        self._mail = mail

    @property
    def are_sent(self) -> bool:
        """Whether a mail server was named; without one no letter is written."""
        return MAIL.name in self._notify.channels

    def write(self, connection: Connection, letter: Letter) -> bool:
        """Send it once the caller's transaction is committed; False: nobody set up a mail server."""
        if not self.are_sent:
            return False
        number = tables.insert_letter(connection, letter)
        self._tasks.defer(connection, CARRY, {"letter": number})
        return True

    def carry(self, number: int) -> None:
        """Hand it to the mail server, unless that was done already."""
        with self._database.transaction() as connection:
            found = tables.letter_to_send(connection, number)
        if found is None:
            raise TaskFailed(
                message("There is no letter %(number)s any more.", number=number), permanent=True
            )
        letter, written_at, is_sent = found
        if is_sent:
            return
        sender = Address(display_name="Armarium", addr_spec=self._mail.sender)
        posted = EmailMessage(policy=SMTP)
        posted["From"] = sender
        posted["To"] = Address(addr_spec=letter.recipient)
        posted["Subject"] = one_line(letter.subject)
        posted["Date"] = format_datetime(written_at)
        # The same at every attempt, so that a server that took the first one can drop the second.
        posted["Message-ID"] = f"<armarium.letter.{number}.{int(written_at.timestamp())}@{sender.domain}>"
        posted["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers, please
        posted["Content-Language"] = letter.language
        posted.set_content(body(letter.text), charset="utf-8", cte="quoted-printable")
        Post(self._mail).deliver(posted, [letter.recipient])
        with self._database.transaction() as connection:
            tables.letter_was_sent(connection, number)

    def forget_old(self) -> int:
        with self._database.transaction() as connection:
            return tables.forget_letters(connection, self._notify.keep_days)


def carry(context: TaskContext, letter: int) -> None:
    """Carry one letter to the mail server."""
    context.service(Letters).carry(letter)


# --- Notifications.


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
    database, tasks = context.service(Database), context.service(Tasks)
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
            "These tasks have failed and will not be retried automatically: %(names)s.\n\nThe page "
            "Tasks shows why. Fix the cause, then retry them there.",
            names=names,
        ),
        key=FAILED_TASKS,
    )


TASKS = (
    # A mail server may be away for a night: ten attempts reach over four hours and more.
    TaskKind(CARRY, carry, retry=Retry(attempts=10), priority=3),
    TaskKind(SEND, send, retry=Retry(attempts=10), priority=5),
    TaskKind("notify.failed-tasks", report_failed_tasks, retry=NEVER_AGAIN, cron="*/5 * * * *"),
    TaskKind("notify.forget", forget, retry=NEVER_AGAIN, priority=-5, cron="17 3 * * *"),
)


def notification_kinds() -> TaskKinds:
    """For a process that defers nothing else."""
    return TaskKinds(TASKS)
