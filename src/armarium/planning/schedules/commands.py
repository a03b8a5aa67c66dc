"""Commands for schedules: what the pages do, from a shell."""

from dataclasses import replace
from typing import Annotated, TypeVar

import typer

from armarium.core import clock
from armarium.core.entities import edited
from armarium.core.moments import moment_in
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Rhythm, Schedule, in_words
from armarium.planning.schedules.rules import upcoming, zone_of
from armarium.planning.schedules.service import Schedules
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_one, show_rows, show_table
from armarium.terminal.session import Json, operator, service

schedules_commands = group("Schedules: how often harvests run.")

Name = Annotated[str, typer.Argument(help="The schedule's name.")]
Every = typer.Option(help="So many of them.", min=1)
Clock = Annotated[int | None, typer.Option(help="At this one.", min=0)]
Weekday = Annotated[int | None, typer.Option(help="1 Monday to 7 Sunday.", min=1, max=7)]
Day = Annotated[int | None, typer.Option(help="Of the month.", min=1, max=31)]
Moment = Annotated[str | None, typer.Option(help="A moment such as 2026-12-31T03:00, in --zone.")]
MaxRuns = Annotated[int | None, typer.Option(help="Of each harvest, at most.", min=1)]
Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)]

R = TypeVar("R", bound=Rhythm)

#: What may be set to nothing, by the name of its option.
CLEARED = {name: name for name in ("hour", "minute", "weekday", "day")}
CLEARED |= {"start": "starts_at", "end": "ends_at", "max-runs": "max_runs"}


def described(schedule: Schedule) -> dict[str, object]:
    return {"id": schedule.id, **schedule.described(), "words": str(in_words(schedule))}


@schedules_commands.command("list")
def list_schedules(context: typer.Context, limit: Limit = 1000, as_json: Json = False) -> None:
    """List schedules."""
    with service(context, Schedules) as schedules:
        found, total = schedules.page(limit=limit)
    rows = ((one.name, in_words(one), one.zone or "UTC", one.active) for one in found)
    show_rows(
        map(described, found),
        as_json,
        ("Name", "When", "Zone", "Active"),
        rows,
        empty="No schedules.",
        noun="schedule",
        total=total,
    )


@schedules_commands.command("show")
def show_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show one schedule."""
    with service(context, Schedules) as schedules:
        show_one(described(schedules.named(name)), as_json)


@schedules_commands.command("runs")
def show_runs(
    context: typer.Context,
    name: Name,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)] = 10,
    as_json: Json = False,
) -> None:
    """Show the next runs by a schedule, from now on."""
    with service(context, Schedules) as schedules:
        schedule = schedules.named(name)
    found = [one.astimezone(zone_of(schedule)) for one in upcoming(schedule, clock.now(), limit)]
    if as_json:
        return show_json(found)
    return show_table(("Run", "Zone"), ((one, one.tzname()) for one in found), empty="There is none.")


@schedules_commands.command("add")
def add_schedule(
    context: typer.Context,
    name: Name,
    unit: Annotated[Unit, typer.Option(help="What is counted.")],
    every: Annotated[int, Every] = 1,
    anytime: Annotated[bool, typer.Option("--anytime", help="Counted from the last run.")] = False,
    hour: Clock = None,
    minute: Clock = None,
    weekday: Weekday = None,
    day: Day = None,
    zone: Annotated[str, typer.Option(help="Time zone such as Europe/Paris; without it, UTC.")] = "",
    start: Moment = None,
    end: Moment = None,
    max_runs: MaxRuns = None,
    comments: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: Json = False,
) -> None:
    """Create a schedule."""
    new = Schedule(unit, every, anytime, minute, hour, weekday, day, zone, max_runs=max_runs)
    new = replace(new, name=name, comments=comments)
    with service(context, Schedules) as schedules:
        show_one(described(schedules.create(operator(), within(new, start, end))), as_json)


@schedules_commands.command("edit")
def edit_schedule(
    context: typer.Context,
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    unit: Annotated[Unit | None, typer.Option(help="What is counted.")] = None,
    every: Annotated[int | None, Every] = None,
    anytime: Annotated[
        bool | None, typer.Option("--anytime/--fixed", help="Counted from the last run, or not.")
    ] = None,
    hour: Clock = None,
    minute: Clock = None,
    weekday: Weekday = None,
    day: Day = None,
    zone: Annotated[str | None, typer.Option(help="Time zone such as Europe/Paris.")] = None,
    start: Moment = None,
    end: Moment = None,
    max_runs: MaxRuns = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(help=f"Set this one to nothing: {', '.join(CLEARED)}. Again for several."),
    ] = None,
    comments: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    as_json: Json = False,
) -> None:
    """Change a schedule; its harvests get their next date anew. What is not given stays as it is."""
    for one in clear or ():
        if one not in CLEARED:
            raise typer.BadParameter(f"“{one}” is none of {', '.join(CLEARED)}.")
    with service(context, Schedules) as schedules:
        before = after = schedules.named(name)
        if unit not in (None, before.unit):  # another unit begins anew: a week has no day of the month
            after = replace(after, minute=None, hour=None, weekday=None, day=None)
        after = edited(
            after, [CLEARED[one] for one in clear or ()], name=rename, comments=comments, unit=unit
        )
        after = edited(after, every=every, anytime=anytime, zone=zone, max_runs=max_runs)
        after = within(edited(after, hour=hour, minute=minute, weekday=weekday, day=day), start, end)
        changed = schedules.change(operator(), before.id, after, seen=before.mark)
        show_one(described(changed), as_json)


def within(rhythm: R, start: str | None, end: str | None) -> R:
    zone = zone_of(rhythm)
    return edited(rhythm, starts_at=moment_in(start, zone), ends_at=moment_in(end, zone))


@schedules_commands.command("pause")
def pause_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Pause a schedule: no harvest falls due by it."""
    with service(context, Schedules) as schedules:
        show_one(described(schedules.set_active(operator(), schedules.named(name).id, False)), as_json)


@schedules_commands.command("resume")
def resume_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let a paused schedule go on."""
    with service(context, Schedules) as schedules:
        show_one(described(schedules.set_active(operator(), schedules.named(name).id, True)), as_json)
