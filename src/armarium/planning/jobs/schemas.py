"""Jobs as the API gives and takes them."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from armarium.planning.jobs.service import MOST_AT_ONCE
from armarium.planning.model import JobState
from armarium.web.paging import LARGEST


class _Shown(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class JobShown(_Shown):
    id: int
    state: JobState
    harvest: int
    harvest_name: str
    harvest_kind: str
    run: int
    run_number: int
    channel: str
    priority: int
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


class JobWhole(JobShown):
    why_waiting: str | None  # an English sentence
    report: dict[str, Any]  # of the last heartbeat


class JobSlice(BaseModel):
    """A stretch of the list. `next` leads on: give it as `at`."""

    items: list[JobShown]
    total: int  # counted up to 10,000
    more_than_total: bool
    next: str | None
    previous: str | None


class Chosen(BaseModel):
    model_config = ConfigDict(extra="forbid")

    jobs: list[Annotated[int, Field(ge=1, le=LARGEST)]] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Rejection(Chosen):
    reason: str = Field("", max_length=500)


class Resubmission(Chosen):
    current_settings: bool = False


class Priority(BaseModel):
    model_config = ConfigDict(extra="forbid")

    priority: int


class DoneShown(_Shown):
    changed: list[int]
    made: list[int]
    left: list[int]  # in a state that does not allow it


class CommandGiven(BaseModel):
    """What is wanted of a running job; `save` keeps a filter for the domain or globally."""

    model_config = ConfigDict(extra="forbid")

    verb: str
    arguments: dict[str, Any] = {}
    save: str = Field("", pattern="^(|domain|global)$")


class CommandShown(_Shown):
    id: int
    verb: str
    arguments: dict[str, Any]
    by: str
    created_at: datetime
    sent_at: datetime | None
    answered_at: datetime | None
    accepted: bool
    answer: dict[str, Any]


class ConfigurationShown(_Shown):
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
    seeds: list[dict[str, Any]]


class FileShown(_Shown):
    name: str
    kind: str
    size: int
    sha256: str
    received: int
    state: str
    attempt: int
    begun_at: datetime
    stored_at: datetime | None
    refusal: str
