"""`armarium worker` and `armarium scheduler`."""

import os
import sys

from armarium.administration.watch import Watch
from armarium.core.services import Services
from armarium.server.assembly import TASK_KINDS, House, opened
from armarium.server.frame import framed
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.tasks.metrics import TaskMetrics
from armarium.tasks.scheduler import Scheduler
from armarium.tasks.settings import TaskSettings
from armarium.tasks.worker import run_worker


def run_worker_process(settings: Settings, supervised: Supervised) -> None:
    with framed(opened, settings, supervised, "worker") as frame:
        services = Services(frame.house.services())
        frame.heartbeat.running()
        supervised.ready()
        unfinished = run_worker(
            frame.house.database.url,
            TASK_KINDS,
            services,
            settings[TaskSettings],
            metrics=TaskMetrics(frame.registry),
            tell=frame.heartbeat.say,
        )
    if unfinished:
        # Their threads still run, and other workers may start these tasks again: no step further here.
        sys.stderr.flush()
        os._exit(0)


def run_scheduler_process(settings: Settings, supervised: Supervised) -> None:
    with framed(opened, settings, supervised, "scheduler") as frame, watch_over(frame.house):
        frame.heartbeat.running()
        supervised.ready()
        url, chosen = frame.house.database.url, settings[TaskSettings]
        Scheduler(url, TASK_KINDS, chosen, tell=frame.heartbeat.say).run()


def watch_over(house: House) -> Watch:
    return Watch(house.database, house.processes, house.notifier)
