"""`armarium plan`: what the pages of planning do, from a shell."""

from dataclasses import asdict
from typing import Annotated

import typer

from armarium.languages.speech import byte_size
from armarium.planning.collectors.commands import collectors_commands
from armarium.planning.domains.commands import aliases_commands, domains_commands
from armarium.planning.generation.commands import generation_commands
from armarium.planning.harvests.commands import calendar_commands, harvests_commands
from armarium.planning.history.service import History
from armarium.planning.jobs.commands import Most, jobs_commands
from armarium.planning.profiles.commands import profiles_commands
from armarium.planning.rule_commands import channels_commands, fields_commands, traps_commands
from armarium.planning.schedules.commands import schedules_commands
from armarium.terminal.output import show_json, show_table
from armarium.terminal.session import Json, service

plan_commands = typer.Typer(
    no_args_is_help=True, help="Planning: domains, profiles, schedules, harvests, jobs."
)
plan_commands.add_typer(generation_commands)  # without a name: plan preview, plan generate
plan_commands.add_typer(jobs_commands, name="jobs")


@plan_commands.command("history")
def show_history(
    context: typer.Context,
    domain: Annotated[str, typer.Argument(help="Name of a domain.")],
    most: Most = 50,
    as_json: Json = False,
) -> None:
    """Show what jobs brought home for a domain."""
    with service(context, History) as history:
        rows, total = history.of_domain(history.domain_named(domain).id, limit=most)
    if as_json:
        return show_json({"items": [asdict(row) for row in rows], "total": asdict(total)})
    columns = ("Job", "State", "Harvest", "Configuration", "Objects", "Size", "Reason", "Ended")
    lines = [
        (r.job, r.state, r.harvest_name, r.name, r.objects, byte_size(r.bytes), r.stop_reason, r.ended_at)
        for r in rows
    ]
    return show_table(columns, lines, empty="Never harvested.")


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
