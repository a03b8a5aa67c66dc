"""Jobs as the templates want them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number, say
from armarium.planning.jobs.explanations import answer_of, in_short
from armarium.planning.jobs.model import CommandRow, JobRow, RunningJob
from armarium.planning.labels import (
    ENGINE_STATES,
    PHASES,
    REASONS,
    SPLITS,
    STATES,
    VERBS,
    WORDS,
    in_words,
    reason_title,
)
from armarium.planning.leasing.reports import FINISHED
from armarium.planning.model import LEASED, JobState, Split, is_over, may_become
from armarium.planning.parsing import NO_LIMIT

NORMAL = message("Normal")  # a priority
EXPLAINED = set(Split) - {Split.END}  # the end of all domains explains nothing


def shown_priority(value: int) -> Message | str:
    """In the words of the list's filter."""
    if not value:
        return NORMAL
    text = message("High (%(number)s)") if value > 0 else message("Low (%(number)s)")
    return say(text.saying(number=value))


def shown_state(state: JobState) -> dict[str, Any]:
    title, tone = STATES[state]
    return {"value": state.value, "label": title, "tone": tone}


def shown_job(row: JobRow) -> dict[str, Any]:
    return {
        **vars(row),
        "state": shown_state(row.state),
        "hurry": shown_priority(row.priority),
        "split": SPLITS[Split(row.split)] if row.split in EXPLAINED else "",
        "can_resubmit": may_become(row.state, JobState.RESUBMITTED),
        "can_reject": row.state is JobState.FAILED,
        "can_restore": row.state is JobState.REJECTED,
        "can_cancel": row.state is JobState.NEW,
        "over": is_over(row.state),
        "waits": row.state in (JobState.PLANNED, JobState.NEW),
        "runs": row.state in LEASED,
        "crawls": row.state in (JobState.SUBMITTED, JobState.STARTED),
    }


def shown_progress(found: RunningJob) -> dict[str, Any]:
    """What the last heartbeat said, or the end; everything may be missing."""
    status = found.status
    finished, queued = _figure(status, "finished"), _figure(status, "queued")
    state = str(status.get("state") or "")
    moves = found.runs and not found.paused
    return {
        "phase": in_words(PHASES, found.phase) if found.phase else "",
        "engine": in_words(ENGINE_STATES, state) if state else "",
        "paused": found.paused,
        "pause_reason": str(status.get("pause_reason") or "") if found.paused else "",
        "moves": moves,
        "known": bool(status),
        "final": state == FINISHED,
        "finished": finished,
        "all": finished + queued,
        "objects": _figure(status, "objects"),
        "bytes": _figure(status, "bytes"),
        "queued": queued,
        "failed": _figure(status, "failed"),
        "objects_per_second": float(status.get("objects_per_second") or 0.0) if moves else 0.0,
        "bytes_per_second": float(status.get("bytes_per_second") or 0.0) if moves else 0.0,
        "queues_active": _figure(status, "queues_active"),
        "blocked": _figure(status, "blocked_servers"),
        "traps": _figure(status, "traps"),
        "unsent": _figure(status, "files_unsent"),
        "landed": _figure(status, "files_landed"),
        "upload_trouble": found.upload_trouble,
        "waits_for_budget": found.waits_for_budget,
        "left": found.seconds_left,
        "ends": clock.now() + timedelta(seconds=found.seconds_left) if found.seconds_left else None,
        "seconds": float(status.get("seconds") or 0.0),
        "biggest": [one for one in status.get("biggest", ()) if one.get("queue") and one.get("queued")],
        "duplicates": _figure(status, "duplicates"),
        "duplicate_bytes": _figure(status, "duplicate_bytes"),
        "written": _figure(status, "written_bytes"),
        "by_host": _tallied(status.get("by_host") or {}),
        "tail": [in_short(line) for line in found.tail],
    }


def _figure(status: Mapping[str, Any], name: str) -> int:
    return int(status.get(name) or 0)


def _tallied(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts by name, the largest first."""
    return sorted(counts.items(), key=lambda one: -one[1])[:20]


NOT_TOLD = ("preview", "save", "share", "why")  # the answer speaks of them


def shown_command(command: CommandRow) -> dict[str, Any]:
    share: Mapping[str, Any] = command.arguments.get("share") or {}
    return {
        "id": command.id,
        "verb": command.verb,
        "label": in_words(VERBS, command.verb),
        "arguments": {name: value for name, value in command.arguments.items() if value not in (None, "")},
        "told": [
            (in_words(WORDS, name), told_argument(command.verb, name, value))
            for name, value in {**command.arguments, **share}.items()
            if value not in (None, "") and name not in NOT_TOLD
        ],
        "by": command.by,
        "moment": command.created_at,
        "answered": command.answered_at,
        "answer": answer_of(command),
    }


def told_argument(verb: str, name: str, value: Any) -> Any:
    """Budgets as people write them."""
    if verb != "budget" or name not in ("objects", "bytes") or not isinstance(value, int):
        return value
    if value == NO_LIMIT:
        return message("no limit")
    return byte_size(value) if name == "bytes" else number(value)


def shown_reasons(counted: dict[str, int], href: str) -> list[dict[str, Any]]:
    """Why domains stopped, and how many of them, in the order of the reasons."""
    ordered = sorted(
        counted.items(), key=lambda one: list(REASONS).index(one[0]) if one[0] in REASONS else 99
    )
    return [
        {
            "value": reason or "none",
            "label": reason_title(reason),
            "count": count,
            "href": f"{href}?reason={reason or 'none'}",
        }
        for reason, count in ordered
    ]
