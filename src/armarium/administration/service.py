"""What administrators order. Apart from the pages: a worker knows it, and needs none."""

from collections.abc import Iterable

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.tasks.model import Change, Wanted
from armarium.tasks.service import Tasks


class TestSender:
    """Sends a notification on purpose, to see whether and where it arrives."""

    __test__ = False  # not a test of pytest's

    def __init__(self, database: Database, notifier: Notifier) -> None:
        self.database = database
        self.notifier = notifier

    def send(self, actor: Actor) -> None:
        sample = Notification(
            severity=Severity.INFORMATION,
            subject=message("Test of the notifications"),
            text=message("%(name)s sent this to check that notifications arrive.", name=actor.name),
            key=f"test {clock.now().isoformat()}",  # never taken for a repetition
        )
        with self.database.transaction() as connection:
            self.notifier.notify(connection, sample)
            record(connection, actor, "notification.tested", Subject("notification", "", "test"))


# --- Retry and cancel tasks, each with its entry in the audit log.


class TaskOrders:
    def __init__(self, database: Database, tasks: Tasks) -> None:
        self.database = database
        self.tasks = tasks

    def retry(self, actor: Actor, task_id: int) -> Change:
        with self.database.transaction() as connection:
            change = self.tasks.retry(connection, task_id)
            record_changes(connection, actor, "task.retried", [change])
            return change

    def retry_all_failed(self, actor: Actor, wanted: Wanted) -> list[Change]:
        with self.database.transaction() as connection:
            changes = self.tasks.retry_all_failed(connection, wanted)
            record_changes(connection, actor, "task.retried", changes)
            return changes

    def cancel(self, actor: Actor, task_id: int) -> Change:
        with self.database.transaction() as connection:
            change = self.tasks.cancel(connection, task_id)
            record_changes(connection, actor, "task.cancelled", [change])
            return change


def record_changes(connection: Connection, actor: Actor, action: str, changes: Iterable[Change]) -> None:
    for change in changes:
        record(
            connection,
            actor,
            action,
            Subject("task", change.task_id, change.name),
            before={"state": change.before},
            after={"state": change.after, **change.details},
        )
