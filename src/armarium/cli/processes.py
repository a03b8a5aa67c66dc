"""The commands that are processes. Each imports only its own: a worker has no pages."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from armarium.core.errors import Misconfigured
from armarium.core.late import imported
from armarium.server.supervised import EX_CONFIG, Supervised, adopt
from armarium.settings import Settings
from armarium.terminal.output import complain
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


def collector(
    context: typer.Context,
    drain: Annotated[
        bool,
        typer.Option(
            "--drain",
            help="Take no work, but give back the jobs that are held here, and end: for a machine that is "
            "taken away. What was crawled of them is put aside.",
        ),
    ] = False,
) -> None:
    """Crawl jobs of the server. Any number may run, on any number of machines; it needs no database."""
    run = imported("armarium.server.collecting:run_collector_process")
    supervised_run(context, None, partial(run, drain=drain))


# --- What all of them share: whoever watches a process is told how it fares.


def supervised_run(
    context: typer.Context, name: str | None, run: Callable[[Settings, Supervised], None]
) -> None:
    """Take over what a supervisor may have given, and tell it if this process can never start."""
    supervised = adopt()
    supervised = replace(supervised, name=supervised.name or name)
    try:
        run(session(context).load(), supervised)
    except Misconfigured as error:
        supervised.failed(str(error))
        raise hopeless(error) from None


def hopeless(error: Misconfigured) -> typer.Exit:
    """An exit code that tells a supervisor, ours or systemd, that starting again will not help."""
    complain(str(error))
    return typer.Exit(EX_CONFIG)
