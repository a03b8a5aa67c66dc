"""The API of what harvests brought home."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.history.service import History
from armarium.planning.model import JobState
from armarium.web.api import operation
from armarium.web.paging import At, Listing, Next, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(tags=["jobs"])

VIEW = operation(Permission.PLANNING_VIEW)
HistoryService = Annotated[History, Depends(service(History))]


class _Shown(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class HistoryShown(_Shown):
    job: int
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    harvest: int
    harvest_name: str
    run: int
    run_number: int
    configuration: int
    name: str
    estimate: int
    objects: int | None
    bytes: int | None
    stop_reason: str | None


class HistoryListing(BaseModel):
    items: list[HistoryShown]
    total: int
    next: Next = None
    results: int
    objects: int
    bytes: int


class RunShown(_Shown):
    id: int
    harvest: int
    harvest_name: str
    number: int | None = Field(description="Empty: it was skipped.")
    state: str
    due_at: datetime
    generated_at: datetime | None
    jobs: int
    configurations: int
    left_out: dict[str, int]
    error: str
    total_objects: int | None
    total_bytes: int | None
    states: dict[JobState, int]
    objects: int
    bytes: int
    files: int
    started_at: datetime | None
    ended_at: datetime | None


@api.get("/domains/{number}/history", summary="What jobs brought home for a domain", **VIEW)
def domain_history(number: Number, history: HistoryService, at: At) -> HistoryListing:
    history.domain(number)
    rows, total = history.of_domain(number, limit=at.limit, offset=at.place)
    items = [HistoryShown.model_validate(row) for row in rows]
    sums = {"results": total.results, "objects": total.objects, "bytes": total.bytes}
    return HistoryListing(items=items, total=total.entries, next=at.next(), **sums)


@api.get("/harvests/{number}/history", summary="Runs of a harvest and what they brought", **VIEW)
def harvest_history(number: Number, history: HistoryService, at: At) -> Listing[RunShown]:
    history.harvest(number)
    runs, count, _ = history.of_harvest(number, limit=at.limit, offset=at.place)
    return at.listing([RunShown.model_validate(run) for run in runs], count)
