"""`armarium settings`: what is set, whether it is right, and what could be set."""

import sys

import typer

from armarium.core.errors import Misconfigured
from armarium.server.sections import SECTIONS, check_plug_ins
from armarium.settings import show
from armarium.settings.load import exposure_warning
from armarium.settings.problems import WrongSettings
from armarium.settings.show import example
from armarium.terminal.groups import group
from armarium.terminal.output import complain, say, show_json, write
from armarium.terminal.session import Json, session

settings_commands = group("The settings: show, check, write an example file.")


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
        check_plug_ins(settings)
    except Misconfigured as wrong:
        found = wrong.problems if isinstance(wrong, WrongSettings) else ()
        told = [problem.as_json() for problem in found] or [{"what": str(wrong)}]
        if as_json:
            show_json({"valid": False, "problems": told})
        else:
            sys.stderr.write(f"{wrong}\n")
        raise typer.Exit(1) from None
    warning = exposure_warning(settings)
    if as_json:
        warnings = [{"what": warning}] if warning else []
        file = str(settings.file or "")
        return show_json({"valid": True, "file": file, "problems": [], "warnings": warnings})
    if warning:
        complain(warning)
    return say(f"The settings are right. File: {settings.file or 'none, defaults and environment apply'}.")


@settings_commands.command("example")
def example_settings() -> None:
    """Write a complete settings file with every key, its default and its help, all commented out."""
    write(example(SECTIONS))
