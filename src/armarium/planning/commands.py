"""`armarium plan`: what the pages of planning do, from a shell."""

import typer

from armarium.planning.collectors.commands import collectors_commands
from armarium.planning.domains.commands import aliases_commands, domains_commands
from armarium.planning.generation.commands import generation_commands
from armarium.planning.harvests.commands import calendar_commands, harvests_commands
from armarium.planning.jobs.channels_commands import channels_commands
from armarium.planning.jobs.commands import jobs_commands, show_history
from armarium.planning.profiles.commands import profiles_commands
from armarium.planning.rule_commands import fields_commands, traps_commands
from armarium.planning.schedules.commands import schedules_commands

plan_commands = typer.Typer(
    no_args_is_help=True, help="Planning: domains, profiles, schedules, harvests, jobs."
)
plan_commands.add_typer(generation_commands)  # without a name: plan preview, plan generate
plan_commands.add_typer(jobs_commands, name="jobs")
plan_commands.command("history")(show_history)
plan_commands.add_typer(profiles_commands, name="profiles")
plan_commands.add_typer(schedules_commands, name="schedules")
plan_commands.add_typer(traps_commands, name="traps")
plan_commands.add_typer(fields_commands, name="fields")
plan_commands.add_typer(channels_commands, name="channels")
plan_commands.add_typer(harvests_commands, name="harvests")
plan_commands.add_typer(calendar_commands, name="calendar")
plan_commands.add_typer(collectors_commands, name="collectors")
plan_commands.add_typer(domains_commands, name="domains")
plan_commands.add_typer(aliases_commands, name="aliases")
