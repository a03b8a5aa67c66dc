"""The commands that are processes."""

from typing import Annotated

import typer

from armarium.cli.supervising import hopeless, supervised_run
from armarium.core.errors import Misconfigured
from armarium.server.access import run_access
from armarium.server.background import run_scheduler_process, run_worker_process
from armarium.server.up import run_up
from armarium.server.web import run_web
from armarium.terminal.session import session

Name = Annotated[
    str | None, typer.Option(help="Name on the system page, when several of a kind run on one machine.")
]


def up(context: typer.Context) -> None:
    """Start everything on this machine: site, scheduler, workers, and PostgreSQL if none is set."""
    try:
        run_up(session(context).load())
    except Misconfigured as error:
        raise hopeless(error) from None


def web(context: typer.Context, name: Name = None) -> None:
    """Serve the staff site and the API."""
    supervised_run(context, name, run_web)


def access(context: typer.Context, name: Name = None) -> None:
    """Serve the readers' site, and archived pages on an origin of their own. Any number may run."""
    supervised_run(context, name, run_access)


def scheduler(context: typer.Context, name: Name = None) -> None:
    """Start due work: periodic tasks, tasks whose worker died. Several may run; one leads."""
    supervised_run(context, name, run_scheduler_process)


def worker(context: typer.Context, name: Name = None) -> None:
    """Run background tasks. Any number may run, on any number of machines."""
    supervised_run(context, name, run_worker_process)
