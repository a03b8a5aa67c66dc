"""What the transfer asks of planning. The workflow answers, with planning's own verbs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.message import Message
from armarium.selection.transfer.model import Link, Placed, Setup


@dataclass(frozen=True)
class Harvest:
    """A harvest that can take configurations."""

    id: int
    name: str
    active: bool


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
