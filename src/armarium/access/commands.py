"""`armarium reading`: the reading room, from a shell."""

import typer

from armarium.access.accreditation.commands import readers_commands
from armarium.access.networks.commands import networks_commands
from armarium.access.rules.commands import rules_commands
from armarium.access.statistics.commands import statistics_commands
from armarium.access.viewings.commands import viewings_commands

reading_commands = typer.Typer(
    no_args_is_help=True, help="The reading room: who may read what, accredited readers, use, viewings."
)
reading_commands.add_typer(rules_commands, name="rules")
reading_commands.add_typer(networks_commands, name="networks")
reading_commands.add_typer(readers_commands, name="readers")
reading_commands.add_typer(statistics_commands, name="statistics")
reading_commands.add_typer(viewings_commands, name="viewings")
