"""What is asked of the register, and what it answers about copies and events."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from armarium.storage.model import CopyState, File, Replica


class EventKind(StrEnum):
    """What was done to a file or with a replica. Other areas of storage write kinds of their own."""

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


@dataclass(frozen=True)
class Copy:
    """A file in a replica."""

    file: int
    replica: Replica
    state: CopyState
    attempts: int
    error: str
    changed_at: datetime
    seen_at: datetime | None
    checked_at: datetime | None
    outcome: str
    found_sha256: str
    away: bool  # the replica did not answer when it was last asked


@dataclass(frozen=True)
class HeldCopy:
    """What a step of storing looks at, locked."""

    state: CopyState
    attempts: int
    error: str


@dataclass(frozen=True)
class Details:
    """What a file's page says beyond the register's line."""

    file: File
    original_job: str
    withdrawn_at: datetime | None
    withdrawn_reason: str
    taken_over_at: datetime | None
    trouble: str  # why it is not stored yet


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
class Totals:
    files: int
    bytes: int
    storing: int
    withdrawn: int
