"""The verbs on tasks: defer, look, retry, cancel."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import Connection

from armarium.core.errors import NotFound, Refused
from armarium.core.late import LateModule, late
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.tasks import tables
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import Change, Task, TaskHistory, TaskState, Wanted

if TYPE_CHECKING:  # a command that defers nothing needs none of it
    from procrastinate import App, SyncPsycopgConnector, exceptions

    from armarium.tasks.app import build_app
else:
    exceptions = LateModule("procrastinate.exceptions")
    SyncPsycopgConnector = late("procrastinate:SyncPsycopgConnector")
    build_app = late("armarium.tasks.app:build_app")

RETRIED = (TaskState.FAILED, TaskState.CANCELLED)
CANCELLED = (TaskState.WAITING, TaskState.SCHEDULED, TaskState.RUNNING)


class Tasks:
    def __init__(self, database: Database, kinds: TaskKinds) -> None:
        self.database = database
        self.kinds = kinds

    @cached_property
    def _app(self) -> "App":
        """Never opened: every task is deferred on the connection of the caller's transaction."""
        return build_app(self.kinds, SyncPsycopgConnector())

    def defer(
        self,
        connection: Connection,
        name: str,
        arguments: Mapping[str, object],
        *,
        lock: str | None = None,
        queueing_lock: str | None = None,
        priority: int | None = None,
        schedule_at: datetime | None = None,
    ) -> int | None:
        """Let a task run after the caller's transaction is committed; nothing runs if it is rolled back.

        `lock`: tasks with the same one run one after the other. `queueing_lock`: None is returned, and
        nothing is deferred, while a task with the same one waits.
        """
        self.kinds.check(name, arguments)
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        deferrer = self._app.configure_task(
            name,
            allow_unknown=False,
            task_kwargs=dict(arguments),
            lock=lock,
            queueing_lock=queueing_lock,
            priority=priority,
            schedule_at=schedule_at,
            connection=driver,
        )
        try:
            with connection.begin_nested():  # a lock that is taken must not spoil the caller's transaction
                return int(deferrer.defer())
        except exceptions.AlreadyEnqueued:
            return None

    # Reading

    def page(self, wanted: Wanted, *, limit: int, offset: Beginning = 0) -> tuple[list[Task], int]:
        """Tasks, newest first, and how many there are in all."""
        with self.database.transaction() as connection:
            found = tables.counts(connection, wanted)
            total = sum(found.values()) if wanted.state is None else found[wanted.state]
            return tables.select(connection, wanted, limit, offset), total

    def counts(self, wanted: Wanted | None = None) -> dict[TaskState, int]:
        with self.database.transaction() as connection:
            return tables.counts(connection, wanted or Wanted())

    def states_of(self, task_ids: Collection[int]) -> dict[int, TaskState]:
        """The states of those that are still there."""
        with self.database.transaction() as connection:
            return tables.states_of(connection, task_ids)

    def states_by_argument(
        self, connection: Connection, name: str, argument: str, values: Collection[int]
    ) -> dict[int, TaskState]:
        """What became of the tasks of a kind that were given these values; none for those that had none."""
        return tables.states_by_argument(connection, name, argument, values)

    def alive_by_argument(
        self, connection: Connection, name: str, argument: str, values: Collection[int]
    ) -> set[int]:
        """For which of the values a task of the kind waits, is scheduled or runs."""
        return tables.alive_by_argument(connection, name, argument, values)

    def names(self) -> list[str]:
        with self.database.transaction() as connection:
            return tables.names(connection)

    def queues(self) -> list[str]:
        with self.database.transaction() as connection:
            return tables.queues(connection)

    def failed_since(self, connection: Connection, since: datetime, *, besides: str) -> dict[str, int]:
        """How many tasks of each kind, but for one, have failed since then and still are."""
        return tables.failed_since(connection, since, besides)

    def get(self, task_id: int) -> TaskHistory:
        with self.database.transaction() as connection:
            task = tables.one(connection, task_id)
            if task is None:
                raise _not_found(task_id)
            return TaskHistory(
                task, tables.events_of(connection, task_id), tables.failures_of(connection, task_id)
            )

    # Changing, in the caller's transaction, so that the entry in the audit log belongs to it

    def retry(self, connection: Connection, task_id: int) -> Change:
        """Run a failed or cancelled task again, with all its attempts."""
        before = self._held(connection, task_id)
        if before not in RETRIED:
            raise Refused(
                message(
                    "Task %(id)s cannot be retried: only failed and cancelled tasks can.",
                    id=task_id,
                )
            )
        [(_, name)] = tables.retry(connection, task_id=task_id, wanted=Wanted())
        return Change(task_id, name, before, TaskState.WAITING)

    def retry_all_failed(self, connection: Connection, wanted: Wanted | None = None) -> list[Change]:
        """Run all failed tasks (of a name, of a queue) again; cancelled ones were somebody's decision."""
        retried = tables.retry(connection, task_id=None, wanted=wanted or Wanted())
        return [Change(number, name, TaskState.FAILED, TaskState.WAITING) for number, name in retried]

    def cancel(self, connection: Connection, task_id: int) -> Change:
        """A waiting task will not run; a running one is asked to stop, and may finish all the same."""
        before = self._held(connection, task_id)
        if before not in CANCELLED:
            raise Refused(
                message(
                    "Task %(id)s has ended and can no longer be cancelled.",
                    id=task_id,
                )
            )
        running = before is TaskState.RUNNING
        tables.cancel(connection, task_id, running=running)
        task = tables.one(connection, task_id)
        assert task is not None
        return Change(task_id, task.name, before, task.state, {"stop_requested": True} if running else {})

    @staticmethod
    def _held(connection: Connection, task_id: int) -> TaskState:
        state = tables.hold(connection, task_id)
        if state is None:
            raise _not_found(task_id)
        return state


def _not_found(task_id: int) -> NotFound:
    return NotFound(
        message("There is no task %(id)s. Finished tasks are removed after some days.", id=task_id)
    )
