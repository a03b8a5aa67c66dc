"""SQL of what administration says on the overview."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import aggregate_order_by

from armarium.accounts.tables import account
from armarium.db.stretches import count_up_to
from armarium.notify.model import Severity
from armarium.notify.tables import notification
from armarium.notify.tasks import FAILED_TASKS
from armarium.tasks.tables import jobs, task_failure

LISTED = 5
#: Rooms tell these themselves, by what is the case now; here they would stand a second time.
TOLD_BY_ROOMS = (
    "silent ",
    "job.failed.",
    "harvest.generation:",
    "replica-away:",
    "replica-unwell:",
    "repairs-undecided:",
    "storage-file:",
    "storage-no-room",
    "index failed ",
)


def errors(connection: Connection, since: datetime, *, of_tasks: bool) -> list["sa.Row[Any]"]:
    """Notifications of errors, the last first. `of_tasks`: those of failed tasks, too."""
    told = TOLD_BY_ROOMS if of_tasks else (*TOLD_BY_ROOMS, FAILED_TASKS)
    others = [~notification.c.key.startswith(prefix, autoescape=True) for prefix in told]
    columns = [notification.c[name] for name in ("at", "subject", "text", "repeats")]
    asked = sa.select(*columns).where(
        notification.c.at >= since, notification.c.severity == Severity.ERROR.value, *others
    )
    return list(connection.execute(asked.order_by(notification.c.at.desc()).limit(LISTED)))


def has_colleagues(connection: Connection) -> bool:
    """Whether there is more than one account."""
    return connection.scalar(sa.select(account.c.id).order_by(account.c.id).offset(1).limit(1)) is not None


# --- SQL of tasks that failed lately. Those that failed for good have an index; others may be millions.


FAILED = sa.text("procrastinate_jobs.status = 'failed'")  # as the index has it: sql/02_failed.sql
LATEST = 5000  # that are looked through: nobody cares how many more there were
DOING = sa.text("procrastinate_jobs.worker_id IS NOT NULL AND procrastinate_jobs.status = 'doing'")


@dataclass(frozen=True)
class Failed:
    """Tasks of one kind that failed for good."""

    name: str
    times: int
    last: datetime
    task: int  # the last one
    error: str


def failed_count(connection: Connection, since: datetime) -> int:
    """Tasks whose last failure was since then, and that nobody has tried again."""
    return count_up_to(connection, _failed(since))


def failed_by_kind(connection: Connection, since: datetime) -> list[Failed]:
    """The kinds of which a task failed last come first."""
    failed = _failed(since).subquery()
    newest = aggregate_order_by(failed.c.id, failed.c.at.desc(), failed.c.id.desc())
    kind = (
        sa.select(
            failed.c.task_name,
            sa.func.count().label("times"),
            sa.func.max(failed.c.at).label("last"),
            sa.func.array_agg(newest, type_=sa.ARRAY(sa.BigInteger))[1].label("task"),
        )
        .group_by(failed.c.task_name)
        .subquery()
    )
    last = _last_failure(kind.c.task)
    asked = sa.select(kind, last.c.error).join(last, sa.true()).order_by(kind.c.last.desc(), kind.c.task_name)
    return [Failed(*row) for row in connection.execute(asked)]


def running_count(connection: Connection) -> int:
    return count_up_to(connection, sa.select(jobs.c.id).where(DOING))


def _failed(since: datetime) -> "sa.Select[tuple[int, str, datetime]]":
    """Of the last so many tasks that failed, those whose last failure was since then."""
    task = (
        sa.select(jobs.c.id, jobs.c.task_name)
        .where(FAILED)
        .order_by(jobs.c.id.desc())
        .limit(LATEST)
        .subquery()
    )
    last = _last_failure(task.c.id)
    return sa.select(task.c.id, task.c.task_name, last.c.at).join(last, last.c.at >= since)


def _last_failure(task: "sa.ColumnElement[int]") -> sa.FromClause:
    found = sa.select(task_failure.c.at, task_failure.c.error).where(task_failure.c.task_id == task)
    return found.order_by(task_failure.c.id.desc()).limit(1).lateral()
