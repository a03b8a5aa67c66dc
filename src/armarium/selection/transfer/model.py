"""What the transfer speaks of: rules and targets of the mapping, the difference it makes, and what it asks of
planning."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol

from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.entities import Described, plain
from armarium.core.message import Message
from armarium.languages.speech import say
from armarium.selection.model import Budget, Combination, Depth, Frequency

NO_LIMIT = 0  # in a rule: none, although a less particular rule has one


@dataclass(frozen=True)
class Rule(Described):
    """What planning is told. An empty choice stands for all of them, an empty value says nothing."""

    budget: Budget | None = None
    frequency: Frequency | None = None
    depth: Depth | None = None
    profile: str = ""  # its name in planning
    max_objects: int | None = None
    max_bytes: int | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)  # parts of a crawl order
    pattern: str = ""  # of the configuration's name
    id: int = 0

    @property
    def particular(self) -> int:
        """How many of the three choices it names."""
        return sum(one is not None for one in (self.budget, self.frequency, self.depth))

    def fits(self, combination: Combination) -> bool:
        return all(
            mine in (None, theirs)
            for mine, theirs in (
                (self.budget, combination.budget),
                (self.frequency, combination.frequency),
                (self.depth, combination.depth),
            )
        )


@dataclass(frozen=True)
class Mould:
    """What the rules together say for one combination."""

    profile: str
    max_objects: int | None  # None: no limit
    max_bytes: int | None
    overrides: Mapping[str, Any]
    pattern: str


@dataclass(frozen=True)
class Target:
    """The harvest that takes the records of a collection with a frequency."""

    collection: int
    frequency: Frequency
    harvest: int | None = None  # None: the transfer makes one
    name: str = ""  # of the one to be made
    schedule: str = ""  # its name in planning
    automatic: bool = True  # the transfer runs before each run of the harvest

    def described(self) -> dict[str, object]:
        return {
            "frequency": self.frequency.value,
            "harvest": self.harvest,
            "name": self.name,
            "schedule": self.schedule,
            "automatic": self.automatic,
        }


@dataclass(frozen=True)
class Setup:
    """How planning is set up for one record: its seed list, its configuration, and the harvest it is in."""

    name: str
    seeds: str
    profile: str
    max_objects: int | None
    max_bytes: int | None
    overrides: Mapping[str, Any]
    active: bool
    harvest: int | None  # None: in none; 0: in one that is still to be made

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {**vars(self), "overrides": dict(self.overrides)}

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Setup":
        return cls(**{name: facts[name] for name in SETUP})


SETUP = tuple(one.name for one in fields(Setup))


@dataclass(frozen=True)
class Placed:
    """Where planning keeps what was made for a record: its numbers."""

    domain: int
    seed_list: int
    configuration: int


@dataclass(frozen=True)
class Link:
    """What selection has made in planning for a record on a domain, and how both sides left it.

    `asked`: what selection wanted at last; `kept`: what planning had after that. What planning has now and is
    not `kept`, a person changed there.
    """

    id: int
    record: int
    domain: str
    placed: Placed
    asked: Mapping[str, Any]
    kept: Mapping[str, Any]
    transfer: int | None
    made_at: datetime


class TransferKind(StrEnum):
    """What becomes of a record."""

    MADE = "made"
    CHANGED = "changed"
    TAKEN_OUT = "taken-out"
    CONFLICT = "conflict"
    UNABLE = "unable"
    FAILED = "failed"


@dataclass(frozen=True)
class Change:
    """Of a conflict: `old` is what planning has, `new` what selection wants."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Entry:
    """One line of a preview, or of the log of a transfer."""

    kind: TransferKind
    record: int
    title: str
    domain: str
    changes: tuple[Change, ...] = ()
    reason: Message | None = None

    def document(self) -> dict[str, Any]:
        """For programs, in the reader's language."""
        said = {
            "changes": [vars(one) for one in self.changes],
            "reason": say(self.reason) if self.reason else "",
        }
        names = ("kind", "record", "title", "domain")
        return {name: plain(getattr(self, name)) for name in names} | said


class TransferState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Transfer:
    """One run of the transfer."""

    id: int
    state: TransferState
    by: str
    collection: int | None  # None: all of them
    harvest: int | None  # before a run of which it happened; None: by hand
    run: int | None
    asked_at: datetime
    ended_at: datetime | None
    total: int
    handled: int
    after: int  # the last record that was handled
    counts: Mapping[TransferKind, int]
    error: str

    @property
    def over(self) -> bool:
        return self.state in (TransferState.DONE, TransferState.FAILED)


@dataclass(frozen=True)
class Line(Entry):
    """An entry as it is kept."""

    id: int = 0
    transfer: int = 0


@dataclass(frozen=True)
class Harvest:
    """A harvest that can take configurations."""

    id: int
    name: str
    active: bool
    next_at: datetime | None = None


@dataclass(frozen=True)
class Choices:
    """What the mapping can name."""

    profiles: Collection[str] = ()
    schedules: Collection[str] = ()
    harvests: Mapping[int, Harvest] = field(default_factory=dict)


@dataclass(frozen=True)
class Placing:
    """What is to be made or changed for a record."""

    domain: str
    placed: Placed | None  # None: to be made
    before: Setup | None
    setup: Setup
    list_name: str  # of the seed list
    comments: str


@dataclass(frozen=True)
class Harvested:
    """What one job brought for a configuration; no objects: it has not ended, or broke."""

    job: int
    state: str
    ended_at: datetime | None
    harvest: int
    harvest_name: str
    configuration: int
    objects: int | None
    bytes: int | None
    stop: str


@dataclass(frozen=True)
class Month:
    """What jobs that ended in a month brought."""

    first: date
    objects: int
    bytes: int


class Planning(Protocol):
    def choices(self, connection: Connection) -> Choices: ...

    def check_overrides(self, overrides: Mapping[str, Any]) -> None:
        """Refuses what no crawl order has."""
        ...

    def refused(self, domains: Collection[str]) -> dict[str, Message]:
        """Those of these domains that planning does not take, and why."""
        ...

    def stopped(self, connection: Connection, domains: Collection[str]) -> set[str]:
        """Those of these domains that no job takes: somebody made them inactive."""
        ...

    def present(self, connection: Connection, links: Sequence[Link]) -> dict[int, Setup]:
        """What planning has now, by the number of the configuration."""
        ...

    def make_harvest(self, connection: Connection, actor: Actor, name: str, schedule: str) -> int: ...

    def put(self, connection: Connection, actor: Actor, placing: Placing) -> Placed:
        """Make or change it; a refusal says why not, and leaves everything as it was."""
        ...

    def note(self, connection: Connection, actor: Actor, joined: Mapping[int, int]) -> None:
        """Tell the history of harvests how many configurations came in (or, below zero, were taken out)."""
        ...

    def history(self, connection: Connection, configurations: Collection[int], limit: int) -> list[Harvested]:
        """What jobs brought for these configurations, newest first."""
        ...

    def months(self, connection: Connection, configurations: Collection[int], since: datetime) -> list[Month]:
        """What they brought month by month, oldest first."""
        ...
