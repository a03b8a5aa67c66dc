"""`armarium worker` and `armarium scheduler`."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from armarium.server.assembly import TASK_KINDS, House, opened
from armarium.server.runtime import Runtime, running
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.tasks.metrics import TaskMetrics
from armarium.tasks.scheduler import Scheduler
from armarium.tasks.settings import TaskSettings
from armarium.tasks.worker import TaskWorker

PATIENCE = 2.0  # seconds that a scheduler may take to end: the database may be away


def run_worker_process(settings: Settings, supervised: Supervised, *, schedule: bool = False) -> None:
    """`schedule`: be a scheduler, too. Several may be: one of them leads."""
    with running(opened, settings, supervised, "worker") as runtime:
        worker = _worker(runtime, settings[TaskSettings])
        runtime.heartbeat.running()
        supervised.ready()
        with _scheduling(runtime, settings[TaskSettings], worker) if schedule else nullcontext():
            unfinished = worker.run()
    if unfinished:
        # Their threads still run, and other workers may start these tasks again: no step further here.
        sys.stderr.flush()
        os._exit(0)


def _worker(runtime: Runtime[House], settings: TaskSettings) -> TaskWorker:
    return TaskWorker(
        runtime.house.database.url,
        TASK_KINDS,
        runtime.house.services(),
        settings,
        metrics=TaskMetrics(runtime.registry),
        tell=runtime.heartbeat.say,
    )


@contextmanager
def _scheduling(runtime: Runtime[House], settings: TaskSettings, worker: TaskWorker) -> Iterator[None]:
    """A scheduler in a thread. If it fails, the worker ends, and the process with its error."""
    scheduler = Scheduler(runtime.house.database.url, TASK_KINDS, settings)
    failures: list[Exception] = []

    def run() -> None:
        try:
            scheduler.run()
        except Exception as error:  # noqa: BLE001 - outermost loop of the thread; raised again below
            failures.append(error)
            worker.drain()

    thread = threading.Thread(target=run, name="scheduler", daemon=True)
    thread.start()
    yield
    scheduler.stop()
    thread.join(PATIENCE)
    if failures:
        raise failures[0]


def run_scheduler_process(settings: Settings, supervised: Supervised) -> None:
    with running(opened, settings, supervised, "scheduler") as runtime, runtime.house.watch():
        runtime.heartbeat.running()
        supervised.ready()
        url, chosen = runtime.house.database.url, settings[TaskSettings]
        Scheduler(url, TASK_KINDS, chosen, tell=runtime.heartbeat.say).run()
