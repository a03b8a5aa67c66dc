"""A replica with all that people may change or want to see of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from armarium.storage.model import Replica, ReplicaKind, ReplicaRole


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
