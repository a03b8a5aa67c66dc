"""`armarium plan jobs`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.core.spelling import told
from armarium.languages.speech import byte_size, duration
from armarium.planning.jobs.explanations import answer_of
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import CommandRow, Done, JobFilter, JobRow, Order, RunningJob
from armarium.planning.jobs.service import Jobs
from armarium.planning.jobs.steering import Steering
from armarium.planning.labels import STATES
from armarium.planning.model import LEASED, JobState
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_summary, show_table
from armarium.terminal.session import Json, operator, service, session
from armarium.terminal.tables import dated, plural

jobs_commands = group("Jobs: list, show, resubmit, steer those that run.")

LARGEST = 2**63 - 1
Job = Annotated[int, typer.Argument(help="The job's number.", min=1, max=LARGEST)]
Several = Annotated[list[int], typer.Argument(help="Numbers of jobs.", min=1, max=LARGEST)]
Most = Annotated[int, typer.Option("--limit", help="How many at most.", min=1, max=1000)]

COLUMNS = ("Job", "State", "Harvest", "Collector", "Domains", "Objects", "Size", "Ended")


@jobs_commands.command("list")
def list_jobs(
    context: typer.Context,
    search: Annotated[str, typer.Option(help="A job, a harvest, a domain or a file.")] = "",
    state: Annotated[str, typer.Option(help="States, with commas; also waiting, running.")] = "",
    harvest: Annotated[str, typer.Option(help="Its number, or a part of its name.")] = "",
    channel: Annotated[str, typer.Option(help="Name of a channel.")] = "",
    collector: Annotated[str, typer.Option(help="Name of a collector.")] = "",
    domain: Annotated[str, typer.Option(help="Name of a domain.")] = "",
    jobs: Annotated[str, typer.Option(help="Numbers of jobs: 12,40-60.")] = "",
    since: Annotated[str, typer.Option("--from", help="Created on this day or later: 2026-12-31.")] = "",
    until: Annotated[str, typer.Option("--to", help="Created on this day or before.")] = "",
    order: Annotated[Order, typer.Option(help="In which order.")] = Order.NEWEST,
    at: Annotated[str, typer.Option(help="Where to go on: the mark `next` of a list as JSON.")] = "",
    most: Most = 50,
    as_json: Json = False,
) -> None:
    """List jobs, newest first.

    Example: armarium plan jobs list --state failed --from 2026-11-01
    """
    wanted = _question(
        q=search,
        state=state,
        harvest=harvest,
        channel=channel,
        collector=collector,
        domain=domain,
        jobs=jobs,
        since=since,
        until=until,
        order=order.value,
    )
    with session(context).services() as services:
        found = services.get(Jobs).page(wanted, mark=at, limit=most)
    if as_json:
        return show_json({"items": [asdict(row) for row in found.jobs], "next": found.forward})
    show_table(COLUMNS, [_line(row) for row in found.jobs], empty="No job fits.", noun="job")
    return say(f"There are more: --limit {most * 10} shows them.") if found.forward else None


def _question(**typed: Any) -> JobFilter:
    """What cannot be read is wrong usage of the command."""
    try:
        return job_filter(**typed)
    except Refused as refusal:
        raise typer.BadParameter(told(refusal)) from None


def _line(row: JobRow) -> tuple[object, ...]:
    figures = (row.configurations, row.objects, byte_size(row.bytes), row.ended_at)
    at = None if row.state is JobState.NEW else row.collector_name  # who failed at it has it no more
    return (row.id, row.state, row.harvest_name, at, *figures)


@jobs_commands.command("show")
def show_job(context: typer.Context, number: Job, as_json: Json = False) -> None:
    """Show a job: its state, why it waits, what it collected."""
    with service(context, Jobs) as jobs:
        found = jobs.get(number)
        why = jobs.why_waiting(found.job)
    facts = {**asdict(found.job), "why_waiting": str(why) if why else None}
    if as_json:
        return show_json({**facts, "report": dict(found.report)})
    return show_job_summary(found, str(why) if why else "")


def show_job_summary(found: RunningJob, why_waiting: str) -> None:
    job = found.job
    title = "Paused" if found.paused else str(STATES[job.state][0])
    took = duration(job.ended_at - job.started_at) if job.ended_at and job.started_at else ""
    show_summary(
        f"Job {job.id}",
        title,
        {
            "Waits": why_waiting,
            "Error": job.error,
            "Harvest": f"{job.harvest_name}, run {job.run_number}",
            "Brought": ", ".join(
                (plural(job.objects, "object"), byte_size(job.bytes), plural(job.files, "file"))
            ),
            **_progress(found),
            "Domains": job.configurations,
            "Collector": f"{job.collector_name or 'none yet'}, channel {job.channel}",
            "Attempts": job.attempt if job.attempt > 1 else None,
            "Priority": job.priority or None,
            "Created": dated(job.created_at),
            "Started": job.started_at and dated(job.started_at),
            "Ended": job.ended_at and dated(job.ended_at) + (f", after {took}" if took else ""),
            "Takes the place of": job.resubmission_of and f"job {job.resubmission_of}",
        },
        hints=_next_steps(job),
    )


def _next_steps(job: JobRow) -> list[str]:
    verb = "armarium plan jobs"
    if job.state is JobState.FAILED:
        return [f"Try it again: {verb} resubmit {job.id}", f"Let it be: {verb} reject {job.id}"]
    if job.state in LEASED:
        return [f"Pause it: {verb} pause {job.id}", f"End it: {verb} terminate {job.id}"]
    return [f"Take it back: {verb} cancel {job.id}"] if job.state is JobState.NEW else []


def _progress(found: RunningJob) -> dict[str, object]:
    if not found.runs:
        return {}  # how the crawl stood when it was last heard of is no news
    speed = None if found.paused else found.status.get("objects_per_second")
    left = found.seconds_left
    return {
        "Queued": found.status.get("queued"),
        "Speed": f"{speed} objects a second" if speed is not None else None,
        "Ends in about": duration(left) if left is not None else None,
        "Files wait": found.upload_trouble,
    }


@jobs_commands.command("resubmit")
def resubmit(
    context: typer.Context,
    numbers: Several,
    current: Annotated[bool, typer.Option("--current", help="Use the current settings.")] = False,
    as_json: Json = False,
) -> None:
    """Create failed jobs again, with their original crawl settings or those of today.

    Example: armarium plan jobs resubmit 12 15 --current
    """
    with session(context).services() as services:
        _show_done(services.get(Jobs).resubmit(operator(), numbers, current=current), "resubmitted", as_json)


@jobs_commands.command("reject")
def reject(
    context: typer.Context,
    numbers: Several,
    reason: Annotated[str, typer.Option(help="Why, for the audit log.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Undo the rejection.")] = False,
    as_json: Json = False,
) -> None:
    """Reject failed jobs, or undo that."""
    with service(context, Jobs) as jobs:
        done = jobs.restore(operator(), numbers) if undo else jobs.reject(operator(), numbers, reason=reason)
        _show_done(done, "failed again" if undo else "rejected", as_json)


@jobs_commands.command("cancel")
def cancel(context: typer.Context, numbers: Several, as_json: Json = False) -> None:
    """Cancel waiting jobs."""
    with session(context).services() as services:
        _show_done(services.get(Jobs).cancel(operator(), numbers), "cancelled", as_json)


@jobs_commands.command("priority")
def priority(
    context: typer.Context,
    number: Job,
    value: Annotated[int, typer.Argument(help="The higher, the sooner.", min=-1000, max=1000)],
    as_json: Json = False,
) -> None:
    """Change the priority of a waiting job within its channel."""
    with service(context, Jobs) as jobs:
        jobs.set_priority(operator(), number, value)
    return (
        show_json({"id": number, "priority": value}) if as_json else say(f"Job {number}: priority {value}.")
    )


def _show_done(done: Done, word: str, as_json: bool) -> None:
    if as_json:
        show_json(asdict(done))
    else:
        say(f"Jobs {word}: {len(done.changed)}.")
        if done.made:
            say(f"New jobs: {', '.join(map(str, done.made))}.")
        if done.left:
            say(f"Left as they were, because of their state: {', '.join(map(str, done.left))}.")
    if done.left:
        raise typer.Exit(1)


# Those that run -----------------------------------------------------------------------------------------


def _told(
    context: typer.Context,
    number: int,
    verb: str,
    arguments: dict[str, Any],
    as_json: bool,
    *,
    save: str = "",
) -> None:
    with session(context).services() as services:
        command = services.get(Steering).order(operator(), number, verb, arguments, save=save)
        _show_command(services, command, as_json)


def _show_command(services: Services, command: int, as_json: bool) -> None:
    found = services.get(Steering).answer(command)
    if as_json:
        return show_json(asdict(found))
    return say(
        f"Command {command} travels down with the next heartbeat. See: armarium plan jobs answer {command}"
    )


@jobs_commands.command("pause")
def pause(context: typer.Context, number: Job, as_json: Json = False) -> None:
    """Pause a running job."""
    _told(context, number, "pause", {}, as_json)


@jobs_commands.command("resume")
def resume(context: typer.Context, number: Job, as_json: Json = False) -> None:
    """Resume a paused job."""
    _told(context, number, "resume", {}, as_json)


@jobs_commands.command("terminate")
def terminate(context: typer.Context, number: Job, as_json: Json = False) -> None:
    """End a running job and keep what it has collected."""
    _told(context, number, "terminate", {}, as_json)


@jobs_commands.command("checkpoint")
def checkpoint(context: typer.Context, number: Job, as_json: Json = False) -> None:
    """Save a checkpoint of a running job."""
    _told(context, number, "checkpoint", {}, as_json)


@jobs_commands.command("filter")
def add_filter(
    context: typer.Context,
    number: Job,
    pattern: Annotated[str, typer.Argument(help="A regular expression.")],
    domain: Annotated[str, typer.Option(help="Only for this domain.")] = "",
    preview: Annotated[bool, typer.Option("--preview", help="Only count what it would remove.")] = False,
    save: Annotated[str, typer.Option(help="Keep it for later jobs: domain, or global.")] = "",
    as_json: Json = False,
) -> None:
    """Add a filter to a running job."""
    arguments = {"pattern": pattern, "domain": domain, "preview": preview}
    _told(context, number, "filter", arguments, as_json, save=save)


@jobs_commands.command("budget")
def set_budget(
    context: typer.Context,
    number: Job,
    queue: Annotated[str, typer.Argument(help="Name of the queue; * for all.")],
    objects: Annotated[int | None, typer.Option(help="Objects at most; -1: no limit.")] = None,
    size: Annotated[str, typer.Option("--bytes", help="Bytes at most, as 500 MB; -1: no limit.")] = "",
    as_json: Json = False,
) -> None:
    """Change the budget of a queue of a running job."""
    _told(context, number, "budget", {"queue": queue, "objects": objects, "bytes": size}, as_json)


@jobs_commands.command("log")
def search_log(
    context: typer.Context,
    number: Job,
    pattern: Annotated[str, typer.Argument(help="A regular expression.")],
    most: Most = 100,
    as_json: Json = False,
) -> None:
    """Search the log of a running job; the answer comes with a later heartbeat."""
    _told(context, number, "log", {"pattern": pattern, "most": most}, as_json)


@jobs_commands.command("answer")
def show_answer(
    context: typer.Context,
    command: Annotated[int, typer.Argument(help="The command's number.", min=1, max=LARGEST)],
    as_json: Json = False,
) -> None:
    """Show what a job answered to a command."""
    with service(context, Steering) as steering:
        found = steering.answer(command)
    if as_json:
        return show_json(asdict(found))
    return _say_answer(found)


def _say_answer(command: CommandRow) -> None:
    answer = answer_of(command)
    say(str(answer.text))
    for line in answer.lines:
        say(line)
