"""The API of the legal scope of a record."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.selection.legal.model import Criterion
from armarium.selection.legal.service import LegalScope
from armarium.selection.permissions import editor_of
from armarium.selection.records.service import Records
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/records/{number}/scope", tags=["legal scope"])

ScopeService = Annotated[LegalScope, Depends(service(LegalScope))]
RecordsService = Annotated[Records, Depends(service(Records))]
VIEW = operation(Permission.SELECTION_VIEW)
EDIT = operation(Permission.SELECTION_EDIT)


class NoteGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    criterion: Criterion
    meets: bool
    text: str = Field(max_length=10_000)


class NoteShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    at: datetime | None
    author: str
    criterion: Criterion
    meets: bool
    text: str
    evidence: Mapping[str, object]


@api.get("", summary="List the notes on a record’s legal scope", **VIEW)
def read_notes(number: Number, scope: ScopeService, records: RecordsService) -> list[NoteShown]:
    records.get(number)
    return [NoteShown.model_validate(one) for one in scope.notes(number)]


@api.post("", status_code=201, summary="Add a note about a record's legal scope", **EDIT)
def add_note(number: Number, visitor: Visitor, given: NoteGiven, scope: ScopeService) -> NoteShown:
    made = scope.note(editor_of(visitor), number, given.criterion, given.meets, given.text)
    return NoteShown.model_validate(made)


@api.post("/gather", status_code=201, summary="Gather evidence on the legal scope", **EDIT)
def gather(number: Number, visitor: Visitor, scope: ScopeService) -> list[NoteShown]:
    return [NoteShown.model_validate(one) for one in scope.gather(editor_of(visitor), number)]
