"""The API of viewings."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.access.viewings.handover import Order
from armarium.access.viewings.model import (
    LONGEST_NOTE,
    LONGEST_TEXT,
    MOST_JOBS,
    MOST_MISSING,
    Chosen,
    Kind,
    Sought,
    Standing,
    Viewing,
)
from armarium.access.viewings.page_data import HandingService, ViewingsService, person
from armarium.access.viewings.protocols import Fate, Handed, Plan
from armarium.accounts.model import Permission
from armarium.core.errors import Forbidden
from armarium.languages.speech import say
from armarium.web.api import operation
from armarium.web.guard import Visitor, lacking
from armarium.web.paging import Amount, At, Id, Listing, Number

api = APIRouter(prefix="/access/viewings", tags=["access"])
USE = operation(Permission.VIEWER_USE)

Title = Annotated[str, Field(max_length=LONGEST_TEXT)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
Jobs = Annotated[list[Id], Field(max_length=MOST_JOBS)]
Text = Annotated[str, Query(max_length=300)]


class ViewingShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str  # the collection on the readers' site
    owner: str
    title: str
    note: str
    jobs: list[int]
    recording: bool
    open: int
    handed: int
    passed_over: int
    created_at: datetime
    ended_at: datetime | None


class MissingShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    url: str
    domain: str
    kind: Kind
    referrer: str
    times: int
    first_at: datetime
    last_at: datetime
    harvest: int | None
    handed_at: datetime | None
    handed_by: str


class NewViewing(BaseModel):
    """Jobs by their numbers, or those of a run, or both."""

    model_config = ConfigDict(extra="forbid")

    jobs: Jobs = []
    run: Id | None = None
    title: Title = ""
    note: Note = ""


class ViewingPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    jobs: Jobs | None = None
    title: Title | None = None
    note: Note | None = None
    recording: bool | None = None
    ended: bool | None = None


class HandOver(BaseModel):
    """To the harvest of this number, or to a new event harvest of this name."""

    model_config = ConfigDict(extra="forbid")

    missing: Annotated[list[Id], Field(max_length=MOST_MISSING)] | None = Field(
        None, description="Numbers of missing addresses; none: all that were not handed over yet."
    )
    harvest: Id | None = None
    name: Title = ""
    profile: Id
    max_bytes: Amount | None = None
    activate: bool = True


class LineShown(BaseModel):
    url: str
    result: Fate
    reason: str


class HandedShown(BaseModel):
    harvest: int
    name: str
    lines: list[LineShown]


class WordShown(BaseModel):
    user: str
    word: str


class Cleared(BaseModel):
    cleared: int


def shown(viewing: Viewing) -> ViewingShown:
    return ViewingShown.model_validate(viewing)


def handed_shown(handed: Handed) -> HandedShown:
    lines = [
        LineShown(url=line.url, result=line.fate, reason=say(line.reason) if line.reason else "")
        for line in handed.lines
    ]
    return HandedShown(harvest=handed.harvest, name=handed.name, lines=lines)


@api.get("", summary="List viewings", **USE)
def list_viewings(
    visitor: Visitor,
    viewings: ViewingsService,
    job: Annotated[int | None, Query(ge=1)] = None,
    everybody: Annotated[bool, Query(description="Those of others, too, if you may see them.")] = False,
    *,
    at: At,
) -> Listing[ViewingShown]:
    found, total = viewings.page(
        person(visitor), mine=not everybody, job=job, limit=at.limit, offset=at.place
    )
    return at.listing([shown(one) for one in found], total)


@api.post("", status_code=201, summary="Begin to look at what some jobs brought", **USE)
def begin_viewing(visitor: Visitor, given: NewViewing, viewings: ViewingsService) -> ViewingShown:
    of_run = viewings.job_files.of_run(given.run) if given.run else []
    chosen = Chosen((*given.jobs, *of_run), given.title, given.note)
    return shown(viewings.create(visitor.actor, visitor.account.id, chosen))


@api.get("/{number}", summary="Read a viewing", **USE)
def read_viewing(number: Number, visitor: Visitor, viewings: ViewingsService) -> ViewingShown:
    return shown(viewings.get(person(visitor), number))


@api.patch("/{number}", summary="Change a viewing, start or stop recording, end it", **USE)
def change_viewing(
    number: Number, visitor: Visitor, given: ViewingPart, viewings: ViewingsService
) -> ViewingShown:
    who, actor = person(visitor), visitor.actor
    before = viewings.get(who, number)
    chosen = Chosen(
        before.jobs if given.jobs is None else tuple(given.jobs),
        before.title if given.title is None else given.title,
        before.note if given.note is None else given.note,
    )
    if chosen != Chosen(before.jobs, before.title, before.note):
        viewings.change(actor, who, number, chosen)
    if given.recording is not None:
        viewings.set_recording(actor, who, number, given.recording)
    if given.ended is not None:
        (viewings.end if given.ended else viewings.reopen)(actor, who, number)
    return shown(viewings.get(who, number))


@api.get("/{number}/missing", summary="List addresses that were asked for and are missing", **USE)
def list_missing(
    number: Number,
    visitor: Visitor,
    viewings: ViewingsService,
    standing: Standing = Standing.OPEN,
    domain: Text = "",
    kind: Kind | None = None,
    referrer: Text = "",
    text: Text = "",
    *,
    at: At,
) -> Listing[MissingShown]:
    sought = Sought(standing, domain, kind, referrer, text)
    found, total = viewings.missing(person(visitor), number, sought, limit=at.limit, offset=at.place)
    return at.listing([MissingShown.model_validate(one) for one in found], total)


@api.delete("/{number}/missing", summary="Forget all missing addresses of a viewing", **USE)
def clear_missing(number: Number, visitor: Visitor, viewings: ViewingsService) -> Cleared:
    return Cleared(cleared=viewings.clear(visitor.actor, person(visitor), number))


@api.post("/{number}/hand-over", summary="Hand missing addresses to an event harvest", **USE)
def hand_over(number: Number, visitor: Visitor, given: HandOver, handing: HandingService) -> HandedShown:
    """Needs the permission to plan harvests, too."""
    if not visitor.may(Permission.PLANNING_EDIT):
        raise Forbidden(lacking(visitor, Permission.PLANNING_EDIT))
    plan = Plan(given.profile, given.max_bytes)
    order = Order(given.harvest, given.name, plan, activate=given.activate)
    which = Sought() if given.missing is None else given.missing
    return handed_shown(handing.hand_over(visitor.actor, person(visitor), number, order, which))


@api.post("/{number}/proxy-word", summary="Make a word by which a browser's proxy chooses a viewing", **USE)
def make_proxy_word(number: Number, visitor: Visitor, viewings: ViewingsService) -> WordShown:
    """The word cannot be read again; the one before is good no more."""
    word = viewings.make_proxy_word(visitor.actor, person(visitor), number)
    return WordShown(user=f"viewing-{number}", word=word)
