"""The API of entry: enter addresses, read what was seen, make records of them."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.selection.entry.checker import Step
from armarium.selection.entry.model import (
    ENDED,
    MOST_LINES,
    Batch,
    Check,
    ChosenLine,
    CommonValues,
    Line,
    Neighbour,
)
from armarium.selection.entry.pages import PICTURE_HEADERS, ChecksService
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency, Origin
from armarium.selection.permissions import editor_of
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Id, Number
from armarium.web.routes import Router

api = Router(tags=["checks of addresses"])

VIEW = operation(Permission.SELECTION_VIEW)
EDIT = operation(Permission.SELECTION_EDIT)


class AddressesGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    collection: Id
    addresses: list[Annotated[str, Field(max_length=10_000)]] = Field(min_length=1, max_length=MOST_LINES)


STEP = schemas.shown(
    Step,
    "StepShown",
    first=(),
    status=Annotated[int, Field(description="Of HTTP; 0: there was no answer.")],
)
SEEN = (
    *("id", "batch", "line", "typed", "address", "state", "twin", "trouble", "steps", "final", "status"),
    *("robots", "robots_rule", "title", "language", "media_type", "size", "whole", "tls_problem", "seconds"),
    *("picture_state", "checked_at", "record"),
)
ALSO = {
    "twin": Annotated[int, Field(description="The line that has the same address; 0: none.")],
    "steps": schemas.several(STEP),
    "final": str,
    "status": int,
}
CHECK = schemas.shown(Check, "CheckShown", only=SEEN, **ALSO)
NEIGHBOUR = schemas.shown(Neighbour, "NeighbourShown", without=("key", "host", "domain"))
NEIGHBOURS = schemas.several(NEIGHBOUR)
LINE = schemas.shown(
    Check,
    "LineShown",
    **ALSO,
    only=(*SEEN, "choices", "here", "elsewhere", "beside"),
    choices=Annotated[list[str], Field(description="The addresses of which a record can be made.")],
    here=Annotated[NEIGHBOURS, Field(description="Records of this collection with the same address.")],
    elsewhere=Annotated[NEIGHBOURS, Field(description="Records of other collections with the same address.")],
    beside=Annotated[NEIGHBOURS, Field(description="Some records of the same host or domain.")],
)
BATCH = schemas.shown(
    Batch,
    "BatchShown",
    without=("collection_name", "record", "account"),
    finished=bool,
    lines=schemas.several(LINE),
)


class TakenGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    check: Id
    address: str = Field("", max_length=10_000, description="One of its choices; empty: where it leads.")
    title: str | None = Field(None, max_length=500, description="Null: as the page has it.")
    language: str | None = Field(None, max_length=50)


class RecordsGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    lines: list[TakenGiven] = Field(min_length=1, max_length=MOST_LINES)
    theme: Id
    budget: Budget
    frequency: Frequency
    depth: Depth
    responsible: Id | None = None


class RecordMade(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    address: str
    title: str
    check: int


def shown(line: Line) -> dict[str, Any]:
    return {
        **{name: getattr(line.check, name) for name in SEEN},
        "state": line.state,
        "choices": line.choices,
        "here": list(dict.fromkeys(line.here.values())),
        "elsewhere": line.elsewhere,
        "beside": line.beside,
    }


def shown_batch(checks: Checks, number: int) -> dict[str, Any]:
    batch, lines = checks.batch(number), checks.lines(number)
    finished = all(line.check.state in ENDED for line in lines)
    return {**vars(batch), "finished": finished, "lines": [shown(line) for line in lines]}


@api.post(
    "/check-batches",
    status_code=201,
    summary="Add addresses to be checked",
    response_model=BATCH,
    **EDIT,
)
def enter_addresses(visitor: Visitor, given: AddressesGiven, checks: ChecksService) -> dict[str, Any]:
    batch = checks.enter(
        editor_of(visitor), given.collection, "\n".join(_one_line(one) for one in given.addresses)
    )
    return shown_batch(checks, batch.id)


@api.get("/check-batches/{number}", summary="Show the results of checks", response_model=BATCH, **VIEW)
def read_batch(number: Number, checks: ChecksService) -> dict[str, Any]:
    return shown_batch(checks, number)


@api.post(
    "/check-batches/{number}/records",
    status_code=201,
    summary="Create records from checked addresses",
    **EDIT,
)
def make_records(
    number: Number, visitor: Visitor, given: RecordsGiven, checks: ChecksService
) -> list[RecordMade]:
    common = CommonValues(given.theme, given.budget, given.frequency, given.depth, given.responsible)
    taken = [ChosenLine(one.check, one.address, one.title, one.language) for one in given.lines]
    made = checks.take(editor_of(visitor), number, taken, common, Origin.API)
    return [RecordMade.model_validate(one) for one in made]


@api.get("/checks/{number}", summary="Read one check", response_model=CHECK, **VIEW)
def read_check(number: Number, checks: ChecksService) -> Check:
    return checks.check(number)


@api.get("/checks/{number}/picture", summary="The picture of a page", response_class=Response, **VIEW)
def read_picture(number: Number, checks: ChecksService) -> Response:
    return Response(checks.picture(number), media_type="image/jpeg", headers=PICTURE_HEADERS)


@api.post(
    "/records/{number}/check",
    status_code=201,
    summary="Check a record’s addresses again",
    response_model=BATCH,
    **EDIT,
)
def check_again(number: Number, visitor: Visitor, checks: ChecksService) -> dict[str, Any]:
    return shown_batch(checks, checks.again(editor_of(visitor), number).id)


def _one_line(text: str) -> str:
    """A line break inside an address, or a # before it, makes it no address: not two, and not none."""
    return " ".join(text.split()).removeprefix("#") or "-"
