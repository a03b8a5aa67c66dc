"""The API of what harvests brought home."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.history.queries import Run
from armarium.planning.history.service import History
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.paging import At, Listing, Next, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(tags=["jobs"])

VIEW = operation(Permission.PLANNING_VIEW)
HistoryService = Annotated[History, Depends(service(History))]


class HistoryShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

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


RUN = schemas.shown(
    Run,
    "RunShown",
    without=("begun_at",),
    number=Annotated[int | None, Field(description="Empty: it was skipped.")],
)


@api.get("/domains/{number}/history", summary="List the results of a domain by job", **VIEW)
def domain_history(number: Number, history: HistoryService, at: At) -> HistoryListing:
    history.domain(number)
    rows, total = history.of_domain(number, limit=at.limit, offset=at.place)
    items = [HistoryShown.model_validate(row) for row in rows]
    sums = {"results": total.results, "objects": total.objects, "bytes": total.bytes}
    return HistoryListing(items=items, total=total.entries, next=at.next(), **sums)


@api.get(
    "/harvests/{number}/history",
    summary="List the runs of a harvest with their results",
    response_model=schemas.listing(RUN),
    **VIEW,
)
def harvest_history(number: Number, history: HistoryService, at: At) -> Listing[Run]:
    history.harvest(number)
    runs, count, _ = history.of_harvest(number, limit=at.limit, offset=at.place)
    return at.listing(runs, count)
