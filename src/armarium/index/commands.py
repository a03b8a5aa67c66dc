"""`armarium index`: what the pages of the index do, from a shell."""

from armarium.index.captures.commands import lookup_commands
from armarium.index.collections.commands import collections_commands
from armarium.index.exporting.commands import exchange_commands
from armarium.index.upkeep.commands import upkeep_commands
from armarium.terminal.groups import group

index_commands = group("The index: look captures up, merge, rebuild, export, import.")
index_commands.add_typer(lookup_commands)  # without a name: index lookup, index status, …
index_commands.add_typer(upkeep_commands)
index_commands.add_typer(exchange_commands)
index_commands.add_typer(collections_commands, name="collections")
