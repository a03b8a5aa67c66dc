"""The pages of records: one record, its form, what people say about it."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import Collections
from armarium.selection.entry.pages import ChecksService
from armarium.selection.model import RecordState
from armarium.selection.permissions import Editor, editor_of
from armarium.selection.record_views import page_parts
from armarium.selection.record_views.page_parts import (
    ADDRESS,
    RECORD_VALUES,
    RecordsService,
    Tab,
    TrayService,
    about,
    not_yours,
    show_record,
    show_tab,
)
from armarium.selection.records.forms import draft_of, form_of, new_form, people, seen_in
from armarium.selection.records.model import Record
from armarium.selection.records.service import ChangedMeanwhile
from armarium.selection.records.writing import Entered
from armarium.web.forms import Form
from armarium.web.history import history_of
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import LARGEST, Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService

pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)
ALL = 1000  # entries on the history's own page


# A new one


@pages.get("/new", dependencies=EDIT)
def new_record_page(
    page: Page,
    collections: CollectionsService,
    checks: ChecksService,
    collection: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    address: str = "",
    check: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
) -> Response:
    """`check`: the live check of which the record is made, and which fills in what it has seen."""
    offered = collections.editable(editor_of(page.visitor))
    seen = checks.check(check) if check else None
    wanted = seen.collection if seen else collection
    chosen = next((one for one in offered if one.id == wanted), next(iter(offered), None))
    form = new_form(chosen, page.visitor.account.name)
    form.values["address"] = address
    if seen:
        found = {"check": seen.id, "address": seen.final, "title": seen.title, "language": seen.language}
        form.values.update(found)
    return show_form(page, form, offered)


@pages.post("/new", dependencies=EDIT)
def create_record(
    page: Page,
    form: PostedForm,
    collections: CollectionsService,
    records: RecordsService,
    accounts: AccountsService,
    checks: ChecksService,
) -> Response:
    editor = editor_of(page.visitor)
    try:
        draft = draft_of(form, accounts)
        seen = checks.evidence(number_in(form.get("check")), draft)
        made = records.create(editor, Entered(draft, check=seen))
    except (Refused, NotFound) as refusal:
        return show_form(page, _refused(form, refusal), collections.editable(editor))
    checks.justifies(made)
    checks.see(editor, made)
    text = message("The record %(name)s is created and waits for a curator.", name=made.name)
    if made.state is RecordState.VALIDATED:
        text = message("The record %(name)s is created and validated.", name=made.name)
    another = f"new?collection={made.collection}"
    return page.done(f"{ADDRESS}/{another if form.ticked('another') else made.id}", text)


# One record


@pages.get("/{number}", dependencies=VIEW)
def record_page(page: Page, number: Number, records: RecordsService, tray: TrayService) -> Response:
    answer = show_record(page, records, records.get(number))
    if page.visitor.session and not page.request.headers.get("x-part"):
        tray.looked(editor_of(page.visitor), number)
    return answer


@pages.get("/{number}/panels/{name}", dependencies=VIEW)
def panel_part(page: Page, number: Number, name: str, records: RecordsService) -> Response:
    content = page_parts.content_of(page, page_parts.named(name), records.get(number))
    return Response(content or "", media_type="text/html")


@pages.get("/{number}/history", dependencies=VIEW)
def history_page(page: Page, number: Number, records: RecordsService) -> Response:
    record = records.get(number)
    known = page_parts.history(page, record, ALL)
    return show_tab(page, records, record, Tab.HISTORY, history=known)


@pages.get("/{number}/description", dependencies=VIEW)
def description_page(page: Page, number: Number, records: RecordsService) -> Response:
    return show_tab(page, records, records.get(number), Tab.DESCRIPTION)


@pages.get("/{number}/harvests", dependencies=VIEW)
def harvests_page(page: Page, number: Number, records: RecordsService) -> Response:
    return show_tab(page, records, records.get(number), Tab.HARVESTS)


@pages.post("/{number}/comments", dependencies=VIEW)
def comment_on_record(page: Page, number: Number, form: PostedForm, records: RecordsService) -> Response:
    try:
        records.comment(editor_of(page.visitor), number, form.get("text"))
    except Refused as refusal:
        record, form = records.get(number), form.refuse(refusal)
        return show_record(page, records, record, comment_form=form)
    text = message("Your comment is added. The person responsible for the record finds it in their inbox.")
    return page.done(f"{ADDRESS}/{number}#comments", text)


# Its form


@pages.get("/{number}/edit", dependencies=EDIT)
def edit_record_page(
    page: Page, number: Number, collections: CollectionsService, records: RecordsService
) -> Response:
    record = records.get(number)
    if not about(page.visitor, records, record)["may_change"]:
        return not_yours(page, record)
    return show_form(page, form_of(record), [collections.get(record.collection)], record)


@pages.post("/{number}/edit", dependencies=EDIT)
def change_record(
    page: Page,
    number: Number,
    form: PostedForm,
    collections: CollectionsService,
    records: RecordsService,
    accounts: AccountsService,
    checks: ChecksService,
) -> Response:
    before = records.get(number)
    own = [collections.get(before.collection)]
    try:
        draft = draft_of(form, accounts, before)
        again = form.ticked("propose")
        saved = records.change(editor_of(page.visitor), number, draft, seen=seen_in(form), propose=again)
    except ChangedMeanwhile as conflict:
        changes = changes_since(page, conflict.record, seen_in(form) or 0)
        form.refuse(conflict).values["seen"] = conflict.record.edition
        return show_form(page, form, own, conflict.record, meanwhile=changes)
    except (Refused, NotFound) as refusal:
        return show_form(page, _refused(form, refusal), own, before)
    checks.see(editor_of(page.visitor), saved)
    return page.done(f"{ADDRESS}/{number}", _saved(before, saved))


def show_form(
    page: PageRequest,
    form: Form,
    collections: Sequence[Collection],
    record: Record | None = None,
    *,
    meanwhile: Sequence[dict[str, Any]] = (),
) -> Response:
    services: Services = page.request.app.state.services
    chosen = form.get("collection")
    return page.show(
        "selection/records_edit.html",
        form=form,
        record=record,
        record_address=f"{ADDRESS}/{record.id}" if record else ADDRESS,
        collections=collections,
        collection=next((one for one in collections if str(one.id) == chosen), None),
        matrix=services.get(Collections).matrix(),
        people=people(services.get(Accounts)),
        meanwhile=meanwhile,
        returns=returns(editor_of(page.visitor), record),
        State=RecordState,
    )


def returns(editor: Editor, record: Record | None) -> Message | None:
    """What of a change takes a validated record back to the proposals: see `writing.change_many`."""
    if record is None or record.state is not RecordState.VALIDATED:
        return None
    if editor.validates:
        return message(
            "This record is validated. If you enter a new address for it, also a further one, it becomes a "
            "proposal again; you can validate it once the new address has answered. From the next transfer "
            "on it is not harvested until it is validated."
        )
    return message(
        "This record is validated. If you change its address, further addresses, budget, frequency or depth, "
        "it becomes a proposal again and waits for a curator. From the next transfer on it is not harvested "
        "until it is validated."
    )


def changes_since(page: PageRequest, record: Record, seen: int) -> list[dict[str, Any]]:
    """What others did to the record since the form was made: each change is an edition."""
    entries = history_of(page.request, page.shell, "record", record.id, words=RECORD_VALUES)
    changed = [one for one in entries if one["name"] != "record.commented"]
    return changed[: max(1, record.edition - seen)]


def _refused(form: Form, refusal: Refused | NotFound) -> Form:
    """A collection or a record that is not there is a wrong choice in a form, not a missing page."""
    return form.refuse(refusal if isinstance(refusal, Refused) else Refused(refusal.message))


def _saved(before: Record, saved: Record) -> Message:
    if before.state is not RecordState.PROPOSED and saved.state is RecordState.PROPOSED:
        return message("The record %(name)s is saved and waits for a curator.", name=saved.name)
    return message("The record %(name)s is saved.", name=saved.name)
