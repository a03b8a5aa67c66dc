"""The API of intake."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel

from armarium.accounts.model import Permission
from armarium.storage.intake.model import AccessionFigures, Line, Outcome
from armarium.storage.intake.service import Intake
from armarium.storage.intake.watching import WatchOrders
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

IntakeService = Annotated[Intake, Depends(service(Intake))]
OrdersService = Annotated[WatchOrders, Depends(service(WatchOrders))]

api = Router(prefix="/storage/intake", tags=["storage"])


class AccessionShown(BaseModel):
    id: int
    name: str
    source: list[str]  # folders and files that were named
    note: str
    created_at: datetime
    created_by: str
    counts: dict[Outcome, int]  # of files, by what became of them
    bytes: int  # of what was taken


class Look(BaseModel):
    asked: bool  # false: a worker was about to look anyway


LINE = schemas.shown(
    Line,
    "LineShown",
    first=(),
    without=(
        "edition",
        "changed_ns",
    ),
    module=__name__,
)


def shown(figures: AccessionFigures) -> AccessionShown:
    one = figures.accession
    return AccessionShown(
        id=one.id,
        name=one.name,
        source=one.source.splitlines(),
        note=one.note,
        created_at=one.created_at,
        created_by=one.created_by,
        counts=dict(figures.counts),
        bytes=figures.bytes,
    )


@api.get("", summary="List accessions", **operation(Permission.STORAGE_VIEW))
def list_accessions(intake: IntakeService, text: str = "", *, at: At) -> Listing[AccessionShown]:
    found, total = intake.page(text, limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post(
    "/look",
    status_code=202,
    summary="Look into the watched folders now",
    **operation(Permission.STORAGE_MANAGE),
)
def look_now(visitor: Visitor, orders: OrdersService) -> Look:
    return Look(asked=orders.look(visitor.actor))


@api.get("/{number}", summary="Read an accession", **operation(Permission.STORAGE_VIEW))
def read_accession(number: Number, intake: IntakeService) -> AccessionShown:
    return shown(intake.get(number))


@api.get(
    "/{number}/files",
    summary="List what became of each file of an accession",
    response_model=schemas.listing(LINE),
    **operation(Permission.STORAGE_VIEW),
)
def list_files(
    number: Number,
    intake: IntakeService,
    outcome: Outcome | None = None,
    *,
    at: At,
) -> Listing[Line]:
    intake.get(number)
    wanted = [outcome] if outcome else []
    found, total = intake.lines(number, wanted, limit=at.limit, offset=at.place)
    return at.listing(found, total)
