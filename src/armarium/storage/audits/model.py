"""The words of audits: a run, what was found of one copy, and the health of a replica."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from armarium.core.message import Message, message
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


ACTIONS: dict[str, Message] = {
    "audit.cancelled": message("Audit cancelled"),
    "audit.started": message("Audit started"),
}
WORDS: dict[str, Message] = {
    "kind": message("Kind"),
    "older_than": message("Only copies last verified before"),
    "replica": message("Replica"),
    "storage audit": message("Audit"),
}
KINDS: dict[AuditKind, Message] = {
    AuditKind.PRESENCE: message("presence"),
    AuditKind.CHECKSUM: message("checksums"),
}
#: With the tone of its badge.
STATES: dict[RunState, tuple[str, Message]] = {
    RunState.WAITING: ("waiting", message("waiting")),
    RunState.RUNNING: ("busy", message("running")),
    RunState.FINISHED: ("good", message("finished")),
    RunState.CANCELLED: ("neutral", message("cancelled")),
    RunState.FAILED: ("bad", message("failed")),
}


# How long ago the bytes of a replica were last read, as one bar


WIDTH, HEIGHT = 600, 24
LEAST = 3  # units of width: what is there is seen, however little it is


@dataclass(frozen=True)
class Stretch:
    """A part of the bar."""

    shade: str  # of the style: young … old, never
    label: Message
    bytes: int
    files: int
    share: float  # percent
    x: float
    width: float


SHADES = ("within-30", "within-90", "within-180", "within-365", "longer", "never")
LABELS = (
    message("within 30 days"),
    message("within 90 days"),
    message("within half a year"),
    message("within a year"),
    message("longer ago"),
    message("never"),
)


def bar(ages: Sequence[Age]) -> list[Stretch]:
    """The stretches that are not empty, from the freshest to what was never read; by bytes."""
    total = sum(age.bytes for age in ages)
    there = [
        (shade, label, age) for shade, label, age in zip(SHADES, LABELS, ages, strict=False) if age.bytes
    ]
    room = WIDTH - LEAST * len(there)
    drawn, x = [], 0.0
    for shade, label, age in there:
        width = LEAST + room * age.bytes / total
        share = 100 * age.bytes / total
        drawn.append(Stretch(shade, label, age.bytes, age.files, share, round(x, 2), round(width, 2)))
        x += width
    return drawn
