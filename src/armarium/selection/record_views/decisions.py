"""What is decided about one record: validated, refused, proposed again, let go, moved."""

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.service import Collections
from armarium.selection.model import RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.record_views.page_parts import ADDRESS, RecordsService, about, not_yours, show_record
from armarium.selection.records.forms import destination_of, seen_in
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix=ADDRESS + "/{number}")

EDIT = guarded(Permission.SELECTION_EDIT)
VALIDATE = guarded(Permission.SELECTION_VALIDATE)


@pages.post("/validate", dependencies=VALIDATE)
def validate_record(page: Page, number: Number, form: PostedForm, records: RecordsService) -> Response:
    return decided(page, records, number, form, RecordState.VALIDATED)


@pages.post("/refuse", dependencies=VALIDATE)
def refuse_record(page: Page, number: Number, form: PostedForm, records: RecordsService) -> Response:
    return decided(page, records, number, form, RecordState.REFUSED)


@pages.post("/propose", dependencies=EDIT)
def propose_record(page: Page, number: Number, form: PostedForm, records: RecordsService) -> Response:
    return decided(page, records, number, form, RecordState.PROPOSED)


def decided(page: PageRequest, records: Records, number: int, form: Form, state: RecordState) -> Response:
    seen = seen_in(form)
    try:
        found = records.decide(
            editor_of(page.visitor),
            [number],
            state,
            form.get("reason") if state is RecordState.REFUSED else "",
            seen={number: seen} if seen else None,
        )
    except Refused as refusal:
        record, form = records.get(number), form.refuse(refusal)
        return show_record(page, records, record, decision_form=form)
    record = found[0] if found else records.get(number)
    return page.done(f"{ADDRESS}/{number}", _sentence(record))


@pages.post("/let-go", dependencies=EDIT)
def let_record_go(page: Page, number: Number, records: RecordsService) -> Response:
    record = records.change_fields(editor_of(page.visitor), number, {"active": False})
    text = message("The record %(name)s is inactive: it is not transferred to planning.", name=record.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/take-up", dependencies=EDIT)
def take_record_up(page: Page, number: Number, records: RecordsService) -> Response:
    record = records.change_fields(editor_of(page.visitor), number, {"active": True})
    return page.done(f"{ADDRESS}/{number}", message("The record %(name)s is active again.", name=record.name))


# Moves


@pages.get("/move", dependencies=EDIT)
def move_page(
    page: Page, number: Number, collections: CollectionsService, records: RecordsService
) -> Response:
    record = records.get(number)
    if not about(page.visitor, records, record)["may_change"]:
        return not_yours(page, record)
    return show_move(page, collections, records, record, filled(seen=record.edition))


@pages.post("/move", dependencies=EDIT)
def move_record(
    page: Page, number: Number, form: PostedForm, collections: CollectionsService, records: RecordsService
) -> Response:
    record = records.get(number)
    try:
        to = destination_of(form, collections.all(only_active=True))
        moved = records.move(editor_of(page.visitor), number, to, seen=seen_in(form))
    except Refused as refusal:
        # What the collection does not offer is answered by a tick, not by a choice of this form.
        field = "usual" if refusal.field == "budget" else "theme" if refusal.field else None
        refused = form.refuse(Refused(refusal.message, field=field))
        return show_move(page, collections, records, records.get(number), refused)
    return page.done(f"{ADDRESS}/{number}", _moved(record, moved))


def show_move(
    page: PageRequest, collections: Collections, records: Records, record: Record, form: Form
) -> Response:
    others = [one for one in collections.editable(editor_of(page.visitor)) if one.id != record.collection]
    return page.show(
        "selection/records_move.html",
        **about(page.visitor, records, record),
        form=form,
        collections=others,
    )


def _moved(before: Record, moved: Record) -> Message:
    return message(
        "The record %(name)s has moved from %(from)s to %(to)s.",
        **{"name": moved.name, "from": before.collection_name, "to": moved.collection_name},
    )


def _sentence(record: Record) -> Message:
    match record.state:
        case RecordState.VALIDATED:
            return message("The record %(name)s is validated.", name=record.name)
        case RecordState.REFUSED:
            return message(
                "The record %(name)s is rejected; its librarian sees the reason.", name=record.name
            )
        case _:
            return message("The record %(name)s is proposed and waits for a curator.", name=record.name)
