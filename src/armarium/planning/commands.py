"""`armarium plan`: what the pages of planning do, from a shell."""

from collections.abc import Mapping
from typing import ClassVar

import typer

from armarium.terminal.lazy_group import Command, LazyGroup


class Commands(LazyGroup):
    """Each is imported when it is called."""

    old_names: ClassVar[Mapping[str, str]] = {
        "history": "domains history",
        "preview": "harvests preview",
        "generate": "harvests generate",
    }
    table: ClassVar[Mapping[str, Command]] = {
        "jobs": Command(
            "armarium.planning.jobs.commands:jobs_commands",
            "Jobs: list, show, resubmit, steer those that run.",
        ),
        "profiles": Command(
            "armarium.planning.profiles.commands:profiles_commands",
            "Profiles: how crawls behave, in versions.",
        ),
        "schedules": Command(
            "armarium.planning.schedules.commands:schedules_commands", "Schedules: how often harvests run."
        ),
        "traps": Command("armarium.planning.rule_commands:traps_commands", "Crawler traps for all domains."),
        "fields": Command(
            "armarium.planning.rule_commands:fields_commands",
            "Custom fields of domains and harvests.",
        ),
        "channels": Command(
            "armarium.planning.rule_commands:channels_commands",
            "Channels: which collectors serve which harvests first.",
        ),
        "harvests": Command(
            "armarium.planning.harvest_commands:harvests_commands", "Harvests: define, activate, run."
        ),
        "calendar": Command(
            "armarium.planning.harvests.commands:calendar_commands", "What harvests bring, day by day."
        ),
        "collectors": Command(
            "armarium.planning.collectors.commands:collectors_commands",
            "Collectors: the machines that crawl.",
        ),
        "domains": Command(
            "armarium.planning.domain_commands:domains_commands", "Domains, and files of them."
        ),
        "aliases": Command(
            "armarium.planning.domains.commands:aliases_commands",
            "Aliases: domains with the content of another.",
        ),
    }


plan_commands = typer.Typer(cls=Commands, no_args_is_help=True)


@plan_commands.callback()
def plan() -> None:
    """Planning: domains, profiles, schedules, harvests, jobs."""
