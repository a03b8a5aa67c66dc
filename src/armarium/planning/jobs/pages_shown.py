"""Jobs as the templates want them."""

from collections.abc import Mapping
from typing import Any

from armarium.planning.generation.filling import SPLITS
from armarium.planning.jobs.answers import answer_of
from armarium.planning.jobs.model import CommandRow, JobRow, RunningJob
from armarium.planning.jobs.titles import ENGINE_STATES, PHASES, STATES, VERBS, in_words
from armarium.planning.jobs.words import WORDS
from armarium.planning.model import LEASED, JobState, Split


def shown_state(state: JobState) -> dict[str, Any]:
    title, tone = STATES[state]
    return {"value": state.value, "label": title, "tone": tone}


def shown_job(row: JobRow) -> dict[str, Any]:
    return {
        **vars(row),
        "state": shown_state(row.state),
        "split": SPLITS[Split(row.split)] if row.split in set(Split) else row.split,
        "can_resubmit": row.state is JobState.FAILED,
        "can_reject": row.state is JobState.FAILED,
        "can_restore": row.state is JobState.REJECTED,
        "can_cancel": row.state is JobState.NEW,
        "waits": row.state in (JobState.PLANNED, JobState.NEW),
        "runs": row.state in LEASED,
        "crawls": row.state in (JobState.SUBMITTED, JobState.STARTED),
    }


def shown_progress(found: RunningJob) -> dict[str, Any]:
    """What the last heartbeat said; everything may be missing."""
    status = found.status
    finished, queued = _figure(status, "finished"), _figure(status, "queued")
    ahead = queued + _figure(status, "in_flight")
    left = status.get("seconds_left")
    state = str(status.get("state") or "")
    return {
        "phase": in_words(PHASES, found.phase) if found.phase else "",
        "engine": in_words(ENGINE_STATES, state) if state else "",
        "paused": state == "paused",
        "pause_reason": str(status.get("pause_reason") or ""),
        "known": bool(status),
        "finished": finished,
        "all": finished + ahead,
        "objects": _figure(status, "objects"),
        "bytes": _figure(status, "bytes"),
        "queued": queued,
        "failed": _figure(status, "failed"),
        "objects_per_second": float(status.get("objects_per_second") or 0.0),
        "bytes_per_second": float(status.get("bytes_per_second") or 0.0),
        "queues_active": _figure(status, "queues_active"),
        "blocked": _figure(status, "blocked_servers"),
        "traps": _figure(status, "traps"),
        "left": float(left) if isinstance(left, int | float) else None,
        "seconds": float(status.get("seconds") or 0.0),
        "biggest": [one for one in status.get("biggest") or () if isinstance(one, Mapping)],
        "by_type": _tallied(status, "by_type", "mime", "types"),
        "by_host": _tallied(status, "by_host", "hosts"),
        "tail": found.tail,
    }


def _figure(status: Mapping[str, Any], name: str) -> int:
    value = status.get(name)
    return int(value) if isinstance(value, int | float) else 0


def _tallied(status: Mapping[str, Any], *names: str) -> list[tuple[str, int]]:
    """Counts by name, the largest first, if the crawler sent them."""
    for name in names:
        found = status.get(name)
        if isinstance(found, Mapping):
            counted = [(str(key), value) for key, value in found.items() if isinstance(value, int)]
            return sorted(counted, key=lambda one: -one[1])[:20]
    return []


def shown_command(command: CommandRow) -> dict[str, Any]:
    return {
        "id": command.id,
        "verb": command.verb,
        "label": in_words(VERBS, command.verb),
        "arguments": {name: value for name, value in command.arguments.items() if value not in (None, "")},
        "told": [
            (in_words(WORDS, name), value)
            for name, value in command.arguments.items()
            if value not in (None, "") and name != "preview"
        ],
        "by": command.by,
        "moment": command.created_at,
        "answered": command.answered_at,
        "answer": answer_of(command),
    }
