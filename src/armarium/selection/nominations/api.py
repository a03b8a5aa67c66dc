"""The API of nominations: partners hand theirs in with a token, librarians decide."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.languages import speech
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.model import NominationState, Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Draft
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.services import service

api = APIRouter(prefix="/nominations", tags=["nominations"])

ChecksService = Annotated[Checks, Depends(service(Checks))]
NominationsService = Annotated[Nominations, Depends(service(Nominations))]
EDIT = operation(Permission.SELECTION_EDIT)


class NominationGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    address: str = Field(max_length=2000)
    title: str = Field("", max_length=200)
    reason: str = Field("", max_length=4000)
    name: str = Field("", max_length=200)
    mail: str = Field("", max_length=254)
    collection: Id | None = None


class Accepted(BaseModel):
    """The record that is made of it."""

    model_config = ConfigDict(extra="forbid")

    collection: Id
    theme: Id
    budget: Budget
    frequency: Frequency
    depth: Depth
    address: str = Field("", max_length=2000, description="Empty: as it was nominated.")
    title: str = Field("", max_length=500)
    answer: str = Field("", max_length=4000, description="Goes by mail to whoever nominated the site.")


class Declined(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str = Field("", max_length=4000, description="Goes by mail to whoever nominated the site.")


class NominationShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    at: datetime | None
    address: str
    title: str
    reason: str
    name: str
    mail: str
    collection: int | None
    state: NominationState
    answer: str
    decided_at: datetime | None
    decided_by: str
    record: int | None


@api.get("", summary="List nominations", **EDIT)
def list_nominations(
    visitor: Visitor,
    nominations: NominationsService,
    state: Annotated[NominationState | None, Query()] = None,
    *,
    at: At,
) -> Listing[NominationShown]:
    found, total = nominations.page(editor_of(visitor), state, limit=at.limit, offset=at.place)
    return at.listing([NominationShown.model_validate(one) for one in found], total)


@api.post("", status_code=201, summary="Nominate a site", **EDIT)
def nominate(visitor: Visitor, given: NominationGiven, nominations: NominationsService) -> NominationShown:
    language = visitor.account.language or speech.language().code
    made = nominations.nominate(visitor.actor, Proposal(**given.model_dump()), language=language)
    return NominationShown.model_validate(made)


@api.get("/{number}", summary="Read a nomination", **EDIT)
def read_nomination(number: Number, visitor: Visitor, nominations: NominationsService) -> NominationShown:
    return NominationShown.model_validate(nominations.get(editor_of(visitor), number))


@api.post("/{number}/accept", summary="Make a record of a nomination", **EDIT)
def accept_nomination(
    number: Number, visitor: Visitor, given: Accepted, nominations: NominationsService, checks: ChecksService
) -> NominationShown:
    editor = editor_of(visitor)
    nomination = nominations.get(editor, number)
    draft = Draft(
        given.collection,
        given.address or nomination.address,
        given.theme,
        given.budget,
        given.frequency,
        given.depth,
        title=given.title or nomination.title,
        content_notes=nomination.reason,
        responsible=visitor.account.id,
    )
    checks.see(editor, nominations.accept(editor, number, draft, answer=given.answer))
    return NominationShown.model_validate(nominations.get(editor, number))


@api.post("/{number}/decline", summary="Decline a nomination", **EDIT)
def decline_nomination(
    number: Number, visitor: Visitor, given: Declined, nominations: NominationsService
) -> NominationShown:
    return NominationShown.model_validate(nominations.decline(editor_of(visitor), number, given.answer))
