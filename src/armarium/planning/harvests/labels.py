"""Harvests in words: for their pages, and for the audit log."""

from collections.abc import Iterable
from typing import Any

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.planning.harvests.model import Harvest, HarvestRow, Run, RunState, Standing
from armarium.planning.labels import KINDS, STATES
from armarium.planning.model import HarvestKind, JobState, Missed

ACTIONS: dict[str, Message] = {
    "harvest.created": message("Harvest created"),
    "harvest.changed": message("Harvest changed"),
    "harvest.activated": message("Harvest activated"),
    "harvest.deactivated": message("Harvest paused"),
    "harvest.run": message("Run started by hand"),
    "harvest.budget_raised": message("Budget of a run raised"),
    "harvest.missed": message("Runs missed"),
    "harvest.domains_added": message("Domains added to the harvest"),
    "harvest.domains_removed": message("Domains removed from the harvest"),
    "harvest.seeds_added": message("Seeds added to the harvest"),
}
WORDS: dict[str, Message] = {
    "harvest": message("Harvest"),
    "audience": message("Audience"),
    "channel": message("Channel"),
    "comments": message("Comments"),
    "configurations": message("Configurations"),
    "domains": message("Domains"),
    "fields": message("Custom fields"),
    "from": message("From"),
    "kind": message("Kind"),
    "max_bytes": message("Size limit per domain"),
    "max_objects": message("Object limit per domain"),
    "max_seconds": message("Time limit per job"),
    "missed": message("Missed runs"),
    "next_at": message("Next run"),
    "previous": message("Continues"),
    "reason": message("Reason"),
    "run": message("Run"),
    "runs": message("Runs"),
    "schedule": message("Schedule"),
    "seeds": message("Seeds"),
    "skipped": message("Skipped"),
    "to": message("To"),
    "total_bytes": message("Size limit per run"),
    "total_objects": message("Object limit per run"),
    "traps": message("Crawler traps"),
}

STANDINGS: dict[Standing, tuple[str, Message]] = {
    Standing.DRAFT: ("waiting", message("Draft")),
    Standing.WAITING: ("good", message("Active")),
    Standing.PAUSED: ("waiting", message("Paused")),
    Standing.RUNNING: ("busy", message("Running")),
    Standing.DONE: ("neutral", message("Done")),
    Standing.STOPPED: ("bad", message("Stopped")),
}
PAUSED_BY_HAND = message("Paused")
RUN_STATES: dict[RunState, tuple[str, Message]] = {
    RunState.GENERATING: ("busy", message("Creating jobs")),
    RunState.GENERATED: ("good", message("Jobs created")),
    RunState.FAILED: ("bad", message("Failed")),
    RunState.SKIPPED: ("warning", message("Skipped")),
}

#: Sentences that stay with a harvest, kept without values so that each reader gets them in their language.
SCHEDULE_ENDED = message("Its schedule has no further date: no other run follows.")
RUN_ONCE = message("A broad harvest runs once: no other run follows.")

RUN_UNDER_WAY = message("Under way")
RUN_ENDED = message("Ended")
RUN_WITH_FAILURES = message("Ended with failed jobs")
RUN_WITHOUT_JOBS = message("No jobs created")


# Where a harvest stands -----------------------------------------------------------------------------


#: A schedule that came to its end, and the one run of a broad harvest, are no trouble: all was as asked.
NO_TROUBLE = (str(SCHEDULE_ENDED), str(RUN_ONCE))


def standing(harvest: Harvest) -> Standing:
    if harvest.under_way:
        return Standing.RUNNING
    if harvest.active:
        return Standing.PAUSED if harvest.paused else Standing.WAITING
    if harvest.trouble:
        return Standing.DONE if is_through(harvest) else Standing.STOPPED
    # A draft that somebody ran by hand is still a draft: it was never activated.
    return Standing.STOPPED if harvest.scheduled_runs else Standing.DRAFT


def is_through(harvest: Harvest) -> bool:
    """Whether no date is before it, as its schedule or its kind has it."""
    return harvest.trouble in NO_TROUBLE


def trouble_of(harvest: Harvest) -> str:
    """Why Armarium deactivated it, if something is wrong."""
    return "" if is_through(harvest) else harvest.trouble


def note_of(harvest: Harvest) -> str:
    """What was said when it came to its end in order."""
    return harvest.trouble if is_through(harvest) else ""


# For templates --------------------------------------------------------------------------------------


def shown_harvest(harvest: Harvest) -> dict[str, Any]:
    now = standing(harvest)
    # Somebody stopped it: that is as it should be.
    by_hand = now is Standing.STOPPED and not harvest.trouble
    tone, title = ("neutral", PAUSED_BY_HAND) if by_hand else STANDINGS[now]
    overdue = harvest.active and harvest.next_at is not None and harvest.next_at <= clock.now()
    return {
        "id": harvest.id,
        "name": harvest.name,
        "kind": harvest.kind.value,
        "kind_title": KINDS[harvest.kind],
        "active": harvest.active,
        "runs": harvest.runs,
        "begun": harvest.scheduled_runs > 0,
        "next_at": harvest.next_at,
        "paused": harvest.paused,
        "standing": now.value,
        "tone": tone,
        "title": title,
        "jobs_left": harvest.jobs_left,
        "catching_up": overdue and harvest.missed is Missed.CATCH_UP,
        "trouble": trouble_of(harvest),
        "note": note_of(harvest),
        "comments": harvest.comments,
        "audience": harvest.audience,
        "created_at": harvest.created_at,
        "may_run": harvest.kind is not HarvestKind.BROAD,
    }


def shown_row(row: HarvestRow) -> dict[str, Any]:
    return {
        **shown_harvest(row.harvest),
        "schedule": row.schedule,
        "channel": row.channel,
        "last": shown_run(row.last) if row.last else None,
        "objects": [run.objects for run in row.recent],
    }


def shown_run(run: Run) -> dict[str, Any]:
    tone, title = run_outcome(run.state, run.jobs, run.unfinished, run.failed)
    return {
        **vars(run),
        "tone": tone,
        "title": title,
        # Nobody knew anything of the first one: its estimate speaks of limits, not of sites.
        "expected": run.expected if run.number != 1 else None,
        "under_way": run.under_way,
        "dates": run.dates,
        "hours": run.seconds / 3600,
        "left_objects": run.left_objects,
        "left_bytes": run.left_bytes,
        "spent": 0 in (run.left_objects, run.left_bytes),
        "ended": run.jobs - run.unfinished,
    }


def run_outcome(state: RunState, jobs: int, unfinished: int, failed: int) -> tuple[str, Message]:
    """Tone and title of a run, the same wherever it is shown."""
    if state is not RunState.GENERATED:
        return RUN_STATES[state]
    if unfinished:
        return "busy", RUN_UNDER_WAY
    if failed:
        return "bad", RUN_WITH_FAILURES
    return ("good", RUN_ENDED) if jobs else ("warning", RUN_WITHOUT_JOBS)


def shown_states(states: dict[str, int]) -> list[dict[str, Any]]:
    """How many jobs are in which state, in the order of a job's life."""
    return [
        {"state": state.value, "count": states[state.value], **toned(state)}
        for state in JobState
        if states.get(state.value)
    ]


def toned(state: JobState | str) -> dict[str, Any]:
    title, tone = STATES[JobState(state)]
    return {"tone": tone, "title": title}


def shown_jobs(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [{**row, **toned(row["state"])} for row in rows]
