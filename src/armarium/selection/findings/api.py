"""The API of findings."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.selection.findings.model import LONGEST, Finding, proposal_of, text_of
from armarium.selection.findings.pages import FindingsService, refuse_others
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.model import Budget
from armarium.selection.permissions import editor_of
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, AtHundred, Id, Listing, Number
from armarium.web.routes import Router

api = Router(prefix="/findings", tags=["findings"])

VIEW = operation(Permission.SELECTION_VIEW)
EDIT = operation(Permission.SELECTION_EDIT)


class FindingGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    record: Id
    text: str = Field(max_length=LONGEST)
    proposal: str = Field("", max_length=LONGEST)


FINDING = schemas.shown(
    Finding,
    "FindingShown",
    without=("record_name", "collection_name", "facts"),
    budget=Annotated[Budget | None, Field(description="The budget that is proposed.")],
)


def shown(one: Finding) -> dict[str, Any]:
    return {**vars(one), "text": text_of(one), "proposal": proposal_of(one)}


@api.get("", summary="List findings", response_model=schemas.listing(FINDING), **VIEW)
def list_findings(
    findings: FindingsService,
    record: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    collection: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    done: bool | None = False,
    *,
    at: AtHundred,
) -> Listing[dict[str, Any]]:
    wanted = FindingFilter(record=record, collection=collection, done=done)
    found, total = findings.page(wanted, limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post("", summary="Note a finding", status_code=201, response_model=FINDING, **VIEW)
def add_finding(visitor: Visitor, findings: FindingsService, given: FindingGiven) -> dict[str, Any]:
    refuse_others(visitor)
    return shown(findings.add(editor_of(visitor), given.record, given.text, given.proposal))


@api.post("/{number}/close", summary="Close a finding", response_model=FINDING, **EDIT)
def close_finding(number: Number, visitor: Visitor, findings: FindingsService) -> dict[str, Any]:
    return shown(findings.close(editor_of(visitor), number))


@api.post("/{number}/accept", summary="Apply the proposal of a finding", response_model=FINDING, **EDIT)
def accept_finding(number: Number, visitor: Visitor, findings: FindingsService) -> dict[str, Any]:
    return shown(findings.accept(editor_of(visitor), number))
