"""The worker: fetches tasks and runs them, until it is asked to end.

On SIGTERM it stops fetching. Running tasks see `stopping()` and have `tasks.drain_seconds`; what has not
ended then goes back to waiting as it was, and the process leaves. While the database is away the worker
waits for it with its tasks running on.
"""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import structlog
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from armarium.core.services import Services
from armarium.tasks.app import Runner, Tell, build_worker_app, unheard
from armarium.tasks.connector import PatientConnector, make_pool
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.manager import TaskManager
from armarium.tasks.metrics import TaskMetrics
from armarium.tasks.settings import TaskSettings

log = structlog.get_logger(__name__)

SIGN_OFF_SECONDS = 1.5  # to write down how the last tasks ended, after the drain
POOL_SIZE = 4
POLL_SECONDS = 5.0  # only for what NOTIFY did not tell: tasks whose hour has come, a broken line


class TaskWorker:
    """One worker in one process. `run` returns when it has drained; `drain` may be called from any thread."""

    def __init__(
        self,
        url: str,
        kinds: TaskKinds,
        services: Services,
        settings: TaskSettings,
        *,
        metrics: TaskMetrics | None = None,
        tell: Tell = unheard,
    ) -> None:
        self._url = url
        self._kinds = kinds
        self._settings = settings
        self._connector = PatientConnector()
        self._manager = TaskManager(self._connector, kinds)
        self._runner = Runner(self._manager, services, metrics or TaskMetrics(), tell)
        self._stop: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def run(self) -> int:
        """Work until drained. Returns how many tasks were given back while their threads still run.

        If there are any, the caller must end the process at once: another worker may start them again.
        """
        with _quiet_procrastinate():
            asyncio.run(self._serve())
        return len(self._runner.unfinished)

    def drain(self) -> None:
        with self._lock:
            if self._manager.draining.is_set():
                return
            log.info("worker drains", seconds=self._settings.drain_seconds)
            self._connector.give_up_at = time.monotonic() + self._settings.drain_seconds
            self._manager.draining.set()
            if self._stop is not None:
                self._stop()

    async def _serve(self) -> None:
        pool = make_pool(self._url, "armarium worker", POOL_SIZE)
        await pool.open(wait=False)
        app = build_worker_app(self._kinds, self._manager, self._runner)
        await app.open_async(pool)
        try:
            with _signals(self.drain):
                await self._work(_PeriodlessWorker(app, **self._options()))
        finally:
            await pool.close(timeout=1)

    async def _work(self, worker: Worker) -> None:
        log.info(
            "worker starts", queues=list(self._settings.queues) or "all", tasks=self._settings.concurrency
        )
        running = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
        leaving = asyncio.create_task(self._time_to_leave(worker))
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        error = running.exception() if running.done() else None
        if not self._manager.draining.is_set():
            raise error or RuntimeError(
                "The worker stopped by itself; the log line before this one says why."
            )
        if not running.done() or isinstance(error, ConnectorException):
            # Its tasks stay marked as running; the scheduler finds them by the heartbeats that are missing.
            log.warning("worker leaves without signing off, the database is away")
        elif error is not None:
            raise error
        log.info("worker has drained", unfinished=sorted(self._runner.unfinished))

    async def _time_to_leave(self, worker: Worker) -> None:
        """Once asked to drain, see that it comes to an end, even if the database never answers again."""
        asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        with self._lock:
            self._stop = partial(loop.call_soon_threadsafe, asked.set)
            if self._manager.draining.is_set():
                asked.set()
        await asked.wait()
        worker.stop()  # type: ignore[no-untyped-call]
        await asyncio.sleep(self._settings.drain_seconds + SIGN_OFF_SECONDS)

    def _options(self) -> dict[str, Any]:
        settings = self._settings
        return {
            "queues": list(settings.queues) or None,
            "concurrency": settings.concurrency,
            "fetch_job_polling_interval": min(POLL_SECONDS, settings.heartbeat_seconds),
            "abort_job_polling_interval": POLL_SECONDS,
            "shutdown_graceful_timeout": settings.drain_seconds,
            "install_signal_handlers": False,
            "update_heartbeat_interval": settings.heartbeat_seconds,
        }


class _PeriodlessWorker(Worker):
    async def _periodic_deferrer(self) -> None:
        # Ours never ends. procrastinate watches its side tasks (the heartbeat among them) only until the
        # first one is done, and a deferrer without periods is done at once.
        await asyncio.Event().wait()


def run_worker(
    url: str,
    kinds: TaskKinds,
    services: Services,
    settings: TaskSettings,
    *,
    metrics: TaskMetrics | None = None,
    tell: Tell = unheard,
) -> int:
    """Be a worker process: see `TaskWorker.run`."""
    return TaskWorker(url, kinds, services, settings, metrics=metrics, tell=tell).run()


@contextmanager
def _signals(drain: Callable[[], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, drain)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError):
                loop.remove_signal_handler(number)


@contextmanager
def _quiet_procrastinate() -> Iterator[None]:
    """We write our own lines about tasks, with ids as fields; procrastinate's repeat all arguments."""
    names = {"procrastinate": logging.WARNING, "psycopg.pool": logging.ERROR}
    loggers = {logging.getLogger(name): level for name, level in names.items()}
    before = {logger: logger.level for logger in loggers}
    outcomes = logging.getLogger("procrastinate.worker")
    for logger, level in loggers.items():
        logger.setLevel(level)
    outcomes.addFilter(_tells_more_than_we_do)
    try:
        yield
    finally:
        outcomes.removeFilter(_tells_more_than_we_do)
        for logger, level in before.items():
            logger.setLevel(level)


def _tells_more_than_we_do(record: logging.LogRecord) -> bool:
    return not str(getattr(record, "action", "")).startswith(("job_", "task_not_found"))
