"""procrastinate's view of our kinds of task."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from procrastinate import App, JobContext
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import JobAborted
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Job
from procrastinate.periodic import PeriodicRegistry, PeriodicTask
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from armarium.core import clock
from armarium.core.services import Services
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import (
    MOST_OUTAGES,
    OUTAGE_SECONDS,
    Failure,
    TaskStopped,
    delay_before_next_attempt,
    describe,
)
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.manager import TaskManager
from armarium.tasks.metrics import TaskMetrics
from armarium.tasks.model import Retry, TaskKind

# --- Run one task: its function in a thread, its end told to procrastinate.
#
# procrastinate sees coroutines, because it can let go of a coroutine: it waits for ever for a function in a
# thread of its own. The threads are daemons for the same reason: a task that ignores `stopping()` must not
# keep its process from ending.


Tell = Callable[[str], object]


def unheard(_words: str) -> None:
    """For a worker that nobody listens to."""


class GivenBack(Exception):  # noqa: N818
    """The task did not end within the time that a draining worker has."""


class AttemptFailed(Exception):  # noqa: N818
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error)
        self.failure = failure


@dataclass
class BackOff(BaseRetryStrategy):
    """Our rule, in the form in which procrastinate asks for it."""

    retry: Retry

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, (GivenBack, asyncio.CancelledError)):
            return RetryDecision()
        failure = exception.failure if isinstance(exception, AttemptFailed) else None
        if failure is not None and failure.outage:
            delay: int | None = OUTAGE_SECONDS
        else:
            permanent = failure is not None and failure.permanent
            delay = delay_before_next_attempt(self.retry, job.attempts + 1, permanent=permanent)
        return None if delay is None else RetryDecision(retry_at=clock.now() + timedelta(seconds=delay))


@dataclass
class Runner:
    manager: TaskManager
    services: Services
    metrics: TaskMetrics
    tell: Tell = unheard  # what this worker is at, for the system page
    running: list[str] = field(default_factory=list)
    outages: Counter[int] = field(default_factory=Counter)  # that a task met, by its number
    unfinished: set[str] = field(default_factory=set)  # tasks whose threads run on although we gave them back

    def coroutine(self, kind: TaskKind) -> Callable[..., Awaitable[None]]:
        """The function of a kind, as procrastinate calls it."""

        async def run(job_context: JobContext, **arguments: Any) -> None:
            started = time.monotonic()
            outcome = "failed"
            self._now_running(self.running.append, kind.name)
            try:
                await self._attempt(kind, job_context, arguments)
                outcome = "finished"
            except (GivenBack, JobAborted):
                outcome = "stopped"
                raise
            finally:
                self._now_running(self.running.remove, kind.name)
                self.metrics.observe(kind.name, outcome, time.monotonic() - started)

        return run

    def _now_running(self, change: Callable[[str], None], name: str) -> None:
        change(name)
        self.tell("Runs " + ", ".join(sorted(self.running)) + "." if self.running else "Waits for tasks.")

    async def _attempt(self, kind: TaskKind, job_context: JobContext, arguments: Mapping[str, Any]) -> None:
        if self.manager.draining.is_set():
            raise GivenBack  # fetched in the moment of the signal: leave it to another worker
        error = await self._ended(job_context, self._start(kind, job_context, dict(arguments)))
        if error is None:
            self.outages.pop(job_context.job.id or 0, None)
            return
        cancelled = job_context.abort_reason() is AbortReason.USER_REQUEST
        if isinstance(error, TaskStopped):
            raise JobAborted if cancelled else GivenBack
        failure = self._judged(job_context.job, describe(error))
        self.manager.note(job_context.job, failure)
        raise JobAborted if cancelled else AttemptFailed(failure)

    def _judged(self, job: Job, failure: Failure) -> Failure:
        """An outage of the database is held against a task only if it meets one after the other."""
        if not failure.outage:
            return failure
        self.outages[job.id or 0] += 1
        return replace(failure, outage=self.outages[job.id or 0] <= MOST_OUTAGES)

    def _start(
        self, kind: TaskKind, job_context: JobContext, arguments: dict[str, Any]
    ) -> asyncio.Future[BaseException | None]:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[BaseException | None] = loop.create_future()
        context = self._context(kind, job_context, arguments)

        def work() -> None:
            error = _outcome(kind, context, arguments)
            with suppress(RuntimeError):  # the loop is gone: the task was given back, nobody waits
                loop.call_soon_threadsafe(ended.set_result, error)

        threading.Thread(target=work, name=f"task {context.name} {context.task_id}", daemon=True).start()
        return ended

    def _context(self, kind: TaskKind, job_context: JobContext, arguments: dict[str, Any]) -> TaskContext:
        job = job_context.job
        assert job.id is not None
        # procrastinate hands the moment of a periodic task over among its arguments.
        due = arguments.pop("timestamp", None) if kind.cron else None

        def stopping() -> bool:
            return (
                self.manager.draining.is_set() or job_context.should_abort() or not self.manager.is_ours(job)
            )

        return TaskContext(
            task_id=job.id,
            name=kind.name,
            attempt=job.attempts + 1,
            due=None if due is None else datetime.fromtimestamp(due, UTC),
            stopping=stopping,
            services=self.services,
        )

    async def _ended(
        self, job_context: JobContext, ended: asyncio.Future[BaseException | None]
    ) -> BaseException | None:
        while True:
            try:
                return await asyncio.shield(ended)
            except asyncio.CancelledError:
                if job_context.abort_reason() is not AbortReason.USER_REQUEST:
                    self.unfinished.add(f"{job_context.job.task_name} {job_context.job.id}")
                    raise GivenBack from None
                # A thread cannot be cancelled: the task learns it from `stopping()`, and we wait for it.
                current = asyncio.current_task()
                assert current is not None
                current.uncancel()


def _outcome(kind: TaskKind, context: TaskContext, arguments: Mapping[str, Any]) -> BaseException | None:
    """Call the task. Here ends the life of whatever it raises: it becomes the record of a failure."""
    with structlog.contextvars.bound_contextvars(task=context.name, task_id=context.task_id):
        try:
            kind.run(context, **arguments)
        except BaseException as error:  # noqa: BLE001  (the outermost loop of a task, SystemExit included)
            return error
        return None


# --- procrastinate's view of our kinds of task.


def build_app(kinds: TaskKinds, connector: BaseConnector) -> App:
    """An app that can defer tasks, also periodic ones, but not run them."""
    app = App(connector=connector)
    for kind in kinds:
        _register(app, kind, _not_here)
    _register_periods(app, kinds)
    return app


def build_worker_app(kinds: TaskKinds, manager: TaskManager, runner: Runner) -> App:
    """An app that runs tasks. It has no periods: only the leading scheduler defers periodic tasks."""
    app = App(connector=manager.connector)
    app.job_manager = manager
    for kind in kinds:
        _register(app, kind, runner.coroutine(kind))
    return app


def _register(app: App, kind: TaskKind, function: Callable[..., Any]) -> None:
    periodic = kind.cron is not None
    app.task(
        name=kind.name,
        retry=BackOff(kind.retry),
        pass_context=True,
        queue=kind.queue,
        priority=kind.priority,
        # While no worker runs, a periodic task must not pile up; and it never runs beside itself.
        lock=kind.name if periodic else None,
        queueing_lock=kind.name if periodic else None,
    )(function)


def _register_periods(app: App, kinds: TaskKinds) -> None:
    registry: PeriodicRegistry = app.periodic_registry
    for kind in kinds:
        if kind.cron is None:
            continue
        period: PeriodicTask[..., Any, ...] = registry.register_task(
            task=app.tasks[kind.name], cron=kind.cron, periodic_id="", configure_kwargs={}
        )
        try:
            assert period.croniter
        except ValueError as wrong:
            raise ValueError(f"The period of task {kind.name} is not a cron line: {wrong}") from None


def _not_here(*_context: object, **_arguments: object) -> None:
    raise NotImplementedError("This process defers tasks; a worker runs them.")
