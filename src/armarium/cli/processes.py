"""The commands that are processes. Each imports only its own: a worker has no pages."""

from functools import partial
from typing import Annotated

import typer

from armarium.cli.supervising import hopeless, supervised_run
from armarium.core.errors import Misconfigured
from armarium.core.late import imported
from armarium.terminal.session import session

Name = Annotated[
    str | None, typer.Option(help="Name on the system page, when several of a kind run on one machine.")
]


def up(context: typer.Context) -> None:
    """Start everything on this machine: site, scheduler, workers, and PostgreSQL if none is set."""
    try:
        imported("armarium.server.up:run_up")(session(context).load())
    except Misconfigured as error:
        raise hopeless(error) from None


def web(context: typer.Context, name: Name = None) -> None:
    """Serve the staff site and the API."""
    supervised_run(context, name, imported("armarium.server.web:run_web"))


def access(context: typer.Context, name: Name = None) -> None:
    """Serve the readers' site, and archived pages on an origin of their own. Any number may run."""
    supervised_run(context, name, imported("armarium.server.access:run_access"))


def scheduler(context: typer.Context, name: Name = None) -> None:
    """Start due work: periodic tasks, tasks whose worker died. Several may run; one leads."""
    supervised_run(context, name, imported("armarium.server.background:run_scheduler_process"))


def worker(
    context: typer.Context,
    name: Name = None,
    schedule: Annotated[
        bool, typer.Option("--schedule", help="Start due work, too, as a scheduler does. One of all leads.")
    ] = False,
) -> None:
    """Run background tasks. Any number may run, on any number of machines."""
    run = imported("armarium.server.background:run_worker_process")
    supervised_run(context, name, partial(run, schedule=schedule))
