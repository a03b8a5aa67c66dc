"""The API of nominations: partners hand theirs in with a token, librarians decide."""

from typing import Annotated

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.languages import speech
from armarium.selection.entry.pages import ChecksService
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.model import Nomination, NominationState, Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Draft
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/nominations", tags=["nominations"])

NominationsService = Annotated[Nominations, Depends(service(Nominations))]
EDIT = operation(Permission.SELECTION_EDIT)
FIELDS = "id at address title reason name mail collection state answer decided_at decided_by record"
SHOWN = schemas.shown(Nomination, "NominationShown", only=FIELDS.split())


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


@api.get("", summary="List nominations", response_model=schemas.listing(SHOWN), **EDIT)
def list_nominations(
    visitor: Visitor,
    nominations: NominationsService,
    state: Annotated[NominationState | None, Query()] = None,
    *,
    at: At,
) -> Listing[Nomination]:
    found, total = nominations.page(editor_of(visitor), state, limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.post("", status_code=201, summary="Nominate a site", response_model=SHOWN, **EDIT)
def nominate(visitor: Visitor, given: NominationGiven, nominations: NominationsService) -> Nomination:
    language = visitor.account.language or speech.language().code
    return nominations.nominate(visitor.actor, Proposal(**given.model_dump()), language=language)


@api.get("/{number}", summary="Read a nomination", response_model=SHOWN, **EDIT)
def read_nomination(number: Number, visitor: Visitor, nominations: NominationsService) -> Nomination:
    return nominations.get(editor_of(visitor), number)


@api.post("/{number}/accept", summary="Accept a nomination", response_model=SHOWN, **EDIT)
def accept_nomination(
    number: Number, visitor: Visitor, given: Accepted, nominations: NominationsService, checks: ChecksService
) -> Nomination:
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
    return nominations.get(editor, number)


@api.post("/{number}/decline", summary="Decline a nomination", response_model=SHOWN, **EDIT)
def decline_nomination(
    number: Number, visitor: Visitor, given: Declined, nominations: NominationsService
) -> Nomination:
    return nominations.decline(editor_of(visitor), number, given.answer)
