"""The commands that are processes."""

from collections.abc import Callable

import typer

from armarium.core.errors import Misconfigured
from armarium.server.background import run_scheduler_process, run_worker_process
from armarium.server.supervised import Supervised, adopt
from armarium.server.up import run_up
from armarium.server.web import run_web
from armarium.settings import Settings
from armarium.terminal.session import session


def up(context: typer.Context) -> None:
    """Start everything on this machine: site, scheduler, workers, and PostgreSQL if none is set."""
    run_up(session(context).load())


def web(context: typer.Context) -> None:
    """Serve the staff site and the API."""
    _supervised(context, run_web)


def scheduler(context: typer.Context) -> None:
    """Start due work: periodic tasks, tasks whose worker died. Several may run; one leads."""
    _supervised(context, run_scheduler_process)


def worker(context: typer.Context) -> None:
    """Run background tasks. Any number may run, on any number of machines."""
    _supervised(context, run_worker_process)


def _supervised(context: typer.Context, run: Callable[[Settings, Supervised], None]) -> None:
    """Take over what a supervisor may have given, and tell it if this process can never start."""
    supervised = adopt()
    try:
        run(session(context).load(), supervised)
    except Misconfigured as error:
        supervised.failed(str(error))
        raise
