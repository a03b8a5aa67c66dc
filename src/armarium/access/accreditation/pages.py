"""The pages of readers."""

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.access.accreditation.api import AccreditationsService
from armarium.access.accreditation.model import (
    STATES,
    Accreditation,
    AccreditationFilter,
    AccreditationState,
    Period,
)
from armarium.access.accreditation.service import Accreditations, Imports
from armarium.accounts.model import Permission
from armarium.core.errors import Refusals, Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import needs
from armarium.web.lists import csv_answer
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/access/readers"
pages = Router(prefix=ADDRESS, dependencies=[Depends(needs(Permission.ACCESS_READERS))])

MOST = 100_000  # lines of a file
USUAL = timedelta(days=364)  # a year with both its days


@pages.get("")
def readers_page(
    page: Page,
    accreditations: AccreditationsService,
    q: Annotated[str, Query(max_length=200)] = "",
    state: str = "",
    number: PageNumber = 1,
) -> Response:
    wanted = AccreditationFilter(
        q.strip(), AccreditationState(state) if state in set(AccreditationState) else None
    )
    if page.request.query_params.get("export") == "csv":
        return _csv(accreditations.page(wanted, limit=MOST)[0], accreditations.today())
    found, total = accreditations.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "access/readers_list.html",
        "access/readers_table.html",
        filter={"q": q, "state": state},
        state_options=[(one.value, label) for one, (_, label) in STATES.items()],
        readers=[shown(one, accreditations.today()) for one in found],
        total=total,
        soon=accreditations.count(AccreditationState.SOON),
        page=page.paging(number, total),
    )


def _csv(found: list[Accreditation], today: date) -> Response:
    head = [message("Reader"), message("Account name"), message("State")]
    days = [message("First day"), message("Last day"), message("Note")]
    rows = [
        (
            one.display_name,
            one.name,
            STATES[one.state(today)][1],
            one.first_day.isoformat(),
            one.last_day.isoformat(),
            one.note,
        )
        for one in found
    ]
    return csv_answer("readers", [*head, *days], rows)


def shown(accreditation: Accreditation, today: date) -> dict[str, Any]:
    state = accreditation.state(today)
    tone, label = STATES[state]
    return {"one": accreditation, "state": state, "tone": tone, "label": label}


@pages.get("/new")
def new_reader_page(
    page: Page, accreditations: AccreditationsService, name: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    today = accreditations.today()
    return show_new(
        page, filled(name=name, first_day=today.isoformat(), last_day=(today + USUAL).isoformat())
    )


@pages.post("/new")
def add_reader(page: Page, form: PostedForm, accreditations: AccreditationsService) -> Response:
    try:
        with Refusals() as wrong:
            period = wrong.attempt(lambda: period_in(form))
            wrong.attempt(lambda: accreditations.check(form.get("name"), period, form.get("note")))
        assert period is not None, "Refusals would have said so"
        added = accreditations.add(page.actor, form.get("name"), period, form.get("note"))
    except Refused as refusal:
        return show_new(page, form.refuse(refusal))
    return done(page, ADDRESS, added)


def show_new(page: PageRequest, form: Form) -> Response:
    may_make = page.may(Permission.ACCOUNTS_MANAGE)
    return page.show("access/readers_new.html", form, may_make_accounts=may_make)


def done(page: PageRequest, address: str, one: Accreditation) -> Response:
    day = one.last_day.isoformat()
    return page.done(address, message("%(name)s is accredited until %(day)s.", name=one.name, day=day))


def period_in(form: Form) -> Period:
    with Refusals() as wrong:
        first = wrong.attempt(lambda: day_in(form, "first_day"))
        last = wrong.attempt(lambda: day_in(form, "last_day"))
    assert first is not None, "Refusals would have said so"
    assert last is not None, "Refusals would have said so"
    return Period(first, last)


def day_in(form: Form, field: str) -> date:
    try:
        return date.fromisoformat(form.get(field).strip())
    except ValueError:
        raise Refused(message("Write the day as 2026-12-31."), field=field) from None


@pages.get("/import")
def import_page(page: Page) -> Response:
    return page.show("access/readers_import.html", Form(), outcome=None)


@pages.post("/import")
def import_list(page: Page, form: PostedForm, accreditations: AccreditationsService) -> Response:
    outcome, try_only = None, form.get("do") != "import"
    try:
        outcome = Imports(accreditations).run(page.actor, form.get("list"), try_only=try_only)
    except Refused as refusal:
        form.refuse(refusal)
    if outcome is not None and outcome.done:
        return page.done(ADDRESS, message("Readers accredited: %(count)s.", count=len(outcome.lines)))
    return page.show("access/readers_import.html", form, outcome=outcome)


@pages.get("/{number}")
def reader_page(page: Page, number: Number, accreditations: AccreditationsService) -> Response:
    return show_reader(page, accreditations, number, editing="edit" in page.request.query_params)


@pages.post("/{number}")
def change_reader(
    page: Page, number: Number, form: PostedForm, accreditations: AccreditationsService
) -> Response:
    try:
        changed = accreditations.change(page.actor, number, period_in(form), form.get("note"))
    except Refused as refusal:
        return show_reader(page, accreditations, number, form.refuse(refusal))
    return done(page, f"{ADDRESS}/{number}", changed)


@pages.post("/{number}/end")
def end_reader(page: Page, number: Number, accreditations: AccreditationsService) -> Response:
    ended = accreditations.end(page.actor, number)
    text = message("The accreditation of %(name)s has ended.", name=ended.name)
    return page.done(f"{ADDRESS}/{number}", text)


def show_reader(
    page: PageRequest,
    accreditations: Accreditations,
    number: int,
    form: Form | None = None,
    *,
    editing: bool = False,
) -> Response:
    accreditation, today = accreditations.get(number), accreditations.today()
    return page.show(
        "access/readers_show.html",
        form or form_of(accreditation),
        **shown(accreditation, today),
        editing=editing or form is not None,
        next_year=(max(today, accreditation.last_day) + timedelta(days=365)).isoformat(),
    )


def form_of(accreditation: Accreditation) -> Form:
    return filled(
        first_day=accreditation.first_day.isoformat(),
        last_day=accreditation.last_day.isoformat(),
        note=accreditation.note,
    )
