"""Jobs as people see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from armarium.planning.leasing.reports import kept
from armarium.planning.model import LEASED, JobState


class Hurry(StrEnum):
    """Which of the jobs that still wait."""

    HIGH = "high"  # than usual
    USUAL = "usual"
    LOW = "low"


class Order(StrEnum):
    """In which order jobs are listed."""

    NEWEST = "newest"
    OLDEST = "oldest"
    ENDED = "ended"  # those that have ended, the last first
    OBJECTS = "objects"  # the largest first
    BYTES = "bytes"


#: What the list can be narrowed to with one word.
STATES_OF: Mapping[str, frozenset[JobState]] = {
    "waiting": frozenset({JobState.PLANNED, JobState.NEW}),
    "running": LEASED,
    **{state.value: frozenset({state}) for state in JobState},
}


@dataclass(frozen=True)
class JobFilter:
    """Which jobs; an empty field asks nothing."""

    text: str = ""  # number of a job, name of a harvest, of a domain, or of a file
    states: frozenset[JobState] = frozenset()
    harvest: str = ""  # its number, or a part of its name
    channel: str = ""
    collector: str = ""
    domain: str = ""
    run: int | None = None
    hurry: Hurry | None = None  # asks for jobs that wait: only theirs means anything
    numbers: tuple[tuple[int, int], ...] = ()  # stretches of job numbers, both ends included
    since: date | None = None  # made on this day or later
    until: date | None = None  # this day included
    zone: str = "UTC"  # whose days these are
    order: Order = Order.NEWEST


@dataclass(frozen=True)
class JobRow:
    """One line of a list."""

    id: int
    state: JobState
    harvest: int
    harvest_name: str
    harvest_kind: str
    run: int
    run_number: int
    channel: str
    priority: int
    profile_version: int
    attempt: int
    collector: int | None
    collector_name: str | None
    lease_until: datetime | None
    not_before: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    configurations: int
    estimate: int
    smallest: int
    largest: int
    split: str
    max_seconds: int | None
    resubmission_of: int | None
    outcome: str
    error: str
    objects: int
    bytes: int
    files: int
    reported_at: datetime | None


@dataclass(frozen=True)
class RunningJob:
    """A job with the last news of it."""

    job: JobRow
    report: Mapping[str, Any]  # {"phase", "report", "tail"}
    queued_before: int | None = None  # addresses, some minutes ago

    @property
    def runs(self) -> bool:
        return self.job.state in LEASED

    @property
    def paused(self) -> bool:
        """Only what runs can be paused: of a job that has ended, this was its last word."""
        return self.runs and self.status.get("state") == "paused"

    @property
    def growing(self) -> bool:
        """Whether it finds addresses faster than it fetches them: then nobody knows when it will be done."""
        queued, finished = (int(self.status.get(name) or 0) for name in ("queued", "finished"))
        return queued > (finished if self.queued_before is None else self.queued_before)

    @property
    def seconds_left(self) -> float | None:
        known = self.runs and not self.paused and not self.growing
        return self.status.get("seconds_left") if known else None

    @property
    def phase(self) -> str:
        return str(self.report.get("phase") or "")

    @cached_property
    def status(self) -> Mapping[str, Any]:
        """What the engine said of itself, without what is odd: older versions kept that too."""
        found = self.report.get("report")
        return kept(found) if isinstance(found, Mapping) else {}

    @property
    def waits_for_budget(self) -> bool:
        """Whether its share of the total budget of its run is spent, and there is more to fetch."""
        return self.runs and bool(self.status.get("waits_for_budget"))

    @property
    def upload_trouble(self) -> str:
        """Why its files are not taken at the moment."""
        return str(self.status.get("upload_trouble") or "") if self.runs else ""

    @property
    def tail(self) -> list[str]:
        return [str(line) for line in self.report.get("tail") or ()]


@dataclass(frozen=True)
class Slice:
    """A stretch of a list, with marks of where it goes on in either direction."""

    jobs: list[JobRow]
    forward: str | None = None
    back: str | None = None


@dataclass(frozen=True)
class Count:
    """How many there are; counting stops where nobody cares any more."""

    number: int
    more: bool = False


@dataclass(frozen=True)
class ProfileUsed:
    """The version of a profile that a job was made with, and the newest one."""

    profile: int
    name: str
    version: int
    document: Mapping[str, Any]
    newest: int
    newest_document: Mapping[str, Any]


@dataclass(frozen=True)
class Attempt:
    attempt: int
    collector: int
    collector_name: str
    leased_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    end: str
    error: str


@dataclass(frozen=True)
class ConfigurationRow:
    """What a job was to do for a configuration, and what came of it."""

    configuration: int
    name: str
    domain: int
    domain_name: str
    estimate: int
    max_objects: int | None
    max_bytes: int | None
    limited_by: str
    objects: int | None
    bytes: int | None
    stop_reason: str | None
    seeds: Sequence[Mapping[str, Any]] = ()  # with which something is wrong: url, verdict, status, redirect


@dataclass(frozen=True)
class ByCatch:
    domain: str
    objects: int
    bytes: int


@dataclass(frozen=True)
class File:
    """A file that arrived, or is on its way."""

    name: str
    kind: str
    size: int
    sha256: str
    received: int
    state: str
    attempt: int
    begun_at: datetime
    stored_at: datetime | None
    refusal: str  # why the archive does not take it


@dataclass(frozen=True)
class Sample:
    at: datetime
    objects: int
    bytes: int
    queued: int
    objects_per_second: float
    bytes_per_second: float
    queues: int


@dataclass(frozen=True)
class CommandRow:
    """Something that somebody wanted of a running job, and what it answered."""

    id: int
    verb: str
    arguments: Mapping[str, Any]
    by: str
    created_at: datetime
    sent_at: datetime | None
    answered_at: datetime | None
    accepted: bool
    answer: Mapping[str, Any]
    job_state: JobState = JobState.STARTED  # of its job, now


@dataclass(frozen=True)
class Done:
    """What became of an order for several jobs."""

    changed: list[int] = field(default_factory=list)
    made: list[int] = field(default_factory=list)  # new jobs, by resubmission
    left: list[int] = field(default_factory=list)  # in a state that does not allow it
