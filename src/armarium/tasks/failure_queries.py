"""SQL of tasks that failed lately: by the failures, which have an index. Tasks there may be millions."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.figures import MOST, count_up_to
from armarium.tasks.tables import jobs, task_failure

FAILED = sa.text("procrastinate_jobs.status = 'failed'")
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
    return count_up_to(connection, _failed(since).with_only_columns(jobs.c.id).distinct())


def failed_by_kind(connection: Connection, since: datetime, most: int) -> list[Failed]:
    """The kinds of which a task failed last come first."""
    columns = (jobs.c.id, jobs.c.task_name, task_failure.c.at, task_failure.c.error)
    newest = _failed(since).with_only_columns(*columns).order_by(task_failure.c.id.desc()).limit(MOST)
    found: dict[str, Failed] = {}
    seen: set[int] = set()
    for row in connection.execute(newest):
        if row.id in seen:
            continue
        seen.add(row.id)
        known = found.get(row.task_name) or Failed(row.task_name, 0, row.at, row.id, row.error)
        found[row.task_name] = Failed(known.name, known.times + 1, known.last, known.task, known.error)
    return list(found.values())[:most]


def running_count(connection: Connection) -> int:
    return count_up_to(connection, sa.select(jobs.c.id).where(DOING))


def _failed(since: datetime) -> "sa.Select[tuple[int]]":
    joined = sa.select(jobs.c.id).join(task_failure, task_failure.c.task_id == jobs.c.id)
    return joined.where(task_failure.c.at >= since, FAILED)
