"""The process of a crawl machine. It needs no house: nothing of one is imported."""

from functools import partial
from typing import Annotated

import typer

from armarium.cli.supervising import supervised_run
from armarium.server.collecting import run_collector_process


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
    supervised_run(context, None, partial(run_collector_process, drain=drain))
