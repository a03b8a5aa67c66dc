"""The API of readers."""

from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.access.accreditation.model import (
    LONGEST_NOTE,
    Accreditation,
    AccreditationFilter,
    Period,
    State,
)
from armarium.access.accreditation.pages import AccreditationsService
from armarium.access.accreditation.service import MOST_LINES, Imports, Line, Outcome
from armarium.accounts.model import Permission
from armarium.languages.speech import say
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number

api = APIRouter(prefix="/access/readers", tags=["access"])

READERS = operation(Permission.ACCESS_READERS)
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]


class ReaderShown(BaseModel):
    id: int
    account: int
    name: str
    state: State
    first_day: date
    last_day: date
    note: str
    created_at: datetime
    created_by: str
    ended_at: datetime | None
    ended_by: str


class NewReader(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=200)]
    first_day: date
    last_day: date
    note: Note = ""


class ReaderPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    first_day: date | None = None
    last_day: date | None = None
    note: Note | None = None


class ReaderList(BaseModel):
    model_config = ConfigDict(extra="forbid")

    lines: Annotated[list[NewReader], Field(max_length=MOST_LINES)]
    try_only: bool = False


class LineShown(BaseModel):
    number: int
    name: str
    problem: str | None


class ImportShown(BaseModel):
    done: bool
    lines: list[LineShown]


def shown(accreditation: Accreditation, today: date) -> ReaderShown:
    names = ReaderShown.model_fields.keys() - {"state"}
    values = {name: getattr(accreditation, name) for name in names}
    return ReaderShown(state=accreditation.state(today), **values)


def outcome_shown(outcome: Outcome) -> ImportShown:
    return ImportShown(
        done=outcome.done,
        lines=[
            LineShown(number=line.number, name=line.name, problem=say(line.fault) if line.fault else None)
            for line in outcome.lines
        ],
    )


@api.get("", summary="List accredited readers", **READERS)
def list_readers(
    accreditations: AccreditationsService,
    q: Annotated[str, Query(max_length=200)] = "",
    state: State | None = None,
    *,
    at: At,
) -> Listing[ReaderShown]:
    found, total = accreditations.page(AccreditationFilter(q, state), limit=at.limit, offset=at.place)
    today = accreditations.today()
    return at.listing([shown(one, today) for one in found], total)


@api.post("", status_code=201, summary="Accredit a reader", **READERS)
def add_reader(visitor: Visitor, given: NewReader, accreditations: AccreditationsService) -> ReaderShown:
    period = Period(given.first_day, given.last_day)
    added = accreditations.add(visitor.actor, given.name, period, given.note)
    return shown(added, accreditations.today())


@api.post("/import", summary="Accredit many readers: all of a list, or none of it", **READERS)
def import_readers(visitor: Visitor, given: ReaderList, accreditations: AccreditationsService) -> ImportShown:
    lines = [
        Line(number, one.name, Period(one.first_day, one.last_day), one.note)
        for number, one in enumerate(given.lines, 1)
    ]
    return outcome_shown(Imports(accreditations).carry_out(visitor.actor, lines, try_only=given.try_only))


@api.get("/{number}", summary="Read an accreditation", **READERS)
def read_reader(number: Number, accreditations: AccreditationsService) -> ReaderShown:
    return shown(accreditations.get(number), accreditations.today())


@api.patch("/{number}", summary="Renew or change an accreditation", **READERS)
def change_reader(
    number: Number, visitor: Visitor, given: ReaderPart, accreditations: AccreditationsService
) -> ReaderShown:
    before = accreditations.get(number)
    period = Period(given.first_day or before.first_day, given.last_day or before.last_day)
    note = before.note if given.note is None else given.note
    return shown(accreditations.change(visitor.actor, number, period, note), accreditations.today())


@api.post("/{number}/end", summary="End an accreditation at once", **READERS)
def end_reader(number: Number, visitor: Visitor, accreditations: AccreditationsService) -> ReaderShown:
    return shown(accreditations.end(visitor.actor, number), accreditations.today())
