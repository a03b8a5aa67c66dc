"""The API of collectors, for those who look after them."""

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


WORK = schemas.shown(Work, "WorkShown", first=())


COLLECTOR = schemas.shown(
    Collector,
    "CollectorShown",
    only=(
        *("id", "name", "state", "active", "channels", "slots", "failed_jobs", "enrolled_at", "enrolled_by"),
        *("revoked_at", "seen_at", "address", "machine", "jobs"),
    ),
    state=CollectorState,
    machine=dict[str, Any],  # what it said of itself last
    jobs=schemas.several(WORK),
)


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


def shown(collector: Collector, work: list[Work]) -> dict[str, Any]:
    state = collector.state(clock.now())
    return {**vars(collector), "state": state, "machine": collector.facts, "jobs": work}


def one(collectors: Collectors, collector: Collector) -> dict[str, Any]:
    return shown(collector, collectors.work_of([collector])[collector.id])


@api.get("", summary="List collectors", response_model=schemas.listing(COLLECTOR), **VIEW)
def list_collectors(
    collectors: CollectorsService,
    text: str = "",
    state: CollectorState | None = None,
    channel: str = "",
    *,
    at: At,
) -> Listing[dict[str, Any]]:
    found, total = collectors.page(CollectorFilter(text, state, channel), limit=at.limit, offset=at.place)
    work = collectors.work_of(found)
    return at.listing([shown(collector, work[collector.id]) for collector in found], total)


@api.post(
    "/codes",
    status_code=201,
    summary="Create a one-time code to enrol a new machine",
    response_model=CODE,
    **MANAGE,
)
def make_code(visitor: Visitor, given: CodeWanted, collectors: CollectorsService) -> NewCode:
    return collectors.new_code(visitor.actor, given.channels)


@api.get("/{number}", summary="Read a collector", response_model=COLLECTOR, **VIEW)
def read_collector(number: Number, collectors: CollectorsService) -> dict[str, Any]:
    return one(collectors, collectors.get(number))


@api.patch(
    "/{number}",
    summary="Change the channels or slots of a collector, stop it or start it",
    response_model=COLLECTOR,
    **MANAGE,
)
def change_collector(
    number: Number, visitor: Visitor, given: CollectorPart, collectors: CollectorsService
) -> dict[str, Any]:
    return one(collectors, collectors.change(visitor.actor, number, **given.model_dump()))


@api.post(
    "/{number}/revoke",
    summary="Revoke a collector and its key",
    response_model=COLLECTOR,
    **MANAGE,
)
def revoke_collector(number: Number, visitor: Visitor, collectors: CollectorsService) -> dict[str, Any]:
    return one(collectors, collectors.revoke(visitor.actor, number))
