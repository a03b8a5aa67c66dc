"""The commands that are processes."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from armarium.core.errors import Misconfigured
from armarium.server.background import run_scheduler_process, run_worker_process
from armarium.server.collecting import run_collector_process
from armarium.server.supervised import EX_CONFIG, Supervised, adopt
from armarium.server.up import run_up
from armarium.server.web import run_web
from armarium.settings import Settings
from armarium.terminal.output import complain
from armarium.terminal.session import session

Name = Annotated[
    str | None, typer.Option(help="Name on the system page, when several of a kind run on one machine.")
]


def up(context: typer.Context) -> None:
    """Start everything on this machine: site, scheduler, workers, and PostgreSQL if none is set."""
    try:
        run_up(session(context).load())
    except Misconfigured as error:
        raise _hopeless(error) from None


def web(context: typer.Context, name: Name = None) -> None:
    """Serve the staff site and the API."""
    _supervised(context, name, run_web)


def scheduler(context: typer.Context, name: Name = None) -> None:
    """Start due work: periodic tasks, tasks whose worker died. Several may run; one leads."""
    _supervised(context, name, run_scheduler_process)


def worker(context: typer.Context, name: Name = None) -> None:
    """Run background tasks. Any number may run, on any number of machines."""
    _supervised(context, name, run_worker_process)


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
    _supervised(context, None, partial(run_collector_process, drain=drain))


def _supervised(
    context: typer.Context, name: str | None, run: Callable[[Settings, Supervised], None]
) -> None:
    """Take over what a supervisor may have given, and tell it if this process can never start."""
    supervised = adopt()
    supervised = replace(supervised, name=supervised.name or name)
    try:
        run(session(context).load(), supervised)
    except Misconfigured as error:
        supervised.failed(str(error))
        raise _hopeless(error) from None


def _hopeless(error: Misconfigured) -> typer.Exit:
    """An exit code that tells a supervisor, ours or systemd, that starting again will not help."""
    complain(str(error))
    return typer.Exit(EX_CONFIG)
