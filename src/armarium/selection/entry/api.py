"""The API of entry: enter addresses, read what was seen, make records of them."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.selection.entry.checker import PictureState, RobotsSays, Trouble, Way
from armarium.selection.entry.model import ENDED, MOST_LINES, Check, ChosenLine, CommonValues, Line, LineState
from armarium.selection.entry.pages import PICTURE_HEADERS, ChecksService
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency, Origin
from armarium.selection.permissions import editor_of
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


class StepShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    url: str
    way: Way
    status: int = Field(description="Of HTTP; 0: there was no answer.")
    addresses: list[str]
    told: str


class CheckShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    batch: int
    line: int
    typed: str
    address: str
    state: LineState
    twin: int = Field(description="The line that has the same address; 0: none.")
    trouble: Trouble
    steps: list[StepShown]
    final: str
    status: int
    robots: RobotsSays
    robots_rule: str
    title: str
    language: str
    media_type: str
    size: int
    whole: bool
    tls_problem: str
    seconds: float
    picture_state: PictureState
    checked_at: datetime | None
    record: int | None


class NeighbourShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    address: str
    collection: int
    collection_name: str


class LineShown(CheckShown):
    choices: list[str] = Field(description="The addresses of which a record can be made.")
    here: list[NeighbourShown] = Field(description="Records of this collection with the same address.")
    elsewhere: list[NeighbourShown] = Field(description="Records of other collections with the same address.")
    beside: list[NeighbourShown] = Field(description="Some records of the same host or domain.")


class BatchShown(BaseModel):
    id: int
    collection: int
    created_at: datetime
    created_by: str
    finished: bool
    lines: list[LineShown]


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


def shown(line: Line) -> LineShown:
    check = CheckShown.model_validate(line.check).model_dump()
    return LineShown(
        **{**check, "state": line.state},
        choices=list(line.choices),
        here=[NeighbourShown.model_validate(one) for one in dict.fromkeys(line.here.values())],
        elsewhere=[NeighbourShown.model_validate(one) for one in line.elsewhere],
        beside=[NeighbourShown.model_validate(one) for one in line.beside],
    )


def shown_batch(checks: Checks, number: int) -> BatchShown:
    batch, lines = checks.batch(number), checks.lines(number)
    return BatchShown(
        id=batch.id,
        collection=batch.collection,
        created_at=batch.created_at,
        created_by=batch.created_by,
        finished=all(line.check.state in ENDED for line in lines),
        lines=[shown(line) for line in lines],
    )


@api.post("/check-batches", status_code=201, summary="Enter addresses, to be looked at", **EDIT)
def enter_addresses(visitor: Visitor, given: AddressesGiven, checks: ChecksService) -> BatchShown:
    batch = checks.enter(
        editor_of(visitor), given.collection, "\n".join(_one_line(one) for one in given.addresses)
    )
    return shown_batch(checks, batch.id)


@api.get("/check-batches/{number}", summary="Read what was seen of entered addresses", **VIEW)
def read_batch(number: Number, checks: ChecksService) -> BatchShown:
    return shown_batch(checks, number)


@api.post("/check-batches/{number}/records", status_code=201, summary="Make records of lines", **EDIT)
def make_records(
    number: Number, visitor: Visitor, given: RecordsGiven, checks: ChecksService
) -> list[RecordMade]:
    common = CommonValues(given.theme, given.budget, given.frequency, given.depth, given.responsible)
    taken = [ChosenLine(one.check, one.address, one.title, one.language) for one in given.lines]
    made = checks.take(editor_of(visitor), number, taken, common, Origin.API)
    return [RecordMade.model_validate(one) for one in made]


@api.get("/checks/{number}", summary="Read one check", **VIEW)
def read_check(number: Number, checks: ChecksService) -> CheckShown:
    return _check(checks.check(number))


@api.get("/checks/{number}/picture", summary="The picture of a page", response_class=Response, **VIEW)
def read_picture(number: Number, checks: ChecksService) -> Response:
    return Response(checks.picture(number), media_type="image/jpeg", headers=PICTURE_HEADERS)


@api.post("/records/{number}/check", status_code=201, summary="Look at a record's address again", **EDIT)
def check_again(number: Number, visitor: Visitor, checks: ChecksService) -> BatchShown:
    return shown_batch(checks, checks.again(editor_of(visitor), number).id)


def _check(check: Check) -> CheckShown:
    return CheckShown.model_validate(check)


def _one_line(text: str) -> str:
    """A line break inside an address, or a # before it, makes it no address: not two, and not none."""
    return " ".join(text.split()).removeprefix("#") or "-"
