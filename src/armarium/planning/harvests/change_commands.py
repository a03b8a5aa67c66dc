"""`armarium plan harvests`: changing a definition."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.planning.budgets import Share
from armarium.planning.channels.service import Channels
from armarium.planning.harvests.labels import note_of, standing, trouble_of
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import Missed
from armarium.planning.parsing import NONE_TYPED, text_of_file, typed_count, typed_size
from armarium.planning.schedules.service import Schedules
from armarium.terminal.output import say, show_facts, show_json, show_one
from armarium.terminal.session import Json, operator, service, session

harvest_change_commands = typer.Typer()

Name = Annotated[str, typer.Argument(help="The harvest's name.")]
Channel = Annotated[str | None, typer.Option(help="The channel's name; none: the default of its kind.")]
Traps = Annotated[
    Path | None, typer.Option(help="A file of crawler traps, one expression a line; - for standard input.")
]
Objects = Annotated[str | None, typer.Option(help="Objects of each domain at most; none: no limit.")]
Size = Annotated[
    str | None, typer.Option(help="Size of each domain at most, as 500 MB or 1.5 GB; none: no limit.")
]
Seconds = Annotated[str | None, typer.Option(help="Seconds of each job at most; none: no limit.")]

TotalObjects = Annotated[
    str | None, typer.Option(help="Objects of each run at most, all its jobs together; none: no limit.")
]
TotalSize = Annotated[
    str | None, typer.Option(help="Size of each run at most, all its jobs together; none: no limit.")
]


def described(harvest: Harvest) -> dict[str, Any]:
    return {
        "id": harvest.id,
        **harvest.described(),
        "state": standing(harvest).value,
        "jobs_left": harvest.jobs_left,
        "active": harvest.active,
        "runs": harvest.runs,
        "note": note_of(harvest),
        "trouble": trouble_of(harvest),
    }


def schedule_of(services: Services, name: str | None, before: int | None = None) -> int | None:
    """The number of a schedule; `none` for none, what was if nothing was typed."""
    if name is None:
        return before
    return services.get(Schedules).named(name).id if name not in ("", NONE_TYPED) else None


def channel_of(services: Services, name: str | None, before: int | None = None) -> int | None:
    if name is None:
        return before
    return services.get(Channels).named(name).id if name not in ("", NONE_TYPED) else None


def traps_of(file: Path | None, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    return before if file is None else tuple(text_of_file(file).splitlines())


def definition_of(harvest: Harvest) -> Definition:
    return Definition(**{name: getattr(harvest, name) for name in Definition.__dataclass_fields__})


@harvest_change_commands.command("edit")
def edit_harvest(
    context: typer.Context,
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    comments: Annotated[str | None, typer.Option(help="Comments.")] = None,
    schedule: Annotated[str | None, typer.Option(help="The schedule's name; none for none.")] = None,
    channel: Channel = None,
    missed: Annotated[Missed | None, typer.Option(help="What becomes of missed runs.")] = None,
    max_objects: Objects = None,
    max_bytes: Size = None,
    max_seconds: Seconds = None,
    total_objects: TotalObjects = None,
    total_bytes: TotalSize = None,
    traps: Traps = None,
    as_json: Json = False,
) -> None:
    """Change a harvest; what is not given stays as it is."""
    with session(context).services() as services:
        harvests = services.get(Harvests)
        before = harvests.named(name)
        given = replace(
            definition_of(before),
            name=before.name if rename is None else rename,
            comments=before.comments if comments is None else comments,
            schedule=schedule_of(services, schedule, before.schedule),
            channel=channel_of(services, channel, before.channel),
            missed=missed or before.missed,
            max_objects=typed_count(max_objects, before.max_objects),
            max_bytes=typed_size(max_bytes, before.max_bytes),
            max_seconds=typed_count(max_seconds, before.max_seconds),
            total_objects=typed_count(total_objects, before.total_objects),
            total_bytes=typed_size(total_bytes, before.total_bytes),
            traps=traps_of(traps, before.traps),
        )
        after = harvests.change(operator(), before.id, given, seen=before.mark)
    return show_json(described(after)) if as_json else say(f"Harvest {after.name} is saved.")


@harvest_change_commands.command("budget")
def raise_budget(
    context: typer.Context,
    name: Name,
    run: Annotated[int, typer.Argument(help="The number of the run.", min=1)],
    total_objects: Annotated[str | None, typer.Option(help="Objects in all, more than now.")] = None,
    total_bytes: Annotated[str | None, typer.Option(help="Size in all, more than now, as 500 MB.")] = None,
    as_json: Json = False,
) -> None:
    """Raise the total budget of a run. Jobs that have ended stay so; the others share what is new of it."""
    with service(context, Harvests) as harvests:
        wanted = Share(typed_count(total_objects), typed_size(total_bytes))
        after = harvests.raise_budget(operator(), harvests.named(name).id, run, wanted)
    facts = {
        "total_objects": after.total_objects,
        "left_objects": after.left_objects,
        "total_bytes": after.total_bytes,
        "left_bytes": after.left_bytes,
    }
    return show_one(facts, as_json)


@harvest_change_commands.command("next-date")
def set_next_date(
    context: typer.Context,
    name: Name,
    moment: Annotated[str, typer.Argument(help="As 2026-12-31T03:00, in --zone.")],
    zone: Annotated[str, typer.Option(help="Time zone such as Europe/Paris.")] = "UTC",
    as_json: Json = False,
) -> None:
    """Set the next date of a harvest by hand; those after it are by its schedule again."""
    wanted = moment_of(moment, zone)
    with service(context, Harvests) as harvests:
        before = harvests.named(name)
        after = harvests.change(
            operator(), before.id, definition_of(before), seen=before.mark, next_at=wanted
        )
    if as_json:
        return show_json(described(after))
    return say(f"Harvest {after.name}: the next run is due at {wanted:%Y-%m-%d %H:%M} UTC.")


def moment_of(text: str, zone: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)
    except ZoneInfoNotFoundError:
        raise Refused(f"There is no time zone “{zone}”. Write it as Europe/Paris.") from None
    except (ValueError, OverflowError):
        raise Refused(f"“{text}” is no moment. Write it as 2026-12-31T03:00.") from None


@harvest_change_commands.command("remove-domains")
def remove_domains(
    context: typer.Context,
    name: Name,
    domain: Annotated[list[str] | None, typer.Argument(help="Their names.")] = None,
    file: Annotated[Path | None, typer.Option(help="A file of names; - for standard input.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    as_json: Json = False,
) -> None:
    """Take domains out of a harvest. Exits with 1 if some were not in it."""
    if not (domain or file or everything):
        raise typer.BadParameter("Name domains, a --file of them, or --all.")
    pasted = "\n".join([*(domain or ()), text_of_file(file) if file else ""])
    with session(context).services() as services:
        harvest = services.get(Harvests).named(name)
        absent: list[str] = []
        if everything:
            removed = services.get(Harvests).remove_configurations(operator(), harvest.id, None)
        else:
            removed, absent = services.get(HarvestDomains).remove(operator(), harvest.id, pasted)
    facts = {"removed": removed, "not_in_it": absent}
    (show_json if as_json else show_facts)(facts)
    if absent:
        raise typer.Exit(1)
