"""The pages of the legal scope of a record: notes, evidence, and all of it to print."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Misconfigured, Refused, Unavailable
from armarium.core.message import message
from armarium.selection.legal.model import Criterion
from armarium.selection.legal.panel import context_of
from armarium.selection.legal.service import LegalScope
from armarium.selection.records.service import Records
from armarium.selection.rights import editor_of
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, Shell, done

pages = APIRouter(prefix="/selection/records/{number}/scope")

ScopeService = Annotated[LegalScope, Depends(service(LegalScope))]
RecordsService = Annotated[Records, Depends(service(Records))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
EDIT = [Depends(needs(Permission.SELECTION_EDIT))]


@pages.get("", dependencies=VIEW)
def scope_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, records: RecordsService
) -> Response:
    return show(request, number, visitor, page, records)


@pages.post("", dependencies=EDIT)
def note(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    records: RecordsService,
    scope: ScopeService,
) -> Response:
    try:
        criterion = chosen(form)
        scope.note(editor_of(visitor), number, criterion, form.ticked("meets"), form.get("text"))
    except Refused as refusal:
        return show(request, number, visitor, page, records, form=form.refuse(refusal), status=422)
    return done(request, f"/selection/records/{number}/scope", message("The note is kept."))


@pages.post("/gather", dependencies=EDIT)
def gather(request: Request, number: Number, visitor: Visitor, scope: ScopeService) -> Response:
    there = f"/selection/records/{number}/scope"
    try:
        scope.gather(editor_of(visitor), number)
    except (Unavailable, Misconfigured) as away:
        return done(request, there, away.message, "bad")
    return done(request, there, message("What name and servers say is kept."))


def chosen(form: Form) -> Criterion:
    if form.get("criterion") not in set(Criterion):
        raise Refused(message("Choose a criterion."), field="criterion")
    return Criterion(form.get("criterion"))


def show(
    request: Request,
    number: int,
    visitor: Visitor,
    page: Shell,
    records: Records,
    *,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    record = records.get(number)
    context = context_of(request, visitor, record, form=form)
    return page.page(
        request, "selection/scope.html", status=status, record=record, printed_at=clock.now(), **context
    )
