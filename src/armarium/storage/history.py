"""What happened to files and replicas: events, and every check of a copy. Written once, and never changed.

Events are written in the transaction of what they tell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.entities import from_row
from armarium.core.message import Message, message
from armarium.storage.backends.place import Sums
from armarium.storage.model import AuditKind, CheckOutcome
from armarium.storage.tables import file_check, replica, storage_event, stored_file

SHA256 = "sha256"


class EventKind(StrEnum):
    """What was done to a file or with a replica."""

    REGISTERED = "registered"
    REFUSED = "refused"  # another file came under the name of one that is there
    STORED = "stored"
    LOST = "lost"  # altered where it had arrived, before any replica had it
    ADDED = "copy-added"  # to a replica that came later
    NOT_ACCEPTED = "not-accepted"  # read back right after storing, and other bytes came
    READ_FAILED = "read-failed"
    WITHDRAWN = "withdrawn"
    RESTORED = "restored"
    CLEANED = "cleaned"  # the file in the folder of arrivals was deleted
    AWAY = "away"
    AWAY_LONG = "away-long"  # people were told
    BACK = "back"
    STRANGE = "strange"  # an object in a replica that the register does not know
    REBUILT = "rebuilt"  # entered from what the replicas have
    REPAIR_PROPOSED = "repair-proposed"
    REPAIR_APPROVED = "repair-approved"
    REPAIR_REFUSED = "repair-refused"
    REPAIR_BEGUN = "repair-begun"
    REPAIR_FAILED = "repair-failed"
    REPAIR_VOID = "repair-void"  # the copy turned out to be well
    REPAIR_UNDECIDED = "repair-undecided"
    REPAIRED = "repaired"
    MOVED_ASIDE = "aside"
    DECIDED = "decided"  # a person said what a file is
    CONTENT_CONFIRMED = "content-confirmed"  # after a rebuild, by as many people as must
    CONTENT_DECIDED = "content-decided"  # the register was changed


@dataclass(frozen=True)
class Event:
    id: int
    at: datetime
    file: int | None
    replica: int | None
    kind: str
    actor: str
    details: Mapping[str, object]


@dataclass(frozen=True)
class Check:
    """One look at one copy."""

    id: int
    at: datetime
    file: int
    file_name: str
    replica: int
    replica_name: str
    audit: int | None
    kind: AuditKind
    outcome: CheckOutcome
    algorithm: str
    found: str
    size: int


@dataclass(frozen=True)
class Occurrence:
    """Something that happened to a file: an event, or a look at one of its copies."""

    at: datetime
    kind: str  # of an event; empty: a check
    outcome: str = ""  # of a check
    replica: str = ""
    actor: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    audit: int | None = None


# Writing


def note(
    connection: Connection,
    kind: EventKind | str,  # plug-ins may have kinds of their own
    *,
    file: int | None = None,
    replica: int | None = None,
    actor: str = SYSTEM.name,
    details: Mapping[str, object] | None = None,
) -> None:
    known = {"file": file, "replica": replica, "kind": str(kind), "actor": actor}
    made = sa.insert(storage_event).values(at=clock.now(), **known, details=dict(details or {}))
    connection.execute(made)


def note_check(
    connection: Connection,
    file: int,
    replica: int,
    outcome: CheckOutcome,
    sums: Sums | None = None,
    *,
    audit: int | None = None,
) -> None:
    """Every byte of a copy was read and compared; `sums` is what came."""
    values = {
        "file": file,
        "replica": replica,
        "audit": audit,
        "at": clock.now(),
        "kind": AuditKind.CHECKSUM.value,
        "outcome": outcome.value,
        "algorithm": SHA256 if sums else "",
        "found": sums.sha256 if sums else "",
        "size": sums.size if sums else 0,
    }
    add_check(connection, values)


def add_check(connection: Connection, values: Mapping[str, Any]) -> None:
    connection.execute(sa.insert(file_check).values(**values))


# Reading

CHECK = (
    sa.select(*file_check.c, stored_file.c.name.label("file_name"), replica.c.name.label("replica_name"))
    .join(stored_file, stored_file.c.id == file_check.c.file)
    .join(replica, replica.c.id == file_check.c.replica)
)


def events(
    connection: Connection,
    *,
    file: int | None = None,
    replica: int | None = None,
    limit: int,
    offset: int = 0,
) -> list[Event]:
    """Newest first."""
    asked = sa.select(storage_event).order_by(storage_event.c.id.desc()).limit(limit).offset(offset)
    if file is not None:
        asked = asked.where(storage_event.c.file == file)
    if replica is not None:
        asked = asked.where(storage_event.c.replica == replica)
    return [Event(**row) for row in connection.execute(asked).mappings()]


def checks_of(connection: Connection, file: int, limit: int) -> list[Check]:
    """Every time that somebody looked at a copy of this file, the last first."""
    asked = CHECK.where(file_check.c.file == file).order_by(file_check.c.id.desc())
    return as_checks(connection.execute(asked.limit(limit)))


def as_checks(found: "sa.Result[Any]") -> list[Check]:
    return [from_row(Check, dict(row)) for row in found.mappings()]


def times_noted(connection: Connection, file: int) -> int:
    """How many events and checks there are of a file."""
    return sum(
        connection.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.file == file)) or 0
        for table in (storage_event, file_check)
    )


EVENTS: dict[str, Message] = {
    EventKind.REGISTERED: message("Registered"),
    EventKind.REFUSED: message("Another file with this name rejected"),
    EventKind.STORED: message("Stored in every replica"),
    EventKind.LOST: message("Lost before it was stored"),
    EventKind.ADDED: message("Copied to another replica"),
    EventKind.NOT_ACCEPTED: message("Copy failed verification"),
    EventKind.READ_FAILED: message("Copy could not be read"),
    EventKind.WITHDRAWN: message("Withdrawn"),
    EventKind.RESTORED: message("Restored"),
    EventKind.CLEANED: message("Received file deleted after storing"),
    EventKind.AWAY: message("Replica did not answer"),
    EventKind.AWAY_LONG: message("Operators notified that the replica does not answer"),
    EventKind.BACK: message("Replica answered again"),
    EventKind.STRANGE: message("Unknown object found"),
    EventKind.REBUILT: message("Entered by a rebuild"),
    EventKind.REPAIR_PROPOSED: message("Damage found"),
    EventKind.REPAIR_APPROVED: message("Repair approved"),
    EventKind.REPAIR_REFUSED: message("Repair rejected"),
    EventKind.REPAIR_BEGUN: message("Repair started"),
    EventKind.REPAIR_FAILED: message("Repair failed"),
    EventKind.REPAIR_VOID: message("Copy found to be intact"),
    EventKind.REPAIR_UNDECIDED: message("Needs a decision"),
    EventKind.REPAIRED: message("Copy repaired and verified"),
    EventKind.MOVED_ASIDE: message("Damaged copy moved aside"),
    EventKind.DECIDED: message("Content decided"),
    EventKind.CONTENT_CONFIRMED: message("Content confirmed after the rebuild"),
    EventKind.CONTENT_DECIDED: message("Register changed by a decision"),
}


OUTCOMES: Mapping[str, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("Copy verified")),
    CheckOutcome.MISSING: ("bad", message("Copy not found")),
    CheckOutcome.CORRUPT: ("bad", message("Copy differs")),
    CheckOutcome.UNREADABLE: ("bad", message("Copy cannot be read")),
    CheckOutcome.AWAY: ("neutral", message("Replica did not answer")),
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


def shown_occurrence(one: Occurrence) -> dict[str, Any]:
    if not one.kind:
        tone, title = OUTCOMES[one.outcome]
    else:
        tone, title = EVENT_TONES.get(one.kind, ""), EVENTS.get(one.kind, Message(one.kind))
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


SHORT_OUTCOMES: dict[CheckOutcome, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("intact")),
    CheckOutcome.MISSING: ("bad", message("missing")),
    CheckOutcome.CORRUPT: ("bad", message("differs")),
    CheckOutcome.UNREADABLE: ("bad", message("unreadable")),
    CheckOutcome.AWAY: ("warning", message("no answer")),
}
