"""`armarium reading`: the reading room, from a shell."""

from armarium.access.accreditation.commands import readers_commands
from armarium.access.networks.commands import networks_commands
from armarium.access.rules.commands import rules_commands
from armarium.access.statistics.commands import statistics
from armarium.access.viewings.commands import viewings_commands
from armarium.terminal.groups import group

reading_commands = group(
    "The reading room: who may read what, accredited readers, statistics, quality viewing."
)
reading_commands.add_typer(rules_commands, name="rules")
reading_commands.add_typer(networks_commands, name="networks")
reading_commands.add_typer(readers_commands, name="readers")
reading_commands.command("statistics")(statistics)
reading_commands.add_typer(viewings_commands, name="viewings")
