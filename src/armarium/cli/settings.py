"""`armarium settings`: what is set, whether it is right, and what could be set."""

import sys

import typer

from armarium.server.assembly import SECTIONS
from armarium.settings import show
from armarium.settings.example import example
from armarium.settings.problems import WrongSettings
from armarium.terminal.output import say, show_json, write
from armarium.terminal.session import Json, session

settings_commands = typer.Typer(
    no_args_is_help=True, help="The settings: show, check, write an example file."
)


@settings_commands.command("show")
def show_settings(context: typer.Context, as_json: Json = False) -> None:
    """Show every setting with its value and where that comes from; secrets are masked."""
    settings = session(context).load()
    if as_json:
        return show_json(show.as_json(settings))
    return write(show.table(settings))


@settings_commands.command("check")
def check_settings(context: typer.Context, as_json: Json = False) -> None:
    """Check the settings file and the environment without starting anything."""
    try:
        settings = session(context).load()
    except WrongSettings as wrong:
        if as_json:
            show_json({"valid": False, "problems": [problem.as_json() for problem in wrong.problems]})
        else:
            sys.stderr.write(f"{wrong}\n")
        raise typer.Exit(1) from None
    if as_json:
        return show_json({"valid": True, "file": str(settings.file or ""), "problems": []})
    return say(f"The settings are right. File: {settings.file or 'none, defaults and environment apply'}.")


@settings_commands.command("example")
def example_settings() -> None:
    """Write a complete settings file with every key, its default and its help, all commented out."""
    write(example(SECTIONS))
