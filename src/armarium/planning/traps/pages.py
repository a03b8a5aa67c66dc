"""The API and the pages of crawler traps for all domains."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.audit_history import history_of
from armarium.planning.searching import STATES
from armarium.planning.traps.rules import MOST_ADDRESSES, TrapList, Verdict, check_traps, tried
from armarium.planning.traps.service import TrapLists
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.form_values import form_of
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.lists import csv_answer
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import PAGE_SIZE, At, Listing, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/traps"
pages = Router(prefix=ADDRESS)
api = Router(prefix="/traps", tags=["traps"])

Lists = Annotated[TrapLists, Depends(service(TrapLists))]
VIEW, CHANGE = Permission.PLANNING_VIEW, Permission.PLANNING_RULES

Given = Annotated[TrapList, schemas.given(TrapList, "TrapListGiven", required=("name", "expressions"))]
SHOWN = schemas.shown(TrapList, "TrapListShown")
VERDICT = schemas.shown(
    Verdict,
    "VerdictShown",
    first=(),
    expression=Annotated[str, Field(description="The first that finds the address; empty: it is followed.")],
)


class Addresses(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: list[str] = Field(max_length=MOST_ADDRESSES)


@api.get(
    "",
    summary="List the lists of crawler traps for all domains",
    response_model=schemas.listing(SHOWN),
    **operation(VIEW),
)
def list_lists(lists: Lists, at: At) -> Listing[TrapList]:
    return at.listing(*lists.page(limit=at.limit, offset=at.place))


@api.post(
    "", status_code=201, summary="Create a list of crawler traps", response_model=SHOWN, **operation(CHANGE)
)
def create_list(visitor: Visitor, given: Given, lists: Lists) -> TrapList:
    return lists.create(visitor.actor, given)


@api.post(
    "/try",
    summary="Which expression of the lists in use matches an address",
    response_model=schemas.several(VERDICT),
    **operation(VIEW),
)
def try_addresses(given: Addresses, lists: Lists) -> list[Verdict]:
    return tried(lists.active(), "\n".join(given.urls))


@api.get("/{number}", summary="Read a list of crawler traps", response_model=SHOWN, **operation(VIEW))
def read_list(number: Number, lists: Lists) -> TrapList:
    return lists.get(number)


@api.put("/{number}", summary="Replace a list of crawler traps", response_model=SHOWN, **operation(CHANGE))
def replace_list(number: Number, visitor: Visitor, given: Given, lists: Lists) -> TrapList:
    return lists.change(visitor.actor, number, given)


#: The rules of traps, which domains and harvests share, name other fields than the form.
FIELDS = {"traps": "expressions", "comments": "description"}


MOST_EXPORTED = 10_000
EXPORTED = (message("Name"), message("Description"), message("Expressions"), message("In use"))


@pages.get("", dependencies=guarded(VIEW))
def traps_page(
    page: Page, lists: Lists, q: str = "", state: str = "", export: str = "", number: PageNumber = 1
) -> Response:
    if export == "csv":
        found, _ = lists.matching(q, STATES.get(state), limit=MOST_EXPORTED)
        rows = ((one.name, one.description, len(one.expressions), one.active) for one in found)
        return csv_answer("crawler-traps", EXPORTED, rows)
    return show_lists(page, lists, filled(), number=number, q=q, state=state)


@pages.post("/try", dependencies=guarded(VIEW))
def try_traps(form: PostedForm, page: Page, lists: Lists) -> Response:
    """Nothing is changed; it is a POST because the addresses may be long."""
    try:
        return show_lists(page, lists, form, tried(lists.active(), form.get("urls")))
    except Refused as refusal:
        return show_lists(page, lists, form.refuse(refusal))


def show_lists(
    page: PageRequest,
    lists: TrapLists,
    form: Form,
    verdicts: list[Verdict] | None = None,
    *,
    number: int = 1,
    q: str = "",
    state: str = "",
) -> Response:
    found, total = lists.matching(q, STATES.get(state), limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "planning/traps_list.html",
        form,
        traps=found,
        q=q,
        state=state,
        total=total,
        page=page.paging(number, total),
        verdicts=verdicts,
        may_change=page.may(CHANGE),
    )


def show(page: PageRequest, _: TrapLists, traps: TrapList | None, form: Form) -> Response:
    """With `try` the expressions of the form, saved or not, are tried on addresses."""
    return page.show(
        "planning/traps_show.html",
        form,
        traps=traps,
        editing=page.may(CHANGE) and page.is_editing(traps),
        verdicts=tried_as_typed(form) if form.ticked("try") and not form.errors else None,
        history=history_of(page.request, page.shell, "trap-list", traps.id) if traps else [],
        may_change=page.may(CHANGE),
        address=f"{ADDRESS}/{traps.id if traps else 'new'}",
    )


def save(page: PageRequest, lists: TrapLists, known: TrapList | None, form: Form) -> Response:
    new = typed_list(form)
    try:
        if form.ticked("try"):
            return show(page, lists, known, form)
        if known is None:
            made = lists.create(page.actor, new)
            return page.done(f"{ADDRESS}/{made.id}", message("The list %(name)s is created.", name=made.name))
        lists.change(page.actor, known.id, new, seen=form.get("seen"))
    except Refused as refusal:
        raise refusal.renamed(FIELDS) from refusal
    text = message("The list %(name)s is saved. It applies to jobs created from now on.", name=new.name)
    return page.done(f"{ADDRESS}/{known.id}", text)


def typed_list(form: Form) -> TrapList:
    return TrapList(
        name=form.get("name"),
        description=form.get("description"),
        active=form.ticked("active"),
        expressions=form.get("expressions").splitlines(),
    )


def tried_as_typed(form: Form) -> list[Verdict]:
    new = typed_list(form)
    return tried([replace(new, expressions=check_traps(new.expressions))], form.get("urls"))


def traps_form(known: TrapList | None) -> Form:
    return form_of(known) if known else filled(active="yes")


form_pages(pages, TrapLists, view=VIEW, change=CHANGE, form_of=traps_form, show=show, save=save)
