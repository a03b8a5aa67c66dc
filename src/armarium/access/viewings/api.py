"""The API of viewings."""

from typing import Annotated

from fastapi import Query

from armarium.access.viewings.handover import Order
from armarium.access.viewings.model import (
    Chosen,
    Missing,
    MissingFilter,
    MissingKind,
    Person,
    Standing,
    Viewing,
)
from armarium.access.viewings.page_data import HandoverService, ViewingsService
from armarium.access.viewings.protocols import Plan
from armarium.access.viewings.schemas import (
    MISSING,
    VIEWING,
    Cleared,
    HandedShown,
    HandOver,
    NewViewing,
    ViewingPart,
    WordShown,
    handed_shown,
)
from armarium.accounts.model import Permission
from armarium.core.errors import Forbidden
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor, lacking
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router

api = Router(prefix="/access/viewings", tags=["access"])
USE = operation(Permission.VIEWER_USE)
Text = Annotated[str, Query(max_length=300)]


@api.get("", summary="List viewings", response_model=schemas.listing(VIEWING), **USE)
def list_viewings(
    visitor: Visitor,
    viewings: ViewingsService,
    job: Annotated[int | None, Query(ge=1)] = None,
    everybody: Annotated[bool, Query(description="Those of others, too, if you may see them.")] = False,
    *,
    at: At,
) -> Listing[Viewing]:
    found, total = viewings.page(
        Person.of(visitor), mine=not everybody, job=job, limit=at.limit, offset=at.place
    )
    return at.listing(found, total)


@api.post(
    "", status_code=201, summary="Begin to look at what some jobs brought", response_model=VIEWING, **USE
)
def begin_viewing(visitor: Visitor, given: NewViewing, viewings: ViewingsService) -> Viewing:
    of_run = viewings.job_files.of_run(given.run) if given.run else []
    chosen = Chosen((*given.jobs, *of_run), given.title, given.note)
    return viewings.create(visitor.actor, visitor.account.id, chosen)


@api.get("/{number}", summary="Read a viewing", response_model=VIEWING, **USE)
def read_viewing(number: Number, visitor: Visitor, viewings: ViewingsService) -> Viewing:
    return viewings.get(Person.of(visitor), number)


@api.patch(
    "/{number}", summary="Change a viewing, start or stop recording, end it", response_model=VIEWING, **USE
)
def change_viewing(
    number: Number, visitor: Visitor, given: ViewingPart, viewings: ViewingsService
) -> Viewing:
    who, actor = Person.of(visitor), visitor.actor
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
    return viewings.get(who, number)


@api.get(
    "/{number}/missing",
    summary="List addresses that were asked for and are missing",
    response_model=schemas.listing(MISSING),
    **USE,
)
def list_missing(
    number: Number,
    visitor: Visitor,
    viewings: ViewingsService,
    standing: Standing = Standing.OPEN,
    domain: Text = "",
    kind: MissingKind | None = None,
    referrer: Text = "",
    text: Text = "",
    *,
    at: At,
) -> Listing[Missing]:
    sought = MissingFilter(standing, domain, kind, referrer, text)
    found, total = viewings.missing(Person.of(visitor), number, sought, limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.delete("/{number}/missing", summary="Forget all missing addresses of a viewing", **USE)
def clear_missing(number: Number, visitor: Visitor, viewings: ViewingsService) -> Cleared:
    return Cleared(cleared=viewings.clear(visitor.actor, Person.of(visitor), number))


@api.post("/{number}/hand-over", summary="Hand missing addresses to an event harvest", **USE)
def hand_over(number: Number, visitor: Visitor, given: HandOver, handover: HandoverService) -> HandedShown:
    """Needs the permission to plan harvests, too."""
    if not visitor.may(Permission.PLANNING_EDIT):
        raise Forbidden(lacking(visitor, Permission.PLANNING_EDIT))
    plan = Plan(given.profile, given.max_bytes)
    order = Order(given.harvest, given.name, plan, activate=given.activate)
    which = MissingFilter() if given.missing is None else given.missing
    return handed_shown(handover.hand_over(visitor.actor, Person.of(visitor), number, order, which))


@api.post("/{number}/proxy-word", summary="Make a word by which a browser's proxy chooses a viewing", **USE)
def make_proxy_word(number: Number, visitor: Visitor, viewings: ViewingsService) -> WordShown:
    """The word cannot be read again; the one before is good no more."""
    word = viewings.make_proxy_word(visitor.actor, Person.of(visitor), number)
    return WordShown(user=f"viewing-{number}", word=word)
