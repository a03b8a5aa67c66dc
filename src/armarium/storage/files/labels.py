"""Files and copies in words, for people, templates and the audit log."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.storage.files.model import Copy, Details, Mark
from armarium.storage.files.queries import LONGEST_PAUSE
from armarium.storage.history import OUTCOMES
from armarium.storage.model import CopyState, File, FileKind, FileState, Origin, ReplicaState

ACTIONS: dict[str, Message] = {
    "file.withdrawn": message("File withdrawn"),
    "file.restored": message("File restored"),
}
WORDS: dict[str, Message] = {
    "file": message("File"),
    "reason": message("Reason"),
    "state": message("State"),
}
FILE_STATES: dict[FileState, Message] = {
    FileState.STORING: message("being stored"),
    FileState.STORED: message("stored"),
    FileState.LOST: message("lost"),
    FileState.WITHDRAWN: message("withdrawn"),
}
LOST = message(
    "The file was altered in the arrivals folder before any replica had it, and its job has ended, so it "
    "will not be sent again. What arrived is still there. If the collector kept a copy, import it from there."
)
COPY_STATES: dict[CopyState, Message] = {
    CopyState.WAITING: message("waiting"),
    CopyState.UPLOADING: message("uploading"),
    CopyState.UPLOADED: message("uploaded, not verified"),
    CopyState.ACCEPTED: message("verified"),
    CopyState.FAILED: message("failed, will be retried"),
    CopyState.MISSING: message("missing"),
    CopyState.CORRUPT: message("damaged"),
    CopyState.REPAIRING: message("being repaired"),
}
ORIGINS: dict[Origin, Message] = {
    Origin.COLLECTOR: message("harvest"),
    Origin.IMPORT: message("import"),
    Origin.REBUILD: message("rebuild"),
}


# Files and copies as templates read them


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
KINDS = {FileKind.DATA: message("captures"), FileKind.METADATA: message("job metadata")}


def shown_file(file: File, marks: Iterable[Mark] = ()) -> dict[str, Any]:
    return {
        "id": file.id,
        "name": file.name,
        "size": file.size,
        "kind": KINDS[file.kind],
        "origin": ORIGINS[file.origin],
        "sha256": file.sha256,
        "stored": file.stored_at,
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
        return {"tone": "warning", "state": message("undecided")}
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
        "blake3": file.blake3,
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
