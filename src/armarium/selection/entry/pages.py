"""The pages on which addresses are entered, looked at and taken."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.service import Collections
from armarium.selection.entry.forms import collection_of, common_of, shown_batch, shown_check, taken_of, usual
from armarium.selection.entry.model import MOST_LINES, Check
from armarium.selection.entry.service import Checks
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import LARGEST, Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/selection/enter"
CHECKS = "/selection/checks"
RECORDS = "/selection/records"
pages = Router(prefix="/selection")

ChecksService = Annotated[Checks, Depends(service(Checks))]
RecordsService = Annotated[Records, Depends(service(Records))]
CollectionNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]

VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)

#: What was taken from a foreign page is a picture and nothing else.
PICTURE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=86400",
}


@pages.get("/enter", dependencies=EDIT)
def enter_page(
    page: Page, checks: ChecksService, collections: CollectionsService, collection: CollectionNumber = None
) -> Response:
    return show_entry(page, checks, collections, filled(collection=collection))


@pages.post("/enter", dependencies=EDIT)
def enter_addresses(
    page: Page, form: PostedForm, checks: ChecksService, collections: CollectionsService
) -> Response:
    try:
        batch = checks.enter(editor_of(page.visitor), collection_of(form), form.get("addresses"))
    except Refused as refusal:
        return show_entry(page, checks, collections, form.refuse(refusal))
    text = message("The addresses are being checked. Results appear here as they come in.")
    return page.done(f"{ADDRESS}/{batch.id}", text, "info")


@pages.get("/enter/{number}", dependencies=EDIT)
def batch_page(
    page: Page,
    number: Number,
    checks: ChecksService,
    collections: CollectionsService,
    records: RecordsService,
) -> Response:
    return show_batch(page, number, checks, collections, records)


@pages.post("/enter/{number}", dependencies=EDIT)
def take_lines(
    page: Page,
    number: Number,
    form: PostedForm,
    checks: ChecksService,
    collections: CollectionsService,
    records: RecordsService,
) -> Response:
    try:
        made = checks.take(editor_of(page.visitor), number, taken_of(form), common_of(form))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_batch(page, number, checks, collections, records, refused)
    if len(made) == 1 and len(checks.lines(number)) == 1:
        text = message("The record %(name)s is created.", name=made[0].name)
        return page.done(f"{RECORDS}/{made[0].id}", text)
    return page.done(f"{ADDRESS}/{number}", message("Records created: %(count)s.", count=len(made)))


@pages.post("/enter/{number}/rest", dependencies=EDIT)
def go_on(page: Page, number: Number, checks: ChecksService) -> Response:
    checks.go_on(editor_of(page.visitor), number)
    return page.done(f"{ADDRESS}/{number}", message("The rest is being checked."), "info")


@pages.get("/checks/{number}", dependencies=VIEW)
def check_page(page: Page, number: Number, checks: ChecksService) -> Response:
    """One check, whole: the evidence for a record."""
    check = checks.check(number)
    return page.show(
        "selection/check_show.html",
        **shown_check(check),
        may_enter=page.may(Permission.SELECTION_EDIT),
    )


@pages.get("/checks/{number}/picture", dependencies=VIEW)
def check_picture(number: Number, checks: ChecksService) -> Response:
    return Response(checks.picture(number), media_type="image/jpeg", headers=PICTURE_HEADERS)


@pages.post("/records/{number}/check", dependencies=EDIT)
def check_again(page: Page, number: Number, checks: ChecksService) -> Response:
    checks.again(editor_of(page.visitor), number)
    text = message("The address is being checked again.")
    return page.done(f"{RECORDS}/{number}", text, "info")


def show_entry(page: PageRequest, checks: Checks, collections: Collections, form: Form) -> Response:
    editor = editor_of(page.visitor)
    return page.show(
        "selection/entry.html",
        form=form,
        collections=[(one.id, one.name) for one in collections.editable(editor)],
        latest=checks.latest(editor),
        may_make=page.may(Permission.SELECTION_RULES),
        most=MOST_LINES,
    )


def show_batch(
    page: PageRequest,
    number: int,
    checks: Checks,
    collections: Collections,
    records: Records,
    form: Form | None = None,
) -> Response:
    batch, lines = checks.batch(number), checks.lines(number)
    collection = collections.get(batch.collection)
    editor = editor_of(page.visitor)
    people = {one: name for one, _, name in collections.members(batch.collection)}
    people |= {page.visitor.account.id: page.visitor.account.display_name}
    filled_in = form or usual(collection, editor.account, lines)
    return page.show(
        "selection/entry_batch.html",
        **shown_batch(batch, lines, filled_in),
        form=filled_in,
        collection=collection,
        matrix=collections.matrix(),
        people=sorted(people.items(), key=lambda one: one[1]),
        alone=len(lines) == 1,
        may_take=records.may_change(editor, batch.collection) and collection.active,
        stuck=checks.is_stuck(number),
        address=f"{ADDRESS}/{number}",
    )


# What a record's page shows of it


def panel_context(page: PageRequest, record: Record) -> Mapping[str, Any]:
    """The last look at each of its addresses, and whether this visitor may have another one."""
    services: Services = page.request.app.state.services
    looks, running = services.get(Checks).of_record(record)
    may = page.may(Permission.SELECTION_EDIT)
    return {
        "check_shown": _shown_look(looks.get(record.address)),
        "check_further": [(one.address, _shown_look(looks.get(one.address))) for one in record.further],
        "check_running": running,
        "may_check": may and services.get(Records).may_change(editor_of(page.visitor), record.collection),
    }


def _shown_look(look: Check | None) -> Mapping[str, Any] | None:
    return shown_check(look) if look else None
