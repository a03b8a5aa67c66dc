"""Files, copies and what happened to them, as templates read them: with a tone and in words."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.storage.audits.presence import STRANGE
from armarium.storage.files.catalogue_model import Mark, Occurrence
from armarium.storage.files.model import Copy, Details, Event, EventKind
from armarium.storage.files.queries import LONGEST_PAUSE
from armarium.storage.files.words import COPY_STATES, EVENTS, FILE_STATES, LOST, ORIGINS
from armarium.storage.model import CheckOutcome, CopyState, File, FileKind, FileState, ReplicaState
from armarium.storage.repairs.settling import REBUILT
from armarium.storage.repairs.words import EVENTS as REPAIR_EVENTS

FILE_TONES = {
    FileState.STORING: "busy",
    FileState.STORED: "good",
    FileState.LOST: "bad",
    FileState.WITHDRAWN: "neutral",
}
COPY_TONES = {
    CopyState.WAITING: "waiting",
    CopyState.UPLOADING: "busy",
    CopyState.UPLOADED: "busy",
    CopyState.ACCEPTED: "good",
    CopyState.FAILED: "warning",
    CopyState.MISSING: "bad",
    CopyState.CORRUPT: "bad",
    CopyState.REPAIRING: "warning",
}
KINDS = {FileKind.DATA: message("captures"), FileKind.METADATA: message("metadata of a job")}
OUTCOMES: Mapping[str, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("Copy checked and well")),
    CheckOutcome.MISSING: ("bad", message("Copy not found")),
    CheckOutcome.CORRUPT: ("bad", message("Copy has other bytes")),
    CheckOutcome.UNREADABLE: ("bad", message("Copy cannot be read")),
    CheckOutcome.AWAY: ("neutral", message("Replica did not answer")),
}
EVENT_WORDS: Mapping[str, Message] = {
    **EVENTS,
    **REPAIR_EVENTS,
    REBUILT: message("Entered from what the replicas have"),
    STRANGE: message("Object that the register does not know"),
}
EVENT_TONES: Mapping[str, str] = {
    EventKind.STORED: "good",
    EventKind.RESTORED: "good",
    EventKind.BACK: "good",
    EventKind.REFUSED: "warning",
    EventKind.LOST: "bad",
    EventKind.NOT_ACCEPTED: "bad",
    EventKind.READ_FAILED: "bad",
    EventKind.AWAY: "warning",
    EventKind.AWAY_LONG: "warning",
    EventKind.WITHDRAWN: "neutral",
}


def shown_file(file: File, marks: Iterable[Mark] = ()) -> dict[str, Any]:
    return {
        "id": file.id,
        "name": file.name,
        "size": file.size,
        "tone": FILE_TONES[file.state],
        "state": FILE_STATES[file.state],
        "job": file.job,
        "harvest": file.harvest,
        "accession": file.accession,
        "registered": file.registered_at,
        "marks": [shown_mark(mark, decided=bool(file.sha256)) for mark in marks],
    }


def copy_state(state: CopyState, decided: bool) -> dict[str, Any]:
    """Where nobody knows yet what the file is, no copy is called damaged: it may be the right one."""
    if state is CopyState.CORRUPT and not decided:
        return {"tone": "warning", "state": message("not decided")}
    return {"tone": COPY_TONES[state], "state": COPY_STATES[state]}


def shown_mark(mark: Mark, *, decided: bool = True) -> dict[str, Any]:
    return {
        "replica": mark.replica,
        **copy_state(mark.state, decided),
        "away": mark.away,
    }


def shown_details(details: Details) -> dict[str, Any]:
    file = details.file
    return {
        **shown_file(file),
        "kind": KINDS[file.kind],
        "origin": ORIGINS[file.origin],
        "sha256": file.sha256,
        "blake3": file.blake3,
        "stored": file.stored_at,
        "source": file.source,
        "companion": file.companion,
        "original_job": details.original_job,
        "withdrawn": details.withdrawn_at,
        "withdrawn_reason": details.withdrawn_reason,
        "taken_over": details.taken_over_at,
        "trouble": _trouble(details),
        "given_out": file.state is not FileState.WITHDRAWN,
    }


def _trouble(details: Details) -> str | Message:
    if details.file.state is FileState.LOST:
        return LOST
    return details.trouble if details.file.state is FileState.STORING else ""


def shown_copy(copy: Copy, *, decided: bool = True) -> dict[str, Any]:
    return {
        "replica": copy.replica.name,
        "number": copy.replica.id,
        "retired": copy.replica.state is ReplicaState.RETIRED,
        "away": copy.away,
        **copy_state(copy.state, decided),
        "error": copy.error,
        "attempts": copy.attempts,
        "next_attempt": next_attempt(copy),
        "seen": copy.seen_at,
        "checked": copy.checked_at,
        "outcome": OUTCOMES[copy.outcome][1] if copy.outcome in OUTCOMES else "",
        "found": copy.found_sha256,
    }


def next_attempt(copy: Copy) -> datetime | None:
    """When the sweep tries a copy again that failed; None where it waits for something else."""
    if copy.state is not CopyState.FAILED or copy.away or copy.replica.state is not ReplicaState.ACTIVE:
        return None
    pause = timedelta(minutes=min(max(copy.attempts - 1, 0), LONGEST_PAUSE))
    return max(copy.changed_at + pause, clock.now())


def shown_occurrence(one: Occurrence) -> dict[str, Any]:
    if not one.kind:
        tone, title = OUTCOMES[one.outcome]
    else:
        tone, title = EVENT_TONES.get(one.kind, ""), EVENT_WORDS.get(one.kind, Message(one.kind))
    return {
        "at": one.at,
        "file": None,
        "tone": tone,
        "title": title,
        "replica": one.replica,
        "actor": one.actor,
        "audit": one.audit,
        "details": [] if one.outcome == CheckOutcome.OK else shown_details_of(one.details),
    }


def shown_event(event: Event) -> dict[str, Any]:
    """An event on the page of its replica."""
    about = Occurrence(event.at, event.kind, actor=event.actor, details=event.details)
    return {**shown_occurrence(about), "file": event.file}


def shown_details_of(details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Values as they were noted; what belongs to no one reader, such as the votes, is on other pages."""
    return [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in details.items()
        if value not in (None, "", []) and not isinstance(value, dict)
    ]
