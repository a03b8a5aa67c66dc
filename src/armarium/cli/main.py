"""`armarium`: all commands, and what every one of them shares."""

import errno
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

import armarium
from armarium.core.errors import ArmariumError
from armarium.core.late import imported
from armarium.core.services import Services
from armarium.core.spelling import told
from armarium.terminal.lazy_group import Command, LazyGroup
from armarium.terminal.output import complain, let_go, write
from armarium.terminal.session import Session

if TYPE_CHECKING:  # a command without a house needs none of it
    from armarium.settings import Settings


class Commands(LazyGroup):
    """Every command of Armarium, imported when it is called."""

    table: ClassVar[Mapping[str, Command]] = {
        "up": Command(
            "armarium.cli.processes:up",
            "Start everything on this machine: site, scheduler, workers, and PostgreSQL if none is set.",
        ),
        "demo": Command(
            "armarium.demo.commands:demo",
            "Show the whole life of a page, from its choice to its reader, on a small web on this machine.",
        ),
        "web": Command("armarium.cli.processes:web", "Serve the staff site and the API."),
        "scheduler": Command(
            "armarium.cli.processes:scheduler",
            "Start due work: periodic tasks, tasks whose worker died.",
        ),
        "worker": Command("armarium.cli.processes:worker", "Run background tasks."),
        "access": Command(
            "armarium.cli.processes:access",
            "Serve the readers' site, and archived pages on an origin of their own.",
        ),
        "collector": Command("armarium.cli.processes:collector", "Crawl jobs of the server."),
        "overview": Command(
            "armarium.cli.overview:overview",
            "Show what waits for somebody, what runs, and what went wrong in the last week.",
        ),
        "system": Command(
            "armarium.administration.machine_commands:show_system",
            "Show every process with its machine, state and last heartbeat.",
        ),
        "audit": Command(
            "armarium.administration.machine_commands:show_audit",
            "Show the audit log: who changed what, when, from what, to what.",
        ),
        "settings": Command(
            "armarium.cli.settings:settings_commands", "The settings: show, check, write an example file."
        ),
        "accounts": Command(
            "armarium.administration.commands:accounts_commands", "Accounts, their roles and one-time links."
        ),
        "tokens": Command("armarium.administration.commands:tokens_commands", "API tokens of accounts."),
        "tasks": Command(
            "armarium.administration.machine_commands:tasks_commands",
            "Background tasks: look, retry, cancel.",
        ),
        "notifications": Command(
            "armarium.administration.machine_commands:notifications_commands",
            "What operators were told, and a test of it.",
        ),
        "select": Command(
            "armarium.selection.commands:select_commands",
            "Select: records of sites, collections, nominations, transfer to planning.",
        ),
        "plan": Command(
            "armarium.planning.commands:plan_commands",
            "Planning: domains, profiles, schedules, harvests, jobs.",
        ),
        "store": Command(
            "armarium.storage.commands:store_commands",
            "Storage: files, replicas, audits, repairs, imports, batches.",
        ),
        "index": Command(
            "armarium.index.commands:index_commands",
            "The index: look captures up, merge, rebuild, export, import.",
        ),
        "reading": Command(
            "armarium.access.commands:reading_commands",
            "The reading room: who may read what, accredited readers, statistics, quality viewing.",
        ),
        "replay": Command(
            "armarium.cli.replay:replay", "Serve WARC, ARC and WACZ files to a browser, without any server."
        ),
        "crawl": Command(
            "armarium.harvest.commands:crawl", "Harvest web sites into WARC files, without any server."
        ),
        "harvest": Command(
            "armarium.harvest.commands:harvest_commands",
            "Harvests: see and steer a crawl that runs, and ask why an address was taken or not.",
        ),
        "warc": Command(
            "armarium.cli.warc:warc_commands", "WARC and ARC files: list, check, extract, index, count."
        ),
        "completion": Command(
            "armarium.cli.completion:show_script",
            "Write the script by which a shell completes commands, options, choices and names at TAB.",
        ),
        "url": Command(
            "armarium.cli.url:url_commands",
            "URLs: their canonical form, their key in an index, their registered domain.",
        ),
    }


app = typer.Typer(
    name="armarium",
    cls=Commands,
    add_completion=False,  # ours knows ./run, and imports no command
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
        write(f"armarium {armarium.__version__}\n")
        raise typer.Exit


def _install_completion(wanted: bool) -> None:
    if wanted:
        imported("armarium.cli.completion:install")()
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
    __: Annotated[
        bool,
        typer.Option(
            "--install-completion",
            callback=_install_completion,
            is_eager=True,
            help="Let your shell complete commands, options and names at TAB.",
        ),
    ] = False,
) -> None:
    """Options that every command shares."""
    context.obj = Session(
        load=lambda: imported("armarium.server.sections:load_settings")(home, settings),
        enter=_entered,
    )


def _entered(settings: "Settings") -> AbstractContextManager[Services]:
    found: AbstractContextManager[Services] = imported("armarium.cli.services:entered")(settings)
    return found


def main() -> None:
    if "_ARMARIUM_COMPLETE" in os.environ:
        imported("armarium.cli.completion:complete")()
        return
    # File names may be any bytes; everything else goes to the database.
    about_files = sys.argv[1:2] in (["warc"], ["replay"])
    if not about_files and any("\udc80" <= letter <= "\udcff" for word in sys.argv for letter in word):
        complain("An argument is not valid UTF-8.")
        sys.exit(2)
    if not about_files and sys.argv[1:2] != ["crawl"]:  # a crawl leaves files for whoever asked for it
        os.umask(0o077)  # what lies in the data folder is nobody else's, however we were started
    try:
        app(prog_name="armarium")
    except ArmariumError as error:
        complain(told(error))
        sys.exit(1)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        complain(no_room(error))
        sys.exit(1)


def no_room(error: OSError) -> str:
    """What a full disk keeps from being written: what typer itself writes, such as help, or some file."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()  # what it could not take is still there, and fails again
    except OSError:
        let_go(sys.stdout)
        return f"Standard output cannot be written: {error.strerror}."
    place = error.filename or "A file on one of the disks in use"
    return f"{place} cannot be written: {error.strerror}. Make room, then run the command again."
