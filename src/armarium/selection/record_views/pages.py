"""The pages of records: one record, its form, what people say about it."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import Collections
from armarium.selection.entry.service import Checks
from armarium.selection.model import State
from armarium.selection.permissions import editor_of
from armarium.selection.record_views import page_parts
from armarium.selection.record_views.page_parts import (
    ADDRESS,
    RECORD_VALUES,
    RecordsService,
    TrayService,
    about,
    not_yours,
    show_record,
)
from armarium.selection.records.forms import draft_of, form_of, new_form, people, seen_in
from armarium.selection.records.model import Record
from armarium.selection.records.service import ChangedMeanwhile
from armarium.selection.records.writing import Entered
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.history import history_of
from armarium.web.paging import LARGEST, Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.services import AccountsService, service
from armarium.web.shell import PageShell, Shell, done

pages = APIRouter(prefix=ADDRESS)

CollectionsService = Annotated[Collections, Depends(service(Collections))]
ChecksService = Annotated[Checks, Depends(service(Checks))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
EDIT = [Depends(needs(Permission.SELECTION_EDIT))]
ALL = 1000  # entries on the history's own page


# A new one


@pages.get("/new", dependencies=EDIT)
def new_record_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    collections: CollectionsService,
    checks: ChecksService,
    collection: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    address: str = "",
    check: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
) -> Response:
    """`check`: the live check of which the record is made, and which fills in what it has seen."""
    offered = collections.editable(editor_of(visitor))
    seen = checks.check(check) if check else None
    wanted = seen.collection if seen else collection
    chosen = next((one for one in offered if one.id == wanted), next(iter(offered), None))
    form = new_form(chosen, visitor.account.name)
    form.values["address"] = address
    if seen:
        found = {"check": seen.id, "address": seen.final, "title": seen.title, "language": seen.language}
        form.values.update(found)
    return show_form(request, page, form, offered)


@pages.post("/new", dependencies=EDIT)
def create_record(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    collections: CollectionsService,
    records: RecordsService,
    accounts: AccountsService,
    checks: ChecksService,
) -> Response:
    editor = editor_of(visitor)
    try:
        draft = draft_of(form, accounts)
        seen = checks.evidence(number_in(form.get("check")), draft)
        made = records.create(editor, Entered(draft, check=seen))
    except (Refused, NotFound) as refusal:
        return show_form(request, page, _refused(form, refusal), collections.editable(editor), status=422)
    checks.justifies(made)
    checks.see(editor, made)
    text = message("The record %(name)s is made and waits for a curator.", name=made.name)
    if made.state is State.VALIDATED:
        text = message("The record %(name)s is made and validated.", name=made.name)
    return done(request, f"{ADDRESS}/{made.id}", text)


# One record


@pages.get("/{number}", dependencies=VIEW)
def record_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    records: RecordsService,
    tray: TrayService,
) -> Response:
    answer = show_record(request, page, visitor, records, records.get(number))
    if visitor.session and not request.headers.get("x-part"):
        tray.looked(editor_of(visitor), number)
    return answer


@pages.get("/{number}/panels/{name}", dependencies=VIEW)
def panel_part(
    request: Request, number: Number, name: str, visitor: Visitor, page: PageShell, records: RecordsService
) -> Response:
    content = page_parts.content_of(page_parts.named(name), request, visitor, page, records.get(number))
    return Response(content or "", media_type="text/html")


@pages.get("/{number}/history", dependencies=VIEW)
def history_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, records: RecordsService
) -> Response:
    context = about(visitor, records, records.get(number))
    history = history_of(request, page, "record", number, words=RECORD_VALUES, most=ALL)
    return page.page(request, "selection/records_history.html", **context, history=history)


@pages.post("/{number}/comments", dependencies=VIEW)
def comment_on_record(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    records: RecordsService,
) -> Response:
    try:
        records.comment(editor_of(visitor), number, form.get("text"))
    except Refused as refusal:
        record, form = records.get(number), form.refuse(refusal)
        return show_record(request, page, visitor, records, record, comment_form=form, status=422)
    text = message("Your comment is kept. Whoever is responsible for the record finds it in the tray.")
    return done(request, f"{ADDRESS}/{number}#comments", text)


# Its form


@pages.get("/{number}/edit", dependencies=EDIT)
def edit_record_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    collections: CollectionsService,
    records: RecordsService,
) -> Response:
    record = records.get(number)
    if not about(visitor, records, record)["may_change"]:
        return not_yours(request, record)
    return show_form(request, page, form_of(record), [collections.get(record.collection)], record)


@pages.post("/{number}/edit", dependencies=EDIT)
def change_record(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
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
        saved = records.change(editor_of(visitor), number, draft, seen=seen_in(form), propose=again)
    except ChangedMeanwhile as conflict:
        changes = changes_since(request, page, conflict.record, seen_in(form) or 0)
        form.refuse(conflict).values["seen"] = conflict.record.edition
        return show_form(request, page, form, own, conflict.record, meanwhile=changes, status=422)
    except (Refused, NotFound) as refusal:
        return show_form(request, page, _refused(form, refusal), own, before, status=422)
    checks.see(editor_of(visitor), saved)
    return done(request, f"{ADDRESS}/{number}", _saved(before, saved))


def show_form(
    request: Request,
    page: Shell,
    form: Form,
    collections: Sequence[Collection],
    record: Record | None = None,
    *,
    meanwhile: Sequence[dict[str, Any]] = (),
    status: int = 200,
) -> Response:
    services: Services = request.app.state.services
    chosen = form.get("collection")
    context: dict[str, Any] = {
        "form": form,
        "record": record,
        "record_address": f"{ADDRESS}/{record.id}" if record else ADDRESS,
        "collections": collections,
        "collection": next((one for one in collections if str(one.id) == chosen), None),
        "matrix": services.get(Collections).matrix(),
        "people": people(services.get(Accounts)),
        "meanwhile": meanwhile,
        "State": State,
    }
    return page.page(request, "selection/records_edit.html", status=status, **context)


def changes_since(request: Request, page: Shell, record: Record, seen: int) -> list[dict[str, Any]]:
    """What others did to the record since the form was made: each change is an edition."""
    entries = history_of(request, page, "record", record.id, words=RECORD_VALUES)
    changed = [one for one in entries if one["name"] != "record.commented"]
    return changed[: max(1, record.edition - seen)]


def _refused(form: Form, refusal: Refused | NotFound) -> Form:
    """A collection or a record that is not there is a wrong choice in a form, not a missing page."""
    return form.refuse(refusal if isinstance(refusal, Refused) else Refused(refusal.message))


def _saved(before: Record, saved: Record) -> Message:
    if before.state is not State.PROPOSED and saved.state is State.PROPOSED:
        return message("The record %(name)s is saved and waits for a curator.", name=saved.name)
    return message("The record %(name)s is saved.", name=saved.name)
