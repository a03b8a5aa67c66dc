"""`armarium select`: what the pages of selection do, from a shell."""

import typer

from armarium.selection.collections.commands import collections_commands
from armarium.selection.records.commands import records_commands

select_commands = typer.Typer(no_args_is_help=True, help="Selection: collections, records, their transfer.")
select_commands.add_typer(collections_commands, name="collections")
select_commands.add_typer(records_commands, name="records")
