"""What the pages of harvests say about them."""

from collections.abc import Iterable
from typing import Any

from armarium.planning.harvests import words
from armarium.planning.harvests.model import Harvest, HarvestRow, Run, RunState
from armarium.planning.jobs.titles import STATES
from armarium.planning.model import HarvestKind, JobState


def shown_harvest(harvest: Harvest) -> dict[str, Any]:
    return {
        "id": harvest.id,
        "name": harvest.name,
        "kind": harvest.kind.value,
        "kind_title": words.KINDS[harvest.kind],
        "active": harvest.active,
        "runs": harvest.runs,
        "next_at": harvest.next_at,
        "trouble": harvest.trouble,
        # A schedule that came to its end is no trouble: it did what was asked.
        "ended": harvest.trouble in (str(words.SCHEDULE_ENDED), str(words.RUN_ONCE)),
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
    tone, title = words.RUN_STATES[run.state]
    if run.state is RunState.GENERATED:
        tone, title = _outcome(run)
    return {
        **vars(run),
        "tone": tone,
        "title": title,
        "under_way": run.under_way,
        "dates": run.dates,
        "hours": run.seconds / 3600,
        "ended": run.jobs - run.unfinished,
    }


def _outcome(run: Run) -> tuple[str, Any]:
    if run.unfinished:
        return "busy", words.RUN_UNDER_WAY
    if run.failed:
        return "bad", words.RUN_WITH_FAILURES
    return ("good", words.RUN_ENDED) if run.jobs else ("warning", words.RUN_WITHOUT_JOBS)


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
