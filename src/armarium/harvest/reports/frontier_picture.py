"""The frontier as reports see it: who has a frontier makes this picture of it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol


class QueueState(StrEnum):
    IN_PROCESS = "IN-PROCESS"
    READY = "READY"
    SNOOZED = "SNOOZED"
    INACTIVE = "INACTIVE"
    RETIRED = "RETIRED"
    EXHAUSTED = "EXHAUSTED"


class QueuePicture(NamedTuple):
    key: str
    state: QueueState
    size: int  # addresses that wait
    enqueued: int = 0  # since the beginning
    precedence: int = 1
    balance: int = 0  # what it may still spend in this turn
    last_cost: int = 1
    average_cost: float = 1.0
    last_dequeued: datetime | None = None
    wake: datetime | None = None
    spent: int = 0
    budget: int = -1  # -1: no limit
    errors: int = 0
    last_peeked: str = ""
    last_enqueued: str = ""
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    robots_denials: int = 0
    success_bytes: int = 0
    total_bytes: int = 0
    last_success: datetime | None = None


class FrontierCounts(NamedTuple):
    discovered: int
    queued: int
    finished: int
    succeeded: int
    failed: int
    disregarded: int
    in_flight: int
    queues: int
    by_state: Mapping[QueueState, int]
    last_state: str = ""


class FrontierPicture(Protocol):
    def counts(self) -> FrontierCounts: ...

    def biggest(self, count: int) -> Iterable[QueuePicture]:
        """The longest queues, the longest first."""

    def in_state(self, state: QueueState) -> Iterable[QueuePicture]:
        """All queues in a state, in the order in which they will have their turn."""

    def not_empty(self) -> Iterable[QueuePicture]:
        """All queues in which something waits."""
