"""Commands for harvests and the calendar: what the pages do, from a shell on the server."""

import shlex
from datetime import datetime
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.languages.speech import byte_size
from armarium.planning.harvests.calendar import AGENDA, Calendar
from armarium.planning.harvests.change_commands import (
    Channel,
    Objects,
    Seconds,
    Size,
    TotalObjects,
    TotalSize,
    Traps,
    channel_of,
    described,
    harvest_change_commands,
    schedule_of,
    traps_of,
)
from armarium.planning.harvests.dates import Volume
from armarium.planning.harvests.events import EventHarvests, SeedResult, Seeds
from armarium.planning.harvests.labels import STANDINGS, run_outcome, standing
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Definition, Harvest, Run
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.service import Harvests
from armarium.planning.labels import KINDS
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.parsing import typed_count, typed_size
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.service import Schedules
from armarium.terminal.groups import group
from armarium.terminal.output import (
    say,
    show_facts,
    show_json,
    show_one,
    show_rows,
    show_summary,
    show_table,
    standard_input,
)
from armarium.terminal.session import Json, operator, service, session
from armarium.terminal.tables import ago, dated, plural

harvests_commands = group("Harvests: define, activate, run.", old_names={"domains": "add-domains"})
harvests_commands.add_typer(harvest_change_commands)  # without a name: they stand beside these
calendar_commands = group("What harvests bring, day by day.")

Name = Annotated[str, typer.Argument(help="The harvest's name.")]
ScheduleName = Annotated[str, typer.Option("--schedule", help="The schedule's name.")]
Zone = Annotated[str, typer.Option(help="Whose days these are, as Europe/Paris.")]
Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)]
#: As the page proposes: a page about an event may lie on a very large site.
EVENT_SIZE = "1 GB"


def run_described(run: Run) -> dict[str, Any]:
    left = {"left_objects": run.left_objects, "left_bytes": run.left_bytes}
    return {**vars(run), **left, "state": run.state.value, "left_out": dict(run.left_out)}


@harvests_commands.command("list")
def list_harvests(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Part of a name, comments or audience.")] = "",
    kind: Annotated[HarvestKind | None, typer.Option(help="Only harvests of this kind.")] = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Only active ones, or not.")
    ] = None,
    limit: Limit = 1000,
    as_json: Json = False,
) -> None:
    """List harvests."""
    with session(context).services() as services:
        found, total = services.get(Harvests).search(HarvestFilter(text, kind, active), limit=limit)
    columns = ("Name", "Kind", "State", "Jobs left", "Next run", "Runs", "Last run")
    rows = (
        (
            row.harvest.name,
            row.harvest.kind,
            standing(row.harvest).value,
            row.harvest.jobs_left,
            row.harvest.next_at,
            row.harvest.runs,
            row.last.due_at if row.last else None,
        )
        for row in found
    )
    facts = [described(row.harvest) for row in found]
    return show_rows(facts, as_json, columns, rows, empty="No harvest fits.", noun="harvest", total=total)


@harvests_commands.command("show")
def show_harvest(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a harvest, and what speaks against activating it."""
    with session(context).services() as services:
        harvests = services.get(Harvests)
        harvest = harvests.named(name)
        doubts = [] if harvest.active else [str(doubt.text) for doubt in harvests.doubts(harvest.id)]
        facts = {
            **described(harvest),
            "configurations": services.get(HarvestDomains).count(harvest.id),
            "doubts": doubts,
        }
        if as_json:
            return show_json(facts)
        known = services.get(Schedules).get(harvest.schedule).name if harvest.schedule else ""
        last = next(iter(harvests.runs(harvest.id, limit=1)[0]), None)
    return show_harvest_summary(harvest, facts, known, last)


def show_harvest_summary(harvest: Harvest, facts: dict[str, Any], schedule: str, last: Run | None) -> None:
    now = standing(harvest)
    limits = {"objects": harvest.max_objects, "bytes": harvest.max_bytes}
    show_summary(
        harvest.name,
        str(STANDINGS[now][1]),
        {
            "Kind": f"{KINDS[harvest.kind]}, {plural(facts['configurations'], 'domain')}",
            "Schedule": schedule or "none: runs are started by hand",
            "Next run": dated(harvest.next_at) if harvest.active and harvest.next_at else "none planned",
            "Last run": _run_told(last) if last else "none yet",
            "Now": f"{plural(harvest.jobs_left, 'job')} left" if harvest.jobs_left else None,
            "Trouble": facts["trouble"],
            "Note": facts["note"],
            "Objections": facts["doubts"],
            "Each domain": [
                f"{value:,} objects" if name == "objects" else byte_size(value)
                for name, value in limits.items()
                if value is not None
            ],
            "Comments": harvest.comments,
        },
        below=f"Harvest {harvest.id}",
        hints=_next_steps(harvest, facts["doubts"]),
    )


def _run_told(run: Run) -> str:
    _, title = run_outcome(run.state, run.jobs, run.unfinished, run.failed)
    failed = f", {run.failed} failed" if run.failed else ""
    brought = f"{plural(run.objects, 'object')}, {byte_size(run.bytes)}"
    return f"{ago(run.due_at)}: {title}, {plural(run.jobs, 'job')}{failed}, {brought}"


def _next_steps(harvest: Harvest, doubts: list[str]) -> list[str]:
    verb, name = "armarium plan harvests", shlex.quote(harvest.name)
    if not harvest.active:
        return [] if doubts else [f"Activate it: {verb} activate {name}"]
    if harvest.jobs_left:
        return [f"See its jobs: armarium plan jobs list --harvest {name}"]
    return [f"See what it would take: {verb} preview {name}", f"Run it now: {verb} run {name}"]


@harvests_commands.command("add")
def add_harvest(
    context: typer.Context,
    name: Name,
    kind: Annotated[HarvestKind, typer.Option(help="Its kind.")] = HarvestKind.SELECTIVE,
    schedule: ScheduleName = "",
    missed: Annotated[Missed, typer.Option(help="What becomes of missed runs.")] = Missed.SKIP,
    channel: Channel = None,
    max_objects: Objects = None,
    max_bytes: Size = None,
    max_seconds: Seconds = None,
    total_objects: TotalObjects = None,
    total_bytes: TotalSize = None,
    traps: Traps = None,
    previous: Annotated[str, typer.Option(help="The broad harvest that it continues.")] = "",
    comments: Annotated[str, typer.Option(help="Comments.")] = "",
    as_json: Json = False,
) -> None:
    """Define a harvest; it is not active yet.

    Example: armarium plan harvests add "Weekly press" --schedule weekly --max-objects 5000
    """
    with session(context).services() as services:
        harvests = services.get(Harvests)
        given = Definition(
            name,
            kind,
            comments=comments,
            schedule=schedule_of(services, schedule),
            channel=channel_of(services, channel),
            missed=missed,
            max_objects=typed_count(max_objects),
            max_bytes=typed_size(max_bytes),
            max_seconds=typed_count(max_seconds),
            total_objects=typed_count(total_objects),
            total_bytes=typed_size(total_bytes),
            traps=traps_of(traps),
            previous=harvests.named(previous).id if previous else None,
        )
        harvest = harvests.create(operator(), given)
    return show_json(described(harvest)) if as_json else say(f"Harvest {harvest.name} is defined.")


@harvests_commands.command("add-domains")
def add_domains(
    context: typer.Context,
    name: Name,
    configuration: Annotated[str, typer.Option(help="Its name; without: the default of each domain.")] = "",
    create: Annotated[bool, typer.Option("--create", help="Create the domains that are missing.")] = False,
    as_json: Json = False,
) -> None:
    """Add the domains that standard input names, one a line. Exits with 1 if some could not be added."""
    pasted = standard_input().read().decode("utf-8", "replace")
    with session(context).services() as services:
        harvest = services.get(Harvests).named(name)
        added = services.get(HarvestDomains).add(
            operator(), harvest.id, pasted, configuration=configuration, create=create
        )
    refused = {text: str(reason) for text, reason in added.refused}
    facts = {
        "added": added.added,
        "known": added.known,
        "unknown": list(added.unknown),
        "without": list(added.without),
        "refused": refused if as_json else list(refused.values()),
    }
    (show_json if as_json else show_facts)(facts)
    if added.unknown or added.without or refused:
        if not as_json:
            say("Not all could be added: see unknown (--create makes them), without and refused.")
        raise typer.Exit(1)


@harvests_commands.command("event")
def add_event(
    context: typer.Context,
    name: Name,
    profile: Annotated[str, typer.Option(help="The profile's name.")] = "page+1",
    schedule: ScheduleName = "once",
    channel: Channel = None,
    max_objects: Objects = None,
    max_bytes: Size = EVENT_SIZE,
    total_objects: TotalObjects = None,
    total_bytes: TotalSize = None,
    as_json: Json = False,
) -> None:
    """Define an event harvest of the seeds on standard input, one a line, and activate it."""
    pasted = standard_input().read().decode("utf-8", "replace")
    with session(context).services() as services:
        found = services.get(Profiles).named(profile)
        if found is None:
            raise Refused(f"There is no profile named {profile}.")
        given = Definition(
            name,
            HarvestKind.EVENT,
            schedule=schedule_of(services, schedule),
            channel=channel_of(services, channel),
            total_objects=typed_count(total_objects),
            total_bytes=typed_size(total_bytes),
        )
        seeds = Seeds(pasted, found.id, typed_count(max_objects), typed_size(max_bytes))
        made = services.get(EventHarvests).create(operator(), given, seeds)
    lines = [
        {"line": line.number, "text": line.text, "result": line.taken.value, "reason": str(line.reason or "")}
        for line in made.lines
    ]
    if as_json:
        return show_json({**described(made.harvest), "domains": made.domains, "lines": lines})
    wrong = [line for line in lines if line["result"] != SeedResult.TAKEN.value]
    say(
        f"Harvest {made.harvest.name}: {counted(len(lines) - len(wrong), 'seed')} of "
        f"{counted(made.domains, 'domain')}."
    )
    if made.created:
        say(f"Broad harvests leave the new ones out ({made.created}). See: armarium plan domains edit --help")
    if wrong:
        show_table(("Line", "Text", "Result", "Reason"), (tuple(line.values()) for line in wrong))
    return None


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


@harvests_commands.command("activate")
def activate_harvest(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Activate a harvest; a broad one begins at once."""
    with service(context, Harvests) as harvests:
        harvest = harvests.activate(operator(), harvests.named(name).id)
    return show_one(described(harvest), as_json)


@harvests_commands.command("deactivate")
def deactivate_harvest(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let a harvest begin no further runs; jobs that exist go on."""
    with service(context, Harvests) as harvests:
        harvest = harvests.deactivate(operator(), harvests.named(name).id)
    return show_json(described(harvest)) if as_json else say(f"Harvest {harvest.name} is not active.")


@harvests_commands.command("run")
def run_harvest(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Begin a run at once, besides those of the schedule.

    Example: armarium plan harvests run "Weekly press"
    """
    with service(context, Harvests) as harvests:
        run = harvests.run_now(operator(), harvests.named(name).id)
    return show_json({"run": run}) if as_json else say(f"Run {run} has begun.")


@harvests_commands.command("runs")
def list_runs(context: typer.Context, name: Name, limit: Limit = 1000, as_json: Json = False) -> None:
    """List the runs of a harvest, newest first, and the dates that were skipped."""
    with service(context, Harvests) as harvests:
        found, total = harvests.runs(harvests.named(name).id, limit=limit)
    columns = ("Run", "State", "Due", "Jobs", "Not ended", "Failed", "Objects", "Size")
    rows = (
        (r.number, r.state, r.due_at, r.jobs, r.unfinished, r.failed, r.objects, byte_size(r.bytes))
        for r in found
    )
    facts = [run_described(run) for run in found]
    return show_rows(facts, as_json, columns, rows, empty="No run yet.", noun="run", total=total)


@calendar_commands.command("year")
def show_year(
    context: typer.Context,
    year: Annotated[int | None, typer.Argument(help="Without: this year.", min=1996, max=2200)] = None,
    zone: Zone = "UTC",
    as_json: Json = False,
) -> None:
    """What each month brought, or is expected to bring."""
    with service(context, Calendar) as calendar:
        shown = calendar.year(year or calendar.today(zone).year, zone)
    months = [(f"{month.first:%Y-%m}", month.total) for month in shown.months]
    if as_json:
        return show_json({name: volume_described(volume) for name, volume in months})
    told = [(name, volume_described(volume)) for name, volume in [*months, ("Year", shown.total)]]
    lines = ((name, v["runs"], v["objects"], byte_size(v["bytes"]), v["crawler_hours"]) for name, v in told)
    return show_table(("Month", "Runs", "Objects", "Size", "Crawler-hours"), lines)


@calendar_commands.command("agenda")
def show_agenda(
    context: typer.Context,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)] = AGENDA,
    as_json: Json = False,
) -> None:
    """The next runs of all active harvests."""
    with service(context, Calendar) as calendar:
        found = calendar.agenda(limit)
    lines: list[tuple[datetime, str, dict[str, float]]] = [
        (one.at, one.harvest.name, volume_described(one.expected)) for one in found
    ]
    rows = ((at, name, volume["objects"], byte_size(volume["bytes"])) for at, name, volume in lines)
    facts = [{"at": at, "harvest": name, **volume} for at, name, volume in lines]
    return show_rows(
        facts, as_json, ("When", "Harvest", "Objects", "Size"), rows, empty="Nothing is planned."
    )


def volume_described(volume: Volume) -> dict[str, float]:
    return {
        "runs": round(volume.runs),
        "objects": round(volume.objects),
        "bytes": round(volume.bytes),
        "crawler_hours": round(volume.hours, 1),
    }
