"""Retry and cancel tasks, each with its entry in the audit log."""

from collections.abc import Iterable

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.db.database import Database
from armarium.tasks.model import Change, Wanted
from armarium.tasks.service import Tasks


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
