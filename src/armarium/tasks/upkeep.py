"""What the leading scheduler does to the queue: rescue the tasks of dead workers, clear away old ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

from armarium.tasks.failure import becomes_of_lost
from armarium.tasks.model import FailureKind
from armarium.tasks.settings import TaskSettings

CLEARED_AT_ONCE = 1000  # rows, so that no transaction of the queue waits long for us

LOST = (
    "The worker that ran this task ended without finishing it: it was killed, or its machine went away. "
    "The task is run again."
)
POISONOUS = (
    "The worker that ran this task ended without finishing it, as %(losses)s workers in a row have. "
    "The task may be what ends them, so it is not run again by itself. "
    "Look for the cause (memory, disk, a crash in the system log), then retry it."
)

# A worker is dead when it has been silent for too long, or was last heard of in a time that has yet to come,
# because the clock was set back. Both are locked, so that it cannot come back to life in the middle:
# a heartbeat that waits for this transaction finds its row gone, and takes a new number.
STALLED_WORKERS: LiteralString = """
SELECT id FROM procrastinate_workers
 WHERE last_heartbeat < %(seen)s - make_interval(secs => %(seconds)s)
    OR last_heartbeat > now() + make_interval(secs => %(seconds)s)
   FOR UPDATE SKIP LOCKED
"""

# Running tasks of those, or of workers that have signed off without being able to let go of them; with how
# often their worker was lost since somebody last retried them.
STALLED_TASKS: LiteralString = """
SELECT job.id, job.task_name, job.attempts, job.abort_requested,
       (SELECT count(*) FROM task_failure failure
         WHERE failure.task_id = job.id AND failure.kind = 'lost'
           AND failure.at > coalesce((SELECT max(event.at) FROM procrastinate_events event
                                       WHERE event.job_id = job.id AND event.type = 'retried'), '-infinity')
       ) AS losses
  FROM procrastinate_jobs job
 WHERE job.status = 'doing' AND (job.worker_id IS NULL OR job.worker_id = ANY(%(workers)s::bigint[]))
   FOR UPDATE OF job SKIP LOCKED
"""

LET_GO: LiteralString = """
WITH rescued AS (
    UPDATE procrastinate_jobs
       SET status = %(status)s::procrastinate_job_status, attempts = attempts + 1,
           worker_id = NULL, queueing_lock = NULL, abort_requested = false
     WHERE id = %(id)s
    RETURNING id, attempts
)
INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback)
SELECT id, now(), attempts, %(kind)s::text, %(error)s::text, '' FROM rescued
"""

STRIKE_OFF: LiteralString = "DELETE FROM procrastinate_workers WHERE id = ANY(%(workers)s::bigint[])"

CLEAR: LiteralString = """
WITH old AS (
    SELECT job.id FROM procrastinate_jobs job
     WHERE job.status = ANY(%(statuses)s::procrastinate_job_status[])
       AND NOT EXISTS (SELECT FROM procrastinate_events event
                        WHERE event.job_id = job.id AND event.at > now() - make_interval(days => %(days)s))
     ORDER BY job.id LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM procrastinate_jobs job USING old WHERE job.id = old.id RETURNING job.id
), forgotten AS (
    DELETE FROM task_failure failure USING gone WHERE failure.task_id = gone.id
)
SELECT count(*) AS cleared FROM gone
"""


@dataclass(frozen=True)
class Rescued:
    task_id: int
    name: str
    status: str  # procrastinate's word for what became of it


async def rescue(
    connection: psycopg.AsyncConnection[Any], settings: TaskSettings, seen: datetime
) -> list[Rescued]:
    """Let others run the tasks of workers that were dead at `seen`, by the clock of the database."""
    async with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(STALLED_WORKERS, {"seen": seen, "seconds": settings.stalled_after_seconds})
        workers = [row["id"] for row in await cursor.fetchall()]
        await cursor.execute(STALLED_TASKS, {"workers": workers})
        rescued = [await _let_go(cursor, row, settings.lost_limit) for row in await cursor.fetchall()]
        if workers:
            await cursor.execute(STRIKE_OFF, {"workers": workers})
        return rescued


async def _let_go(cursor: psycopg.AsyncCursor[Any], task: dict[str, Any], limit: int) -> Rescued:
    losses = task["losses"] + 1
    status = becomes_of_lost(losses, limit, cancelled=task["abort_requested"])
    error = POISONOUS % {"losses": losses} if status == "failed" else LOST
    await cursor.execute(
        LET_GO, {"id": task["id"], "status": status, "kind": FailureKind.LOST.value, "error": error}
    )
    return Rescued(task["id"], task["task_name"], status)


async def clear(connection: psycopg.AsyncConnection[Any], settings: TaskSettings) -> int:
    """Remove a portion of the tasks that ended long ago; 0 when none are left."""
    cleared = 0
    portions = {
        ("succeeded", "cancelled", "aborted"): settings.keep_finished_days,
        ("failed",): settings.keep_failed_days,
    }
    for statuses, days in portions.items():
        cursor = await connection.execute(
            CLEAR, {"statuses": list(statuses), "days": days, "limit": CLEARED_AT_ONCE}
        )
        row = await cursor.fetchone()
        cleared += row[0] if row else 0
    return cleared
