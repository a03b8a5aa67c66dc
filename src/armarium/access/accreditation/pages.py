"""The pages of readers."""

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.accreditation.model import STATES, Accreditation, AccreditationFilter, Period, State
from armarium.access.accreditation.service import Accreditations, Imports
from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/access/readers"
pages = APIRouter(prefix=ADDRESS, dependencies=[Depends(needs(Permission.ACCESS_READERS))])

AccreditationsService = Annotated[Accreditations, Depends(service(Accreditations))]
USUAL = timedelta(days=364)  # a year with both its days


@pages.get("")
def readers_page(
    request: Request,
    page: PageShell,
    accreditations: AccreditationsService,
    q: Annotated[str, Query(max_length=200)] = "",
    state: str = "",
    number: PageNumber = 1,
) -> Response:
    wanted = AccreditationFilter(q.strip(), State(state) if state in set(State) else None)
    found, total = accreditations.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    context: dict[str, Any] = {
        "filter": {"q": q, "state": state},
        "state_options": [(one.value, label) for one, (_, label) in STATES.items()],
        "readers": [shown(one, accreditations.today()) for one in found],
        "total": total,
        "soon": accreditations.count(State.SOON),
        "page": Paging(request, number, total),
    }
    if request.headers.get("x-part"):
        return page.part(request, "access/readers_table.html", **context)
    return page.page(request, "access/readers_list.html", **context)


def shown(accreditation: Accreditation, today: date) -> dict[str, Any]:
    state = accreditation.state(today)
    tone, label = STATES[state]
    return {"one": accreditation, "state": state, "tone": tone, "label": label}


@pages.get("/new")
def new_reader_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    accreditations: AccreditationsService,
    name: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    today = accreditations.today()
    form = filled(name=name, first_day=today.isoformat(), last_day=(today + USUAL).isoformat())
    return show_new(request, visitor, page, form)


@pages.post("/new")
def add_reader(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    accreditations: AccreditationsService,
) -> Response:
    try:
        added = accreditations.add(visitor.actor, form.get("name"), period_in(form), form.get("note"))
    except Refused as refusal:
        return show_new(request, visitor, page, form.refuse(refusal), status=422)
    text = message("%(name)s is accredited until %(day)s.", name=added.name, day=added.last_day.isoformat())
    return done(request, ADDRESS, text)


def show_new(
    request: Request, visitor: Visitor, page: PageShell, form: Form, *, status: int = 200
) -> Response:
    may_make = visitor.may(Permission.ACCOUNTS_MANAGE)
    return page.page(request, "access/readers_new.html", status=status, form=form, may_make_accounts=may_make)


def period_in(form: Form) -> Period:
    return Period(day_in(form, "first_day"), day_in(form, "last_day"))


def day_in(form: Form, field: str) -> date:
    try:
        return date.fromisoformat(form.get(field).strip())
    except ValueError:
        raise Refused(message("Write the day as 2026-12-31."), field=field) from None


@pages.get("/import")
def import_page(request: Request, page: PageShell) -> Response:
    return page.page(request, "access/readers_import.html", form=Form(), outcome=None)


@pages.post("/import")
def import_list(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    accreditations: AccreditationsService,
) -> Response:
    try_only = form.get("do") != "import"
    try:
        outcome = Imports(accreditations).run(visitor.actor, form.get("list"), try_only=try_only)
    except Refused as refusal:
        context = {"form": form.refuse(refusal), "outcome": None}
        return page.page(request, "access/readers_import.html", status=422, **context)
    if outcome.done:
        text = message("Readers accredited: %(count)s.", count=len(outcome.lines))
        return done(request, ADDRESS, text)
    return page.page(request, "access/readers_import.html", form=form, outcome=outcome)


@pages.get("/{number}")
def reader_page(
    request: Request, number: Number, page: PageShell, accreditations: AccreditationsService
) -> Response:
    return show_reader(request, page, accreditations, accreditations.get(number))


@pages.post("/{number}")
def change_reader(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    accreditations: AccreditationsService,
) -> Response:
    try:
        changed = accreditations.change(visitor.actor, number, period_in(form), form.get("note"))
    except Refused as refusal:
        known = accreditations.get(number)
        return show_reader(request, page, accreditations, known, form=form.refuse(refusal), status=422)
    text = message(
        "%(name)s is accredited until %(day)s.", name=changed.name, day=changed.last_day.isoformat()
    )
    return done(request, f"{ADDRESS}/{number}", text)


@pages.post("/{number}/end")
def end_reader(
    request: Request, number: Number, visitor: Visitor, accreditations: AccreditationsService
) -> Response:
    ended = accreditations.end(visitor.actor, number)
    text = message("The accreditation of %(name)s has ended.", name=ended.name)
    return done(request, f"{ADDRESS}/{number}", text)


def show_reader(
    request: Request,
    page: PageShell,
    accreditations: Accreditations,
    accreditation: Accreditation,
    *,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    today = accreditations.today()
    context = {
        **shown(accreditation, today),
        "form": form or form_of(accreditation),
        "next_year": (max(today, accreditation.last_day) + timedelta(days=365)).isoformat(),
    }
    return page.page(request, "access/readers_show.html", status=status, **context)


def form_of(accreditation: Accreditation) -> Form:
    return filled(
        first_day=accreditation.first_day.isoformat(),
        last_day=accreditation.last_day.isoformat(),
        note=accreditation.note,
    )
