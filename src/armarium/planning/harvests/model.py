"""The words of harvest definitions and their runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from armarium.core.entities import plain, values_of
from armarium.core.message import Message
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.schedules.model import Schedule


class RunState(StrEnum):
    GENERATING = "generating"
    GENERATED = "generated"
    FAILED = "failed"
    SKIPPED = "skipped"


class Standing(StrEnum):
    """Where a harvest stands, in one word."""

    DRAFT = "draft"
    WAITING = "waiting"  # for its date
    PAUSED = "paused"  # its schedule is
    RUNNING = "running"
    DONE = "done"  # it has no run before it, and nothing is wrong
    STOPPED = "stopped"  # by somebody, or by Armarium because of a trouble


@dataclass(frozen=True)
class Definition:
    """What people decide about a harvest."""

    name: str
    kind: HarvestKind = HarvestKind.SELECTIVE
    comments: str = ""
    audience: str = ""
    channel: int | None = None  # None: the default channel of its kind
    schedule: int | None = None
    missed: Missed = Missed.SKIP
    traps: tuple[str, ...] = ()
    max_objects: int | None = None  # of each domain; None: no limit
    max_bytes: int | None = None
    max_seconds: int | None = None  # of each job
    total_objects: int | None = None  # of each run, all its jobs together
    total_bytes: int | None = None
    previous: int | None = None  # broad: only what that one left unfinished
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Harvest(Definition):
    """A definition as it is kept, with where it stands."""

    id: int = 0
    active: bool = False
    next_at: datetime | None = None
    next_by_hand: bool = False  # somebody set the next date
    rhythm_from: datetime | None = None  # the first date of the present rhythm
    runs: int = 0
    scheduled_runs: int = 0  # without those begun by hand
    trouble: str = ""  # why Armarium itself deactivated it
    created_at: datetime | None = None
    edition: int = 1
    # Of its schedule and its jobs, when it was read
    paused: bool = False
    under_way: bool = False
    jobs_left: int = 0  # that wait or run

    @property
    def mark(self) -> str:
        """Tells one state of the definition from another, for those who edit it at the same time."""
        return str(self.edition)

    def described(self) -> dict[str, object]:
        """What the audit log keeps."""
        said = {name: plain(value) for name, value in values_of(self, Definition).items()}
        return {**said, "fields": dict(self.fields) or None, "next_at": plain(self.next_at)}


@dataclass(frozen=True)
class Run:
    """One generation of jobs, and what its jobs have brought so far."""

    id: int
    harvest: int
    number: int | None  # None: skipped
    state: RunState
    due_at: datetime
    begun_at: datetime | None
    generated_at: datetime | None
    configurations: int
    left_out: Mapping[str, int]
    error: str
    jobs: int = 0
    unfinished: int = 0  # jobs that wait or run
    failed: int = 0
    objects: int = 0
    bytes: int = 0
    expected: int = 0  # objects
    seconds: float = 0.0  # of crawling, all jobs together
    started_at: datetime | None = None  # the first job
    ended_at: datetime | None = None  # of the last job
    total_objects: int | None = None  # at most, all jobs together
    total_bytes: int | None = None
    cut_off: int = 0  # jobs that ended because that was spent

    @property
    def left_objects(self) -> int | None:
        """Of its total budget; None: it has none."""
        return None if self.total_objects is None else max(self.total_objects - self.objects, 0)

    @property
    def left_bytes(self) -> int | None:
        return None if self.total_bytes is None else max(self.total_bytes - self.bytes, 0)

    @property
    def under_way(self) -> bool:
        return self.state is RunState.GENERATING or self.unfinished > 0

    @property
    def dates(self) -> int:
        """How many dates a skipped run stands for."""
        return self.left_out.get("missed", 1)


@dataclass(frozen=True)
class HarvestRow:
    """A line of the list."""

    harvest: Harvest
    schedule: str  # names
    channel: str
    recent: tuple[Run, ...] = ()  # its last runs, the oldest first

    @property
    def last(self) -> Run | None:
        return self.recent[-1] if self.recent else None


@dataclass(frozen=True)
class Member:
    """A configuration in a selective or event harvest."""

    configuration: int
    name: str
    active: bool
    domain: int
    domain_name: str
    domain_active: bool
    profile: str
    seeds: int
    max_objects: int | None
    max_bytes: int | None
    best_objects: int | None
    choices: tuple[tuple[int, str], ...] = ()  # all active configurations of the domain


@dataclass(frozen=True)
class Doubt:
    """A reason why a harvest cannot be activated, or, if it only warns, why little will come of it."""

    text: Message
    prevents: bool = True


@dataclass(frozen=True)
class Choices:
    """What the form of a definition offers."""

    schedules: list[Schedule]
    channels: list[tuple[int, str, str]]  # number, name, kinds for which it is the default
    previous: list[tuple[int, str]]  # broad harvests that may be continued
