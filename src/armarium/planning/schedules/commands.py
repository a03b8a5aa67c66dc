"""Commands for schedules: what the pages do, from a shell."""

from collections.abc import Mapping
from dataclasses import replace
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
Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)]


#: What may be set to nothing, by the name of its option.
CLEARED = {
    "hour": "hour",
    "minute": "minute",
    "weekday": "weekday",
    "day": "day",
    "start": "starts_at",
    "end": "ends_at",
    "max-runs": "max_runs",
}


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
def list_schedules(context: typer.Context, limit: Limit = 1000, as_json: Json = False) -> None:
    """List schedules."""
    with session(context).services() as services:
        found, _ = services.get(Schedules).page(limit=limit)
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
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)] = 10,
    as_json: Json = False,
) -> None:
    """Show the next runs by a schedule, from now on."""
    with session(context).services() as services:
        schedule = services.get(Schedules).named(name)
    found = [one.astimezone(zone_of(schedule)) for one in upcoming(schedule, clock.now(), limit)]
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


@schedules_commands.command("edit")
def edit_schedule(
    context: typer.Context,
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    unit: Annotated[Unit | None, typer.Option(help="What is counted.")] = None,
    every: Annotated[int | None, typer.Option(help="So many of them.", min=1)] = None,
    anytime: Annotated[
        bool | None, typer.Option("--anytime/--fixed", help="Counted from the last run, or not.")
    ] = None,
    hour: Clock = None,
    minute: Clock = None,
    weekday: Annotated[int | None, typer.Option(help="1 Monday to 7 Sunday.", min=1, max=7)] = None,
    day: Annotated[int | None, typer.Option(help="Of the month.", min=1, max=31)] = None,
    zone: Annotated[str | None, typer.Option(help="Time zone such as Europe/Paris.")] = None,
    start: Moment = None,
    end: Moment = None,
    max_runs: Annotated[int | None, typer.Option(help="Of each harvest, at most.", min=1)] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(help=f"Set this one to nothing: {', '.join(CLEARED)}. Again for several."),
    ] = None,
    comments: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    as_json: Json = False,
) -> None:
    """Change a schedule; its harvests get their next date anew. What is not given stays as it is."""
    typed: dict[str, Any] = {"unit": unit, "every": every, "anytime": anytime, "hour": hour, "minute": minute}
    typed |= {"weekday": weekday, "day": day, "zone": zone, "max_runs": max_runs}
    with session(context).services() as services:
        schedules = services.get(Schedules)
        before = schedules.named(name)
        rhythm = changed_rhythm(before, typed, start, end, clear or [])
        said = before.comments if comments is None else comments
        after = schedules.change(
            operator(),
            before.id,
            before.name if rename is None else rename,
            rhythm,
            comments=said,
            active=before.active,
            seen=before.mark,
        )
        return shown(after, as_json)


def changed_rhythm(
    before: Schedule, typed: Mapping[str, Any], start: str | None, end: str | None, clear: list[str]
) -> Rhythm:
    """What was typed over what there is. Another unit begins anew: a week has no day of the month."""
    kept = {name: getattr(before, name) for name in Rhythm.__dataclass_fields__}
    if typed["unit"] not in (None, before.unit):
        kept |= dict.fromkeys(("minute", "hour", "weekday", "day"))
    for name in clear:
        if name not in CLEARED:
            raise typer.BadParameter(f"“{name}” is none of {', '.join(CLEARED)}.")
        kept[CLEARED[name]] = None
    rhythm = Rhythm(**{**kept, **{name: value for name, value in typed.items() if value is not None}})
    moments: dict[str, Any] = {"starts_at": moment_of(start, rhythm), "ends_at": moment_of(end, rhythm)}
    return replace(rhythm, **{name: value for name, value in moments.items() if value is not None})


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
