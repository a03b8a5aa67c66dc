"""Commands for collections."""

import typer

from armarium.selection.collections.service import Collections
from armarium.terminal.output import show_json, show_table
from armarium.terminal.session import Json, session

collections_commands = typer.Typer(no_args_is_help=True, help="Collections: what may be chosen, by whom.")


@collections_commands.command("list")
def list_collections(context: typer.Context, as_json: Json = False) -> None:
    """List collections."""
    with session(context).services() as services:
        found = services.get(Collections).all()
    if as_json:
        return show_json([{"id": one.id, **one.described()} for one in found])
    rows = ((one.name, one.description, one.active) for one in found)
    return show_table(("Name", "Description", "Active"), rows, empty="No collections.")


@collections_commands.callback()
def collections() -> None:
    """Keeps `list` a command of its own while there is but one."""
