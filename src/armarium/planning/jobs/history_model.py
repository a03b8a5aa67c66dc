"""What harvests brought home, as people read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from armarium.planning.model import JobState, is_over


@dataclass(frozen=True)
class Named:
    id: int
    name: str


@dataclass(frozen=True)
class HistoryRow:
    """What one job brought home for one configuration."""

    job: int
    state: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    harvest: int
    harvest_name: str
    run: int
    run_number: int
    configuration: int
    name: str  # of the configuration
    domain: int
    estimate: int
    max_objects: int | None
    max_bytes: int | None
    limited_by: str
    objects: int | None
    bytes: int | None
    stop_reason: str | None


@dataclass(frozen=True)
class Total:
    entries: int  # jobs
    results: int  # of those, with a result
    objects: int
    bytes: int


@dataclass(frozen=True)
class Run:
    id: int
    harvest: int
    harvest_name: str
    number: int | None  # empty: skipped, so that it never ran
    state: str
    due_at: datetime
    begun_at: datetime | None
    generated_at: datetime | None
    jobs: int
    configurations: int
    left_out: Mapping[str, int]
    error: str
    total_objects: int | None  # the budget of all its jobs together
    total_bytes: int | None
    states: Mapping[JobState, int]
    objects: int
    bytes: int
    files: int
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def unfinished(self) -> int:
        """Jobs that still have something before them."""
        return sum(count for state, count in self.states.items() if not is_over(state))
