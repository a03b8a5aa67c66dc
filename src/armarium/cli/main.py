"""`armarium`: all commands, and what every one of them shares."""

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
    send_test_notification,
    show_audit,
    show_system,
    tasks_commands,
)
from armarium.cli.processes import scheduler, up, web, worker
from armarium.cli.settings import settings_commands
from armarium.core.errors import ArmariumError, Misconfigured
from armarium.core.services import Services
from armarium.server.assembly import SECTIONS, opened
from armarium.server.supervised import EX_CONFIG
from armarium.settings import Settings, load
from armarium.terminal.output import complain
from armarium.terminal.session import Session

PROCESSES = "Processes"
ADMINISTRATION = "Administration"

app = typer.Typer(
    name="armarium",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Armarium: the suite with which a library archives the web.\n\n"
    "Begin with `armarium up`, which starts everything on this machine. "
    "Exit codes: 0 fine, 1 the answer is no or there were problems, 2 wrong usage.",
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
    logs.configure(settings, process="command")  # to standard error: standard output is the answer
    with opened(settings, application="armarium command") as house:
        yield Services(house.services())


app.command(rich_help_panel=PROCESSES)(up)
app.command(rich_help_panel=PROCESSES)(web)
app.command(rich_help_panel=PROCESSES)(scheduler)
app.command(rich_help_panel=PROCESSES)(worker)
app.add_typer(settings_commands, name="settings", rich_help_panel=ADMINISTRATION)
app.add_typer(accounts_commands, name="accounts", rich_help_panel=ADMINISTRATION)
app.add_typer(tokens_commands, name="tokens", rich_help_panel=ADMINISTRATION)
app.add_typer(tasks_commands, name="tasks", rich_help_panel=ADMINISTRATION)
app.command("system", rich_help_panel=ADMINISTRATION)(show_system)
app.command("notify-test", rich_help_panel=ADMINISTRATION)(send_test_notification)
app.command("audit", rich_help_panel=ADMINISTRATION)(show_audit)


def main() -> None:
    if any("\udc80" <= letter <= "\udcff" for argument in sys.argv for letter in argument):
        complain("An argument is not valid UTF-8.")
        sys.exit(2)
    try:
        app(prog_name="armarium")
    except Misconfigured as error:
        complain(str(error))
        sys.exit(EX_CONFIG)
    except ArmariumError as error:
        complain(str(error))
        sys.exit(1)
