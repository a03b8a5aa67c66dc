"""What every command shares that is a process: whoever watches it is told how it fares."""

from collections.abc import Callable
from dataclasses import replace

import typer

from armarium.core.errors import Misconfigured
from armarium.server.supervised import EX_CONFIG, Supervised, adopt
from armarium.settings import Settings
from armarium.terminal.output import complain
from armarium.terminal.session import session


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
