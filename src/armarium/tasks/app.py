"""procrastinate's view of our kinds of task."""

from collections.abc import Callable
from typing import Any

from procrastinate import App
from procrastinate.connector import BaseConnector
from procrastinate.periodic import PeriodicRegistry, PeriodicTask

from armarium.tasks.kinds import TaskKinds
from armarium.tasks.manager import TaskManager
from armarium.tasks.model import TaskKind
from armarium.tasks.runner import BackOff, Runner


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
