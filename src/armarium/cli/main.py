"""`armarium`: all commands, and what every one of them shares."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import armarium
from armarium import logs
from armarium.administration.commands import accounts_commands, tokens_commands
from armarium.administration.machine_commands import (
    notifications_commands,
    show_audit,
    show_system,
    tasks_commands,
)
from armarium.cli.processes import scheduler, up, web, worker
from armarium.cli.settings import settings_commands
from armarium.cli.url import url_commands
from armarium.cli.warc import warc_commands
from armarium.core.errors import ArmariumError
from armarium.core.services import Services
from armarium.server.assembly import SECTIONS, visited
from armarium.settings import Settings, load
from armarium.terminal.output import complain
from armarium.terminal.session import Session

app = typer.Typer(
    name="armarium",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Armarium: the suite with which a library archives the web.\n\n"
    "Begin with `armarium up`, which starts everything on this machine. "
    "Exit codes: 0 fine, 1 the answer is no or there were problems, 2 wrong usage; "
    "78 from a process whose settings are wrong.",
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"armarium {armarium.__version__}\n")
        raise typer.Exit


@app.callback()
def shared(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option(help="The data folder. Default: $ARMARIUM_HOME, else ./armarium-data.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="The settings file. Default: armarium.toml in the data folder.")
    ] = None,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that every command shares."""
    context.obj = Session(load=lambda: load(SECTIONS, home=home, file=settings), enter=entered)


@contextmanager
def entered(settings: Settings) -> Iterator[Services]:
    logs.configure(settings, process="command", least=logging.WARNING)  # the answer is on standard output
    with visited(settings, application="armarium command") as house:
        yield Services(house.services())


app.command()(up)
app.command()(web)
app.command()(scheduler)
app.command()(worker)
app.add_typer(settings_commands, name="settings")
app.add_typer(accounts_commands, name="accounts")
app.add_typer(tokens_commands, name="tokens")
app.add_typer(tasks_commands, name="tasks")
app.command("system")(show_system)
app.add_typer(notifications_commands, name="notifications")
app.command("audit")(show_audit)
app.add_typer(warc_commands, name="warc")
app.add_typer(url_commands, name="url")


def main() -> None:
    # File names may be any bytes; everything else goes to the database.
    about_files = sys.argv[1:2] == ["warc"]
    if not about_files and any("\udc80" <= letter <= "\udcff" for word in sys.argv for letter in word):
        complain("An argument is not valid UTF-8.")
        sys.exit(2)
    if not about_files:
        os.umask(0o077)  # what lies in the data folder is nobody else's, however we were started
    try:
        app(prog_name="armarium")
    except ArmariumError as error:
        complain(str(error))
        sys.exit(1)
