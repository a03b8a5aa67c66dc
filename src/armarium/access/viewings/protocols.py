"""What viewings ask of planning and storage. The doors fulfil these protocols."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from armarium.core.actor import Actor
from armarium.core.message import Message


@dataclass(frozen=True)
class Job:
    """A job as far as somebody has to know who looks at what it brought."""

    number: int
    harvest: int
    harvest_name: str
    state: Message
    tone: str  # of the badge that shows the state
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Brought:
    """What the archive has of some jobs."""

    files: int = 0
    bytes: int = 0
    captures: int = 0


@dataclass(frozen=True)
class JobFile:
    number: int  # in the register of storage
    name: str
    metadata: bool  # describes the crawl: order, logs, reports
    size: int
    captures: int
    readable: bool  # stored, and not withdrawn


@dataclass(frozen=True)
class MetadataRecord:
    """A record of a metadata file."""

    url: str  # metadata://…/crawl/logs/crawl.log?…
    offset: int
    size: int  # of the block
    type: str


class JobFiles(Protocol):
    def jobs(self, numbers: Sequence[int]) -> list[Job]:
        """Those of these jobs that there are."""

    def of_run(self, run: int) -> list[int]:
        """The numbers of the jobs of a run of a harvest; raises `NotFound` if there is no such run."""

    def brought(self, jobs: Sequence[int]) -> Brought: ...

    def files(self, job: int, *, limit: int, offset: int = 0) -> tuple[list[JobFile], int]:
        """Those that describe the crawl first; and how many there are in all."""

    def seeds(self, jobs: Sequence[int], most: int) -> list[str]: ...

    def records(self, job: int, file: str) -> list[MetadataRecord]:
        """What is in a metadata file of this job; raises `NotFound` if it has no such file."""

    def content(self, job: int, file: str, offset: int) -> Iterator[bytes]:
        """The block of one such record, as it was before it was packed."""

    def whole(self, file: str) -> tuple[int | None, Iterator[bytes]]:
        """A file of the archive, and which job brought it; raises `NotFound` if there is none of the name."""


class Fate(StrEnum):
    """What became of an address that was handed over."""

    TAKEN = "taken"
    DUPLICATE = "duplicate"  # the harvest has it already
    REFUSED = "refused"


@dataclass(frozen=True)
class Line:
    url: str
    fate: Fate
    reason: Message | None = None


@dataclass(frozen=True)
class Handed:
    harvest: int
    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Plan:
    """How the addresses are to be harvested."""

    profile: int
    max_bytes: int | None = None  # of each domain


class NextHarvest(Protocol):
    def harvests(self) -> list[tuple[int, str]]:
        """Numbers and names of the harvests to which addresses can be added."""

    def profiles(self) -> list[tuple[int, str]]:
        """Numbers and names; the first one fits addresses that were missing."""

    def add(self, actor: Actor, harvest: int, urls: Sequence[str], plan: Plan) -> Handed:
        """A line for each address, in their order. Those that it has already are no reason to refuse."""

    def create(
        self, actor: Actor, name: str, urls: Sequence[str], plan: Plan, *, activate: bool
    ) -> Handed: ...
