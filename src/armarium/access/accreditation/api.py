"""The API of readers."""

from typing import Annotated

from fastapi import Depends, Query

from armarium.access.accreditation.model import AccreditationFilter, AccreditationState, Period
from armarium.access.accreditation.schemas import (
    ImportShown,
    NewReader,
    ReaderList,
    ReaderPart,
    ReaderShown,
    outcome_shown,
    shown,
)
from armarium.access.accreditation.service import Accreditations, Imports, Line
from armarium.accounts.model import Permission
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/access/readers", tags=["access"])

AccreditationsService = Annotated[Accreditations, Depends(service(Accreditations))]
READERS = operation(Permission.ACCESS_READERS)


@api.get("", summary="List accredited readers", **READERS)
def list_readers(
    accreditations: AccreditationsService,
    q: Annotated[str, Query(max_length=200)] = "",
    state: AccreditationState | None = None,
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
