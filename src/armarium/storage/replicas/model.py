"""A replica with all that people may change or want to see of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from armarium.core.message import Message, message
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState


@dataclass(frozen=True)
class ReplicaDetails:
    """A replica, how it is set up, and how it does."""

    replica: Replica
    audit_days: int  # 0: only by hand
    audit_rate_bytes: int  # 0: as fast as it goes
    edition: int
    created_at: datetime
    created_by: str
    away_since: datetime | None
    trouble: str
    asked_at: datetime | None  # never: nobody has claimed its folder yet
    free_bytes: int
    has_secrets: bool

    def described(self) -> dict[str, object]:
        """For the audit log; secrets are not in it."""
        kept = self.replica
        return {
            "name": kept.name,
            "kind": kept.kind.value,
            "role": kept.role.value,
            "state": kept.state.value,
            "location": kept.location,
            "options": dict(kept.options),
            "rate_bytes": kept.rate_bytes,
            "audit_days": self.audit_days,
            "audit_rate_bytes": self.audit_rate_bytes,
        }


@dataclass(frozen=True)
class Setup:
    """How a replica is to be set up; None: as it was."""

    role: ReplicaRole | None = None
    location: str | None = None
    options: Mapping[str, str] | None = None
    secrets: Mapping[str, str] | None = None  # an empty mapping forgets them
    rate_bytes: int | None = None
    audit_days: int | None = None
    audit_rate_bytes: int | None = None

    def values(self) -> dict[str, Any]:
        """Columns, but for the secrets."""
        plain = ("location", "rate_bytes", "audit_days", "audit_rate_bytes")
        found = {name: getattr(self, name) for name in plain if getattr(self, name) is not None}
        if self.role is not None:
            found["role"] = self.role.value
        if self.options is not None:
            found["options"] = dict(self.options)
        return found


def holds_bytes(replica: Replica) -> bool:
    return replica.kind is not ReplicaKind.CHECKSUM


@dataclass(frozen=True)
class Part:
    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Content:
    accepted: Part = Part()
    unfinished: Part = Part()
    damaged: Part = Part()
    as_of: datetime | None = None  # none: of this moment

    @property
    def files(self) -> int:
        return self.accepted.files + self.unfinished.files + self.damaged.files


@dataclass(frozen=True)
class LastAudit:
    """The last audit of a kind, in short."""

    id: int
    kind: str
    state: str
    ended_at: datetime | None
    damages: int


ACTIONS: dict[str, Message] = {
    "replica.added": message("Replica added"),
    "replica.changed": message("Replica changed"),
    "replica.state_changed": message("Replica state changed"),
}
WORDS: dict[str, Message] = {
    "audit_days": message("Days between audits"),
    "audit_rate_bytes": message("Audit speed limit"),
    "files": message("Files"),
    "kind": message("Kind"),
    "location": message("Location"),
    "options": message("Options"),
    "rate_bytes": message("Speed limit"),
    "replica": message("Replica"),
    "role": message("Role"),
    "secrets": message("Access keys"),
}
KINDS: dict[ReplicaKind, Message] = {
    ReplicaKind.FOLDER: message("folder"),
    ReplicaKind.S3: message("S3 bucket"),
    ReplicaKind.CHECKSUM: message("checksums only"),
}
ROLES: dict[ReplicaRole, Message] = {
    ReplicaRole.PRIMARY: message("primary (read first)"),
    ReplicaRole.COPY: message("copy (read if no primary answers)"),
    ReplicaRole.WITNESS: message("witness (checksums only)"),
}
STATES: dict[ReplicaState, Message] = {
    ReplicaState.ACTIVE: message("active"),
    ReplicaState.READ_ONLY: message("read-only"),
    ReplicaState.RETIRED: message("retired"),
}


# Replicas as templates read them


KIND_HELP = {
    ReplicaKind.FOLDER: message("A disk of the server, or one mounted there."),
    ReplicaKind.S3: message("Any S3-compatible storage, local or remote."),
    ReplicaKind.CHECKSUM: message(
        "Stores no files, only their checksums: an inexpensive, distant vote on which copy is right."
    ),
}


def shown(details: ReplicaDetails, held: Mapping[int, Content]) -> dict[str, Any]:
    """A replica as the templates read it."""
    replica = details.replica
    content = held.get(replica.id, Content())
    tone, state = tone_of(details)
    return {
        "id": replica.id,
        "name": replica.name,
        "kind": KINDS[replica.kind],
        "role": ROLES[replica.role],
        "tone": tone,
        "state": state,
        "is": replica.state.value,
        "location": replica.location,
        "options": sorted(replica.options.items()),
        "has_keys": details.has_secrets,
        "rate": replica.rate_bytes,
        "audit_days": details.audit_days,
        "audit_rate": details.audit_rate_bytes,
        "away_since": details.away_since,
        "trouble": details.trouble,
        "asked": details.asked_at,
        "free": details.free_bytes,
        "created": details.created_at,
        "created_by": details.created_by,
        "content": content,
        "picture": {"width": WIDTH, "height": HEIGHT, "stretches": bar(content)},
    }


def tone_of(details: ReplicaDetails) -> tuple[str, Message]:
    if details.away_since and details.replica.state is not ReplicaState.RETIRED:
        return "bad", message("does not answer")
    tones = {ReplicaState.ACTIVE: "good", ReplicaState.READ_ONLY: "waiting", ReplicaState.RETIRED: "neutral"}
    return tones[details.replica.state], STATES[details.replica.state]


def role_options() -> list[tuple[str, Message]]:
    return [(role.value, ROLES[role]) for role in (ReplicaRole.PRIMARY, ReplicaRole.COPY)]


# What a replica holds, as one bar: accepted, waiting, damaged, by bytes


WIDTH, HEIGHT = 600, 16
LEAST = 6.0  # units of width: a single damaged file among millions is seen
HATCH = 12  # units between two lines


@dataclass(frozen=True)
class Stretch:
    """A part of the bar, and what its line in the key says."""

    tone: str
    label: Message
    files: int
    bytes: int
    x: float
    width: float
    lines: tuple[tuple[float, float], ...]  # of the hatching: from x above to x below


TONES: tuple[tuple[str, str, Message, int], ...] = (
    ("accepted", "good", message("stored"), 0),
    ("unfinished", "waiting", message("waiting"), 1),
    ("damaged", "bad", message("damaged or missing"), -1),
)


def bar(content: Content) -> list[Stretch]:
    """The stretches that are not empty, side by side over the whole width."""
    there = [(tone, label, lean, getattr(content, name)) for name, tone, label, lean in TONES]
    there = [one for one in there if one[3].files]
    total = sum(part.bytes for *_, part in there)
    room = WIDTH - LEAST * len(there)
    drawn, x = [], 0.0
    for tone, label, lean, part in there:
        share = part.bytes / total if total else 1 / len(there)
        width = LEAST + room * share
        drawn.append(
            Stretch(tone, label, part.files, part.bytes, round(x, 2), round(width, 2), hatch(x, width, lean))
        )
        x += width
    return drawn


def hatch(x: float, width: float, lean: int) -> tuple[tuple[float, float], ...]:
    """Lines that lean to the right (1) or to the left (-1); none for 0."""
    if not lean:
        return ()
    places = range(int(x) + HATCH // 2, int(x + width), HATCH)
    return tuple((place + lean * HATCH / 4, place - lean * HATCH / 4) for place in places)
