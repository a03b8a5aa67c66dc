"""What the pages of harvests say about them."""

from collections.abc import Iterable
from typing import Any

from armarium.core import clock
from armarium.core.message import Message
from armarium.planning.harvests import words
from armarium.planning.harvests.model import Harvest, HarvestRow, Missed, Run, RunState, Standing
from armarium.planning.harvests.standing import note_of, standing, trouble_of
from armarium.planning.labels import STATES
from armarium.planning.model import HarvestKind, JobState


def shown_harvest(harvest: Harvest) -> dict[str, Any]:
    now = standing(harvest)
    tone, title = words.STANDINGS[now]
    overdue = harvest.active and harvest.next_at is not None and harvest.next_at <= clock.now()
    return {
        "id": harvest.id,
        "name": harvest.name,
        "kind": harvest.kind.value,
        "kind_title": words.KINDS[harvest.kind],
        "active": harvest.active,
        "runs": harvest.runs,
        "next_at": harvest.next_at,
        "paused": harvest.paused,
        "standing": now.value,
        # Somebody stopped it: that is as it should be.
        "tone": tone if now is not Standing.STOPPED or harvest.trouble else "neutral",
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
    }


def shown_run(run: Run) -> dict[str, Any]:
    tone, title = run_outcome(run.state, run.jobs, run.unfinished, run.failed)
    return {
        **vars(run),
        "tone": tone,
        "title": title,
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
        return words.RUN_STATES[state]
    if unfinished:
        return "busy", words.RUN_UNDER_WAY
    if failed:
        return "bad", words.RUN_WITH_FAILURES
    return ("good", words.RUN_ENDED) if jobs else ("warning", words.RUN_WITHOUT_JOBS)


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
