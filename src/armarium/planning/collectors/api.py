"""The API of collectors, for those who look after them."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.collecting import MOST_SLOTS
from armarium.planning.collectors.model import Collector, CollectorFilter, CollectorState, NewCode, Work
from armarium.planning.collectors.service import Collectors
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

CollectorsService = Annotated[Collectors, Depends(service(Collectors))]
Names = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1000)]

api = Router(prefix="/collectors", tags=["collectors"])
VIEW, MANAGE = operation(Permission.PLANNING_VIEW), operation(Permission.COLLECTORS_MANAGE)


class WorkShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    job: int
    attempt: int
    state: str
    harvest: str
    lease_until: datetime | None


class CollectorShown(BaseModel):
    id: int
    name: str
    state: CollectorState
    active: bool
    channels: list[str]
    slots: int  # jobs that it may have at a time; the machine may offer less
    failed_jobs: list[int]  # one after the other, since it finished one
    enrolled_at: datetime
    enrolled_by: str
    revoked_at: datetime | None
    seen_at: datetime | None
    address: str
    machine: dict[str, Any]  # what it said of itself last
    jobs: list[WorkShown]


class CollectorPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    channels: Names | None = None
    slots: Annotated[int, Field(ge=0, le=MOST_SLOTS)] | None = None
    active: bool | None = None


class CodeWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    channels: Names = []


CODE = schemas.shown(NewCode, "CodeShown")


def shown(collector: Collector, work: list[Work]) -> CollectorShown:
    facts = {name: value for name, value in vars(collector).items() if name in CollectorShown.model_fields}
    return CollectorShown.model_validate(
        {
            **facts,
            "channels": list(collector.channels),
            "failed_jobs": list(collector.failed_jobs),
            "state": collector.state(clock.now()),
            "machine": dict(collector.facts),
            "jobs": [WorkShown.model_validate(one) for one in work],
        }
    )


def one(collectors: Collectors, collector: Collector) -> CollectorShown:
    return shown(collector, collectors.work_of([collector])[collector.id])


@api.get("", summary="List collectors", **VIEW)
def list_collectors(
    collectors: CollectorsService,
    text: str = "",
    state: CollectorState | None = None,
    channel: str = "",
    *,
    at: At,
) -> Listing[CollectorShown]:
    found, total = collectors.page(CollectorFilter(text, state, channel), limit=at.limit, offset=at.place)
    work = collectors.work_of(found)
    return at.listing([shown(collector, work[collector.id]) for collector in found], total)


@api.post(
    "/codes",
    status_code=201,
    summary="Make a one-time code with which a new machine enrols",
    response_model=CODE,
    **MANAGE,
)
def make_code(visitor: Visitor, given: CodeWanted, collectors: CollectorsService) -> NewCode:
    return collectors.new_code(visitor.actor, given.channels)


@api.get("/{number}", summary="Read a collector", **VIEW)
def read_collector(number: Number, collectors: CollectorsService) -> CollectorShown:
    return one(collectors, collectors.get(number))


@api.patch(
    "/{number}",
    summary="Give a collector other channels or slots, stop it, or let it go on",
    **MANAGE,
)
def change_collector(
    number: Number, visitor: Visitor, given: CollectorPart, collectors: CollectorsService
) -> CollectorShown:
    return one(collectors, collectors.change(visitor.actor, number, **given.model_dump()))


@api.post(
    "/{number}/revoke",
    summary="Revoke a collector: its key opens nothing any more",
    **MANAGE,
)
def revoke_collector(number: Number, visitor: Visitor, collectors: CollectorsService) -> CollectorShown:
    return one(collectors, collectors.revoke(visitor.actor, number))
