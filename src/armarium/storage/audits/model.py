"""The words of audits: a run, what was found of one copy, and the health of a replica."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from armarium.storage.model import AuditKind, RunState

AT_WORK = frozenset({RunState.WAITING, RunState.RUNNING})
RECENT = timedelta(days=90)


@dataclass(frozen=True)
class Run:
    """One audit of one replica."""

    id: int
    replica: int
    replica_name: str
    kind: AuditKind
    state: RunState
    asked_by: str  # empty: by the calendar
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    heard_at: datetime | None
    cursor: str
    older_than: datetime | None
    files_total: int
    bytes_total: int
    files: int
    bytes: int
    ok: int
    missing: int
    corrupt: int
    strange: int
    error: str

    @property
    def damages(self) -> int:
        return self.missing + self.corrupt

    @property
    def at_work(self) -> bool:
        return self.state in AT_WORK

    def share(self) -> float:
        """How far it came, from 0 to 1; by bytes where bytes are read."""
        done, total = (
            (self.bytes, self.bytes_total)
            if self.kind is AuditKind.CHECKSUM
            else (self.files, self.files_total)
        )
        return min(1.0, done / total) if total else 1.0

    def expected_end(self, now: datetime) -> datetime | None:
        """If it goes on as it went so far; None while that says nothing."""
        share = self.share()
        if self.state is not RunState.RUNNING or self.started_at is None or not 0.01 <= share < 1:
            return None
        return now + (now - self.started_at) * ((1 - share) / share)


@dataclass(frozen=True)
class Age:
    """How much of a replica was last read so long ago."""

    days: int | None  # up to so many; None: longer
    bytes: int
    files: int
    never: bool = False


@dataclass(frozen=True)
class Health:
    """How a replica is, as far as audits know."""

    replica: int
    name: str
    kind: str
    state: str
    away_since: datetime | None
    trouble: str
    audit_days: int
    files: int
    bytes: int
    damaged: int  # copies that are missing, corrupt or being repaired
    oldest_check: datetime | None
    never_checked: int
    checked_recently: int  # bytes
    last_presence: datetime | None  # end of the last one that went through
    last_checksum: datetime | None
    damages_of_year: int
    repaired_of_year: int
    ages: tuple[Age, ...] = field(default=())

    @property
    def share_recent(self) -> float:
        return self.checked_recently / self.bytes if self.bytes else 1.0

    @property
    def well(self) -> bool:
        return not self.damaged and self.away_since is None
