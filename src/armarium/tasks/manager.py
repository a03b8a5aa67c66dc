"""The worker's side of the queue: which tasks this worker holds, and how it lets go of them.

procrastinate ends a task by its id alone. Here a task is ended only by the worker and in the attempt to
which it belongs, so that a worker that was thought dead (a suspended machine, a broken line) cannot touch
a task that another one has taken over meanwhile. How an attempt failed is written in the same statement.
"""

import threading
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Any, LiteralString

import psycopg
import structlog
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from typing_extensions import override

from armarium.tasks.connector import PatientConnector, server_is_away
from armarium.tasks.failure import Failure
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import FailureKind

log = structlog.get_logger(__name__)

Query = Callable[..., Awaitable[list[dict[str, Any]]]]

# In an update of several machines, one after the other, older workers meet tasks that came with the new
# version. They leave them alone for a while, again and again, until a worker that knows them takes them.
LEAVE_ALONE_SECONDS = 60
HOPE_HOURS = 24
UNKNOWN_KIND = (
    "The worker does not know tasks of the kind %(name)s. If they came with an update, update the worker, "
    "too: the task waits a day for one that knows it. If it has failed meanwhile, retry it."
)
UNWRITABLE = (
    "The task failed. What it said about the failure could not be kept; the log of the worker may tell."
)

FETCH: LiteralString = """
SELECT id, status, task_name, priority, lock, queueing_lock,
       args, scheduled_at, queue_name, attempts, worker_id
  FROM procrastinate_fetch_job_v2(%(queues)s::varchar[], %(worker)s)
 WHERE id IS NOT NULL
"""

# Tasks that were fetched in this worker's name by a query whose answer never arrived.
GIVE_BACK_UNHEARD: LiteralString = """
UPDATE procrastinate_jobs
   SET status = 'todo', worker_id = NULL, queueing_lock = NULL, abort_requested = false
 WHERE status = 'doing' AND worker_id = %(worker)s AND NOT (id = ANY(%(held)s::bigint[]))
RETURNING id
"""

# The queueing lock has done its duty when a task starts. Kept, it would forbid the task to return to a queue
# in which the next one with the same lock is waiting already.
END: LiteralString = """
WITH ended AS (
    UPDATE procrastinate_jobs
       SET status = (CASE WHEN abort_requested AND %(status)s::text <> 'succeeded' THEN 'aborted'
                          ELSE %(status)s::text END)::procrastinate_job_status,
           attempts = attempts + %(counted)s::int,
           scheduled_at = coalesce(%(retry_at)s::timestamptz, scheduled_at),
           worker_id = NULL,
           queueing_lock = NULL,
           abort_requested = false
     WHERE id = %(id)s AND status = 'doing' AND worker_id = %(worker)s AND attempts = %(attempts)s
    RETURNING id, status, task_name
), noted AS (
    INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback)
    SELECT id, now(), %(attempts)s::int + 1, %(kind)s::text, %(error)s::text, %(traceback)s::text
      FROM ended WHERE %(error)s::text IS NOT NULL
), outdated AS (
    -- Of periodic tasks that went well, the last one says all.
    DELETE FROM procrastinate_jobs job USING ended
     WHERE %(periodic)s AND ended.status = 'succeeded'
       AND job.task_name = ended.task_name AND job.status = 'succeeded' AND job.id <> ended.id
    RETURNING job.id
), forgotten AS (
    DELETE FROM task_failure failure USING outdated WHERE failure.task_id = outdated.id
)
SELECT status FROM ended
"""

# Not counted as an attempt: the worker that knows the task shall have them all.
LEAVE_ALONE: LiteralString = """
WITH met AS (
    SELECT min(failure.at) AS first FROM task_failure failure
     WHERE failure.task_id = %(id)s AND failure.kind = %(kind)s::text
       AND failure.at > coalesce((SELECT max(event.at) FROM procrastinate_events event
                                   WHERE event.job_id = %(id)s AND event.type = 'retried'), '-infinity')
), ended AS (
    UPDATE procrastinate_jobs job
       SET status = (CASE WHEN abort_requested THEN 'aborted'
                          WHEN met.first < now() - make_interval(hours => %(hours)s) THEN 'failed'
                          ELSE 'todo' END)::procrastinate_job_status,
           scheduled_at = now() + make_interval(secs => %(seconds)s),
           worker_id = NULL,
           queueing_lock = NULL,
           abort_requested = false
      FROM met
     WHERE id = %(id)s AND status = 'doing' AND worker_id = %(worker)s AND attempts = %(attempts)s
    RETURNING id, status
), noted AS (
    INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback)
    SELECT id, now(), %(attempts)s::int + 1, %(kind)s::text, %(error)s::text, ''
      FROM ended, met WHERE met.first IS NULL OR ended.status = 'failed'
)
SELECT status FROM ended
"""

REGISTER: LiteralString = "INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id"
BEAT: LiteralString = (
    "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = %(worker)s RETURNING id"
)
SIGN_OFF: LiteralString = "DELETE FROM procrastinate_workers WHERE id = %(worker)s"


class TaskManager(JobManager):
    connector: PatientConnector

    def __init__(self, connector: PatientConnector, kinds: TaskKinds) -> None:
        super().__init__(connector)
        self._kinds = kinds
        self.worker: int | None = None  # our own number: it changes when we were declared dead
        self.draining = threading.Event()
        self._held: set[int] = set()
        self._failures: dict[int, Failure] = {}
        self._answer_outstanding = False

    def is_ours(self, job: Job) -> bool:
        return job.worker_id == self.worker

    def note(self, job: Job, failure: Failure) -> None:
        """Keep how a task failed until the end of its attempt is written."""
        assert job.id is not None
        self._failures[job.id] = failure

    # What procrastinate's worker calls

    @override
    async def register_worker(self) -> int:
        rows = await self.connector.execute_query_all_async(REGISTER)
        self.worker = int(rows[0]["id"])
        return self.worker

    @override
    async def unregister_worker(self, worker_id: int) -> None:
        await self.connector.execute_query_async(SIGN_OFF, worker=self.worker)

    @override
    async def prune_stalled_workers(self, seconds_since_heartbeat: float) -> list[int]:
        return []  # only the leading scheduler declares workers dead: it knows whether the database was away

    @override
    async def update_heartbeat(self, worker_id: int) -> None:
        if not await self.connector.execute_query_all_async(BEAT, worker=self.worker):
            lost = self.worker
            await self.register_worker()
            log.warning(
                "worker had been declared dead, goes on under a new number", old=lost, new=self.worker
            )

    @override
    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        names = None if queues is None else list(queues)
        job = await self.connector.patiently(lambda: self._fetch(names))
        if job is not None and job.id is not None:
            self._held.add(job.id)
        return job

    @override
    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        if job.task_name not in self._kinds:
            await self._leave_alone(job)
            return
        if status is Status.FAILED and job.id not in self._failures:
            self.note(job, Failure(UNWRITABLE, traceback=""))
        await self._end(job, status.value, counted=status is not Status.SUCCEEDED, retry_at=None)

    @override
    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Back to waiting. Without a time it is given back unharmed, which does not count as an attempt; nor
        does one in which the database was away."""
        failure = self._failures.get(job.id or 0)
        outage = failure is not None and failure.outage
        await self._end(
            job, Status.TODO.value, counted=retry_at is not None and not outage, retry_at=retry_at
        )

    async def _fetch(self, queues: list[str] | None) -> Job | None:
        if self.draining.is_set():
            return None
        if self._answer_outstanding:
            await self.connector.once(GIVE_BACK_UNHEARD, worker=self.worker, held=list(self._held))
        self._answer_outstanding = True
        try:
            rows = await self.connector.once(FETCH, queues=queues, worker=self.worker)
        except ConnectorException as error:
            if not isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation):
                raise
            await self.register_worker()  # our number was struck off while we were silent
            rows = await self.connector.once(FETCH, queues=queues, worker=self.worker)
        self._answer_outstanding = False
        return Job.from_row(rows[0]) if rows else None

    async def _end(self, job: Job, status: str, *, counted: bool, retry_at: datetime | None) -> None:
        assert job.id is not None
        failure = self._failures.pop(job.id, None)
        end = partial(
            self.connector.execute_query_all_async,
            END,
            id=job.id,
            worker=job.worker_id,
            attempts=job.attempts,
            status=status,
            counted=int(counted),
            retry_at=retry_at,
            periodic=self._kinds[job.task_name].cron is not None,
            kind=FailureKind.ERROR.value,
        )
        try:
            rows = await self._with_its_failure(end, failure)
        finally:
            self._held.discard(job.id)
        _log_end(job, str(rows[0]["status"]) if rows else None, retry_at, failure)

    async def _with_its_failure(self, end: Query, failure: Failure | None) -> list[dict[str, Any]]:
        if failure is None:
            return await end(error=None, traceback=None)
        try:
            return await end(error=failure.error, traceback=failure.traceback)
        except (ValueError, ConnectorException) as error:
            if server_is_away(error):
                raise
            # Whatever the text is: a task that has ended must not count as running for ever.
            log.exception("failure of a task cannot be kept")
            return await end(error=UNWRITABLE, traceback="")

    async def _leave_alone(self, job: Job) -> None:
        assert job.id is not None
        try:
            rows = await self.connector.execute_query_all_async(
                LEAVE_ALONE,
                id=job.id,
                worker=job.worker_id,
                attempts=job.attempts,
                hours=HOPE_HOURS,
                seconds=LEAVE_ALONE_SECONDS,
                kind=FailureKind.UNKNOWN.value,
                error=UNKNOWN_KIND % {"name": job.task_name},
            )
        finally:
            self._held.discard(job.id)
        status = str(rows[0]["status"]) if rows else None
        log.warning("task is of an unknown kind", task=job.task_name, task_id=job.id, status=status)


def _log_end(job: Job, status: str | None, retry_at: datetime | None, failure: Failure | None) -> None:
    about = {"task": job.task_name, "task_id": job.id, "attempt": job.attempts + 1}
    if failure:
        about["error"] = failure.error
    if status is None:
        # Either the answer to our first try was lost with the connection, or another worker has it now.
        log.warning("task was no longer ours at its end, left as it is", **about)
    elif status == Status.TODO.value and retry_at:
        log.warning("task failed, to be tried again", retry_at=retry_at.isoformat(), **about)
    elif status == Status.TODO.value:
        log.info("task given back unfinished", **about)
    elif status == Status.FAILED.value:
        log.error("task failed", **about)
    else:
        # Periodic ones come by the thousand a day: that all is well is no news.
        say = log.debug if "timestamp" in job.task_kwargs else log.info
        say("task ended", status=status, **about)
