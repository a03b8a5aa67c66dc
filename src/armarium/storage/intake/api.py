"""The API of intake."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel

from armarium.accounts.model import Permission
from armarium.storage.intake.model import Accession, AccessionFigures, Line, Outcome
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


ACCESSION = schemas.shown(
    Accession,
    "AccessionShown",
    source=list[str],  # folders and files that were named
    counts=dict[Outcome, int],  # of files, by what became of them
    bytes=int,  # of what was taken
)


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


def shown(figures: AccessionFigures) -> dict[str, Any]:
    one = figures.accession
    sums = {"counts": figures.counts, "bytes": figures.bytes}
    return {**vars(one), "source": one.source.splitlines(), **sums}


@api.get(
    "",
    summary="List imports",
    response_model=schemas.listing(ACCESSION),
    **operation(Permission.STORAGE_VIEW),
)
def list_accessions(intake: IntakeService, text: str = "", *, at: At) -> Listing[dict[str, Any]]:
    found, total = intake.page(text, limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post(
    "/look",
    status_code=202,
    summary="Check the watched folders now",
    **operation(Permission.STORAGE_MANAGE),
)
def look_now(visitor: Visitor, orders: OrdersService) -> Look:
    return Look(asked=orders.look(visitor.actor))


@api.get(
    "/{number}", summary="Read an import", response_model=ACCESSION, **operation(Permission.STORAGE_VIEW)
)
def read_accession(number: Number, intake: IntakeService) -> dict[str, Any]:
    return shown(intake.get(number))


@api.get(
    "/{number}/files",
    summary="List the files of an import and what became of each",
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
