"""The tables of this room, procrastinate's as far as we read them, and their SQL."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection, Row, Select
from sqlalchemy.dialects.postgresql import JSONB

from armarium.core import clock
from armarium.db.schema import schema
from armarium.db.stretches import Beginning, stretch
from armarium.tasks.model import FailureKind, Task, TaskEvent, TaskFailure, TaskState, Wanted

task_schema = sa.Table(
    "task_schema",
    schema,
    sa.Column("name", sa.Text, primary_key=True),  # of the SQL file
    sa.Column("applied_at", sa.DateTime(timezone=True), nullable=False),
)

task_failure = sa.Table(
    "task_failure",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    # No foreign key: Alembic makes this table before procrastinate's exist. Both are cleared together.
    sa.Column("task_id", sa.BigInteger, nullable=False),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("error", sa.Text, nullable=False),
    sa.Column("traceback", sa.Text, nullable=False),
    sa.Index("ix_task_failure_task", "task_id", "id"),
)

jobs = sa.table(
    "procrastinate_jobs",
    sa.column("id", sa.BigInteger),
    sa.column("queue_name", sa.Text),
    sa.column("task_name", sa.Text),
    sa.column("priority", sa.Integer),
    sa.column("lock", sa.Text),
    sa.column("args", JSONB),
    sa.column("status", sa.Text),
    sa.column("scheduled_at", sa.DateTime(timezone=True)),
    sa.column("attempts", sa.Integer),
    sa.column("abort_requested", sa.Boolean),
    sa.column("worker_id", sa.BigInteger),
)

events = sa.table(
    "procrastinate_events",
    sa.column("id", sa.BigInteger),
    sa.column("job_id", sa.BigInteger),
    sa.column("type", sa.Text),
    sa.column("at", sa.DateTime(timezone=True)),
)

# Our state of a task from procrastinate's status; a waiting task whose hour has not come is scheduled.
STATES = {
    "doing": TaskState.RUNNING,
    "failed": TaskState.FAILED,
    "succeeded": TaskState.FINISHED,
    "cancelled": TaskState.CANCELLED,
    "aborted": TaskState.CANCELLED,
    "aborting": TaskState.CANCELLED,
}
_status = sa.cast(jobs.c.status, sa.Text)
_state = sa.case(
    *((_status == status, state.value) for status, state in STATES.items()),
    (jobs.c.scheduled_at > sa.func.now(), TaskState.SCHEDULED.value),
    else_=TaskState.WAITING.value,
)
# As procrastinate's own index on the tasks that wait or run has it: only so it is used.
_ALIVE = sa.text("procrastinate_jobs.status = ANY (ARRAY['todo', 'doing']::procrastinate_job_status[])")

_deferred_at = sa.select(sa.func.min(events.c.at)).where(events.c.job_id == jobs.c.id).scalar_subquery()
# An event "scheduled" carries the hour for which the task is scheduled, not the hour at which it was.
_changed_at = (
    sa.select(sa.func.max(events.c.at))
    .where(events.c.job_id == jobs.c.id, sa.cast(events.c.type, sa.Text) != "scheduled")
    .scalar_subquery()
)
_last_error = (
    sa.select(task_failure.c.error)
    .where(task_failure.c.task_id == jobs.c.id)
    .order_by(task_failure.c.id.desc())
    .limit(1)
    .scalar_subquery()
)


def matching(wanted: Wanted) -> Select[tuple[object, ...]]:
    found = sa.select(
        *(column for column in jobs.c if column.name != "status"),
        _state.label("state"),
        _deferred_at.label("deferred_at"),
        _changed_at.label("changed_at"),
        _last_error.label("error"),
    )
    for condition in _conditions(wanted):
        found = found.where(condition)
    return found


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(_state == wanted.state.value)
    if wanted.name is not None:
        conditions.append(jobs.c.task_name == wanted.name)
    if wanted.text:
        by_name = jobs.c.task_name.icontains(wanted.text, autoescape=True)
        conditions.append(sa.or_(by_name, sa.cast(jobs.c.id, sa.Text) == wanted.text))
    if wanted.queue is not None:
        conditions.append(jobs.c.queue_name == wanted.queue)
    return conditions


def select(connection: Connection, wanted: Wanted, limit: int, offset: Beginning) -> list[Task]:
    rows = stretch(connection, matching(wanted), [jobs.c.id.desc()], limit, offset)
    return [_task(row) for row in rows]


def one(connection: Connection, task_id: int) -> Task | None:
    row = connection.execute(matching(Wanted()).where(jobs.c.id == task_id)).one_or_none()
    return None if row is None else _task(row)


def counts(connection: Connection, wanted: Wanted) -> dict[TaskState, int]:
    """How many tasks are in each state; the state in the question is left aside."""
    question = sa.select(_state.label("state"), sa.func.count()).group_by("state")
    for condition in _conditions(replace(wanted, state=None)):
        question = question.where(condition)
    found = {TaskState(state): int(count) for state, count in connection.execute(question)}
    return {state: found.get(state, 0) for state in TaskState}


def counts_by_queue(connection: Connection) -> dict[tuple[str, TaskState], int]:
    question = sa.select(jobs.c.queue_name, _state.label("state"), sa.func.count()).group_by(
        jobs.c.queue_name, "state"
    )
    return {(queue, TaskState(state)): int(count) for queue, state, count in connection.execute(question)}


def failed_since(connection: Connection, since: datetime, besides: str) -> dict[str, int]:
    question = (
        sa.select(jobs.c.task_name, sa.func.count())
        .where(_status == "failed", jobs.c.task_name != besides, _changed_at > since)
        .group_by(jobs.c.task_name)
    )
    return {name: int(count) for name, count in connection.execute(question)}


def states_of(connection: Connection, task_ids: Collection[int]) -> dict[int, TaskState]:
    rows = connection.execute(sa.select(jobs.c.id, _state).where(jobs.c.id.in_(task_ids)))
    return {number: TaskState(state) for number, state in rows}


def states_by_argument(
    connection: Connection, name: str, argument: str, values: Collection[int]
) -> dict[int, TaskState]:
    """The state of the task of a kind that was given each value: of one that is alive, else of the newest.

    All tasks of the kind are looked through. Who only wants to know which are alive asks the next function.
    """
    given = jobs.c.args[argument].astext
    found = (
        sa.select(given, _state)
        .where(jobs.c.task_name == name, given.in_([str(value) for value in values]))
        .order_by(_status.in_(("todo", "doing")), jobs.c.id)  # of several, the last one is kept
    )
    return {int(value): TaskState(state) for value, state in connection.execute(found)}


def alive_by_argument(connection: Connection, name: str, argument: str, values: Collection[int]) -> set[int]:
    """For which of the values a task of the kind waits, is scheduled or runs.

    Tasks that have ended, of which there may be millions, are not looked at.
    """
    given = jobs.c.args[argument].astext
    found = sa.select(given).where(
        _ALIVE, jobs.c.task_name == name, given.in_([str(value) for value in values])
    )
    return {int(value) for value in connection.scalars(found)}


def names(connection: Connection) -> list[str]:
    return list(connection.scalars(sa.select(jobs.c.task_name).distinct().order_by(jobs.c.task_name)))


def queues(connection: Connection) -> list[str]:
    return list(connection.scalars(sa.select(jobs.c.queue_name).distinct().order_by(jobs.c.queue_name)))


def events_of(connection: Connection, task_id: int) -> list[TaskEvent]:
    rows = connection.execute(
        sa.select(events.c.at, sa.cast(events.c.type, sa.Text))
        .where(events.c.job_id == task_id)
        .order_by(events.c.id)
    )
    return [TaskEvent(at, kind) for at, kind in rows]


def failures_of(connection: Connection, task_id: int) -> list[TaskFailure]:
    columns = (task_failure.c[name] for name in ("at", "attempt", "kind", "error", "traceback"))
    rows: Sequence[Row[tuple[object, ...]]] = connection.execute(
        sa.select(*columns).where(task_failure.c.task_id == task_id).order_by(task_failure.c.id.desc())
    ).all()
    return [TaskFailure(**{**row._mapping, "kind": FailureKind(row._mapping["kind"])}) for row in rows]


def _task(row: Row[tuple[object, ...]]) -> Task:
    values = row._mapping
    return Task(
        id=values["id"],
        name=values["task_name"],
        queue=values["queue_name"],
        priority=values["priority"],
        state=TaskState(values["state"]),
        arguments=values["args"],
        attempts=values["attempts"],
        scheduled_at=values["scheduled_at"],
        deferred_at=values["deferred_at"],
        changed_at=values["changed_at"],
        stop_requested=values["abort_requested"],
        lock=values["lock"],
        worker=values["worker_id"],
        error=values["error"],
    )


# Verbs


def hold(connection: Connection, task_id: int) -> TaskState | None:
    """Keep workers from changing a task until the end of this transaction, and say in which state it is."""
    found = sa.select(_state).select_from(jobs).where(jobs.c.id == task_id).with_for_update(of=jobs)
    state = connection.scalar(found)
    return None if state is None else TaskState(state)


def cancel(connection: Connection, task_id: int, *, running: bool) -> None:
    connection.execute(
        sa.text("SELECT procrastinate_cancel_job_v1(:id, :running, false)"),
        {"id": task_id, "running": running},
    )


_RETRY = sa.text(
    """
    WITH ended AS (
        SELECT id, status FROM procrastinate_jobs
         WHERE status IN ('failed', 'cancelled', 'aborted')
           AND (CAST(:id AS bigint) IS NULL AND status = 'failed' OR id = :id)
           AND (CAST(:name AS text) IS NULL OR task_name = :name)
           AND (CAST(:queue AS text) IS NULL OR queue_name = :queue)
           AND (:text = '' OR strpos(lower(task_name), lower(:text)) > 0 OR CAST(id AS text) = :text)
           FOR UPDATE
    ), told AS (
        -- procrastinate's trigger writes this event only for tasks that had failed.
        INSERT INTO procrastinate_events (job_id, type)
        SELECT id, 'retried' FROM ended WHERE status <> 'failed'
    )
    UPDATE procrastinate_jobs AS job
       SET status = 'todo', attempts = 0, scheduled_at = NULL,
           worker_id = NULL, queueing_lock = NULL, abort_requested = false
      FROM ended WHERE job.id = ended.id
    RETURNING job.id, job.task_name
    """
)


def retry(connection: Connection, *, task_id: int | None, wanted: Wanted) -> list[tuple[int, str]]:
    """Put a failed or cancelled task, or all failed ones, back to waiting with all their attempts."""
    given = {"id": task_id, "name": wanted.name, "queue": wanted.queue, "text": wanted.text}
    rows = connection.execute(_RETRY, given)
    return sorted((number, name) for number, name in rows)


# Steps of the schema


def applied_steps(connection: Connection) -> set[str]:
    return set(connection.scalars(sa.select(task_schema.c.name)))


def record_step(connection: Connection, name: str) -> None:
    connection.execute(task_schema.insert(), {"name": name, "applied_at": clock.now()})
