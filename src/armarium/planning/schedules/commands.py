"""Commands for schedules: what the pages do, from a shell."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.planning.schedules.model import Rhythm, Schedule, Unit
from armarium.planning.schedules.rules import upcoming, zone_of
from armarium.planning.schedules.sentences import in_words
from armarium.planning.schedules.service import Schedules
from armarium.terminal.output import show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session

schedules_commands = typer.Typer(no_args_is_help=True, help="Schedules: how often harvests run.")

Name = Annotated[str, typer.Argument(help="The schedule's name.")]
Clock = Annotated[int | None, typer.Option(help="At this one.", min=0)]
Moment = Annotated[str | None, typer.Option(help="A moment such as 2026-12-31T03:00, in --zone.")]
MOST = 100_000


def described(schedule: Schedule) -> dict[str, Any]:
    return {"id": schedule.id, **schedule.described(), "words": str(in_words(schedule))}


def shown(schedule: Schedule, as_json: bool) -> None:
    return show_json(described(schedule)) if as_json else show_facts(described(schedule))


def moment_of(text: str | None, rhythm: Rhythm) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone_of(rhythm)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Refused(f"“{text}” is no moment. Write it as 2026-12-31T03:00.") from None


@schedules_commands.command("list")
def list_schedules(context: typer.Context, as_json: Json = False) -> None:
    """List schedules."""
    with session(context).services() as services:
        found, _ = services.get(Schedules).page(limit=MOST)
    if as_json:
        return show_json([described(one) for one in found])
    rows = ((one.name, in_words(one), one.zone or "UTC", one.active) for one in found)
    return show_table(("Name", "When", "Zone", "Active"), rows, empty="No schedules.")


@schedules_commands.command("show")
def show_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show one schedule."""
    with session(context).services() as services:
        return shown(services.get(Schedules).named(name), as_json)


@schedules_commands.command("runs")
def show_runs(
    context: typer.Context,
    name: Name,
    most: Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)] = 10,
    as_json: Json = False,
) -> None:
    """Show the next runs by a schedule, from now on."""
    with session(context).services() as services:
        schedule = services.get(Schedules).named(name)
    found = [one.astimezone(zone_of(schedule)) for one in upcoming(schedule, clock.now(), most)]
    if as_json:
        return show_json(found)
    return show_table(("Run", "Zone"), ((one, one.tzname()) for one in found), empty="There is none.")


@schedules_commands.command("add")
def add_schedule(
    context: typer.Context,
    name: Name,
    unit: Annotated[Unit, typer.Option(help="What is counted.")],
    every: Annotated[int, typer.Option(help="So many of them.", min=1)] = 1,
    anytime: Annotated[bool, typer.Option("--anytime", help="Counted from the last run.")] = False,
    hour: Clock = None,
    minute: Clock = None,
    weekday: Annotated[int | None, typer.Option(help="1 Monday to 7 Sunday.", min=1, max=7)] = None,
    day: Annotated[int | None, typer.Option(help="Of the month.", min=1, max=31)] = None,
    zone: Annotated[str, typer.Option(help="Time zone such as Europe/Paris; without it, UTC.")] = "",
    start: Moment = None,
    end: Moment = None,
    max_runs: Annotated[int | None, typer.Option(help="Of each harvest, at most.", min=1)] = None,
    comments: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: Json = False,
) -> None:
    """Make a schedule."""
    plain = Rhythm(unit, every, anytime, minute, hour, weekday, day, zone, max_runs=max_runs)
    moments = {"starts_at": moment_of(start, plain), "ends_at": moment_of(end, plain)}
    rhythm = Rhythm(**{**vars(plain), **moments})
    with session(context).services() as services:
        return shown(services.get(Schedules).create(operator(), name, rhythm, comments=comments), as_json)


@schedules_commands.command("pause")
def pause_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Pause a schedule: no harvest falls due by it."""
    with session(context).services() as services:
        schedules = services.get(Schedules)
        return shown(schedules.set_active(operator(), schedules.named(name).id, False), as_json)


@schedules_commands.command("resume")
def resume_schedule(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let a paused schedule go on."""
    with session(context).services() as services:
        schedules = services.get(Schedules)
        return shown(schedules.set_active(operator(), schedules.named(name).id, True), as_json)
