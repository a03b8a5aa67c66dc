"""What the frontier hands out and tells."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from armarium.harvest.frontier.budget import Budget, is_disregarded, is_success
from armarium.harvest.model import Candidate


@dataclass(slots=True, eq=False)
class Item:
    """An address to fetch."""

    id: int
    url: str
    hops: str
    via: str
    source: str
    context: str
    attempts: int  # so far
    queue: str
    rank: int  # its place inside the queue: class and arrival


class QueueState(enum.StrEnum):
    READY = "ready"
    SNOOZED = "snoozed"  # until a pause is over, its server is free, or an address may be tried again
    INACTIVE = "inactive"  # waits for its turn in the rotation
    RETIRED = "retired"  # its budget is spent
    EXHAUSTED = "exhausted"  # empty


class Whereabouts(enum.StrEnum):
    """Where an address is."""

    QUEUED = "queued"
    IN_FLIGHT = "in flight"
    WAITING = "waiting"  # for its next attempt
    LEFT = "left"  # the budget of the seeds that led to it is spent
    FINISHED = "finished"
    REJECTED = "rejected"  # by the scope
    FOREIGN = "foreign"  # it belongs to another process of the crawl


class Fate(NamedTuple):
    """Why an address was, or was not, harvested."""

    url: str
    state: Whereabouts
    hops: str = ""
    via: str = ""
    source: str = ""
    context: str = ""
    rule: str = ""
    status: int | None = None
    attempts: int = 0
    queue: str = ""
    queue_state: QueueState | None = None  # of one that is queued
    size: int | None = None
    mime: str = ""
    digest: str = ""
    finished: float | None = None


@dataclass(slots=True)
class Counts:
    """Of addresses; those in flight are among the queued."""

    discovered: int = 0
    queued: int = 0
    finished: int = 0
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    in_flight: int = 0
    waiting: int = 0  # of the queued: they failed, and wait for their next attempt
    bytes: int = 0
    novel_bytes: int = 0

    def count(self, status: int, number: int = 1) -> None:
        """So many more with this outcome."""
        self.finished += number
        if is_success(status):
            self.succeeded += number
        elif is_disregarded(status):
            self.disregarded += number
        else:
            self.failed += number

    def uncount(self, status: int) -> None:
        self.count(status, -1)


class QueueReport(NamedTuple):
    """A line of the report on queues; `wake` in seconds since 1970, 0 for none.

    The limits are those that hold for the queue, be they its own or those of all; None for none.
    """

    name: str
    state: str
    queued: int
    waiting: int
    added: int
    finished: int
    failed: int
    objects: int
    bytes: int
    max_objects: int | None
    max_bytes: int | None
    wake: float
    address: str

    @property
    def budget(self) -> Budget:
        return Budget(self.max_objects, self.max_bytes)


class ServerReport(NamedTuple):
    """A server that keeps us out, for the operator."""

    address: str
    refusals: int
    last_status: int
    next_try: float


class Outgoing(NamedTuple):
    """An address for another process of the crawl."""

    id: int
    shard: int
    candidate: Candidate
