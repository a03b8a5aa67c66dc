"""The pages on which addresses are entered, looked at and taken."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.selection.collections.service import Collections
from armarium.selection.entry.forms import collection_of, common_of, shown_batch, shown_check, taken_of, usual
from armarium.selection.entry.model import MOST_LINES, Check
from armarium.selection.entry.service import Checks
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import LARGEST, Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/selection/enter"
CHECKS = "/selection/checks"
RECORDS = "/selection/records"
pages = APIRouter(prefix="/selection")

ChecksService = Annotated[Checks, Depends(service(Checks))]
CollectionsService = Annotated[Collections, Depends(service(Collections))]
RecordsService = Annotated[Records, Depends(service(Records))]
CollectionNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
EDIT = [Depends(needs(Permission.SELECTION_EDIT))]

#: What was taken from a foreign page is a picture and nothing else.
PICTURE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=86400",
}


@pages.get("/enter", dependencies=EDIT)
def enter_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    checks: ChecksService,
    collections: CollectionsService,
    collection: CollectionNumber = None,
) -> Response:
    return show_entry(request, visitor, page, checks, collections, filled(collection=collection))


@pages.post("/enter", dependencies=EDIT)
def enter_addresses(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    checks: ChecksService,
    collections: CollectionsService,
) -> Response:
    try:
        batch = checks.enter(editor_of(visitor), collection_of(form), form.get("addresses"))
    except Refused as refusal:
        return show_entry(request, visitor, page, checks, collections, form.refuse(refusal), 422)
    text = message("The addresses are being checked. This page shows what is found as it comes.")
    return done(request, f"{ADDRESS}/{batch.id}", text, "info")


@pages.get("/enter/{number}", dependencies=EDIT)
def batch_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    checks: ChecksService,
    collections: CollectionsService,
    records: RecordsService,
) -> Response:
    return show_batch(request, number, visitor, page, checks, collections, records)


@pages.post("/enter/{number}", dependencies=EDIT)
def take_lines(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    checks: ChecksService,
    collections: CollectionsService,
    records: RecordsService,
) -> Response:
    try:
        made = checks.take(editor_of(visitor), number, taken_of(form), common_of(form))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_batch(request, number, visitor, page, checks, collections, records, refused, 422)
    if len(made) == 1 and len(checks.lines(number)) == 1:
        text = message("The record %(name)s is made.", name=made[0].name)
        return done(request, f"{RECORDS}/{made[0].id}", text)
    return done(request, f"{ADDRESS}/{number}", message("Records made: %(count)s.", count=len(made)))


@pages.post("/enter/{number}/rest", dependencies=EDIT)
def go_on(request: Request, number: Number, visitor: Visitor, checks: ChecksService) -> Response:
    checks.go_on(editor_of(visitor), number)
    return done(request, f"{ADDRESS}/{number}", message("The rest is being checked."), "info")


@pages.get("/checks/{number}", dependencies=VIEW)
def check_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, checks: ChecksService
) -> Response:
    """One check, whole: the evidence for a record."""
    check = checks.check(number)
    context = {**shown_check(check), "may_enter": visitor.may(Permission.SELECTION_EDIT)}
    return page.page(request, "selection/check_show.html", **context)


@pages.get("/checks/{number}/picture", dependencies=VIEW)
def check_picture(number: Number, checks: ChecksService) -> Response:
    return Response(checks.picture(number), media_type="image/jpeg", headers=PICTURE_HEADERS)


@pages.post("/records/{number}/check", dependencies=EDIT)
def check_again(request: Request, number: Number, visitor: Visitor, checks: ChecksService) -> Response:
    checks.again(editor_of(visitor), number)
    text = message("The address is being checked again.")
    return done(request, f"{RECORDS}/{number}", text, "info")


def show_entry(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    checks: Checks,
    collections: Collections,
    form: Form,
    status: int = 200,
) -> Response:
    editor = editor_of(visitor)
    context: dict[str, Any] = {
        "form": form,
        "collections": [(one.id, one.name) for one in collections.editable(editor)],
        "latest": checks.latest(editor),
        "may_make": visitor.may(Permission.SELECTION_RULES),
        "most": MOST_LINES,
    }
    return page.page(request, "selection/entry.html", status=status, **context)


def show_batch(
    request: Request,
    number: int,
    visitor: Visitor,
    page: PageShell,
    checks: Checks,
    collections: Collections,
    records: Records,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    batch, lines = checks.batch(number), checks.lines(number)
    collection = collections.get(batch.collection)
    editor = editor_of(visitor)
    people = {one: name for one, _, name in collections.members(batch.collection)}
    people |= {visitor.account.id: visitor.account.display_name}
    filled_in = form or usual(collection, editor.account, lines)
    context: dict[str, Any] = {
        **shown_batch(batch, lines, filled_in),
        "form": filled_in,
        "collection": collection,
        "matrix": collections.matrix(),
        "people": sorted(people.items(), key=lambda one: one[1]),
        "alone": len(lines) == 1,
        "may_take": records.may_change(editor, batch.collection) and collection.active,
        "stuck": checks.is_stuck(number),
        "address": f"{ADDRESS}/{number}",
    }
    return page.page(request, "selection/entry_batch.html", status=status, **context)


# --- What a record's page shows of the live check of its address.


def panel_context(request: Request, visitor: Identity, record: Record) -> Mapping[str, Any]:
    """The last look at each of its addresses, and whether this visitor may have another one."""
    services: Services = request.app.state.services
    looks, running = services.get(Checks).of_record(record)
    may = visitor.may(Permission.SELECTION_EDIT)
    return {
        "check_shown": _shown_look(looks.get(record.address)),
        "check_further": [(one.address, _shown_look(looks.get(one.address))) for one in record.further],
        "check_running": running,
        "may_check": may and services.get(Records).may_change(editor_of(visitor), record.collection),
    }


def _shown_look(look: Check | None) -> Mapping[str, Any] | None:
    return shown_check(look) if look else None
