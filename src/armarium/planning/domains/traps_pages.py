"""The pages of crawler traps for all domains."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.domains.rules import check_traps
from armarium.planning.domains.traps import TrapLists
from armarium.planning.domains.traps_queries import TrapList
from armarium.planning.domains.traps_trial import Verdict, tried
from armarium.planning.history import history_of
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/planning/traps"
pages = APIRouter(prefix=ADDRESS)

Lists = Annotated[TrapLists, Depends(service(TrapLists))]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
RULES = [Depends(needs(Permission.PLANNING_RULES))]


@pages.get("", dependencies=VIEW)
def traps_page(
    request: Request, visitor: Visitor, page: PageShell, lists: Lists, number: PageNumber = 1
) -> Response:
    return show_lists(request, page, visitor, lists, filled(), number=number)


@pages.post("/try", dependencies=VIEW)
def try_traps(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, lists: Lists
) -> Response:
    """Nothing is changed; it is a POST because the addresses may be long."""
    try:
        verdicts = tried(lists.active_lists(), form.get("urls"))
    except Refused as refusal:
        return show_lists(request, page, visitor, lists, form.refuse(refusal), status=422)
    return show_lists(request, page, visitor, lists, form, verdicts=verdicts)


def show_lists(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    lists: TrapLists,
    form: Form,
    *,
    number: int = 1,
    verdicts: list[Verdict] | None = None,
    status: int = 200,
) -> Response:
    found, total = lists.page(limit=PAGE_SIZE, offset=offset_of(number))
    context: dict[str, Any] = {
        "lists": found,
        "total": total,
        "page": Paging(request, number, total),
        "form": form,
        "verdicts": verdicts,
        "may_change": visitor.may(Permission.PLANNING_RULES),
    }
    return page.page(request, "planning/traps_list.html", status=status, **context)


@pages.get("/new", dependencies=RULES)
def new_list_page(request: Request, visitor: Visitor, page: PageShell) -> Response:
    return show_list(request, page, visitor, form=filled(active="yes"))


@pages.post("/new", dependencies=RULES)
def create_list(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, lists: Lists
) -> Response:
    try:
        if form.ticked("try"):
            return show_list(request, page, visitor, form=form, verdicts=tried_as_typed(form))
        made = lists.create(
            visitor.actor,
            form.get("name"),
            form.get("expressions").splitlines(),
            description=form.get("description"),
            active=form.ticked("active"),
        )
    except Refused as refusal:
        return show_list(request, page, visitor, form=marked(form, refusal), status=422)
    return done(request, f"{ADDRESS}/{made.id}", message("The list %(name)s is made.", name=made.name))


@pages.get("/{number}", dependencies=VIEW)
def list_page(request: Request, number: Number, visitor: Visitor, page: PageShell, lists: Lists) -> Response:
    return show_list(request, page, visitor, lists.get(number))


@pages.post("/{number}", dependencies=RULES)
def change_list(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, page: PageShell, lists: Lists
) -> Response:
    known = lists.get(number)
    try:
        if form.ticked("try"):
            return show_list(request, page, visitor, known, form=form, verdicts=tried_as_typed(form))
        lists.change(
            visitor.actor,
            number,
            name=form.get("name"),
            expressions=form.get("expressions").splitlines(),
            description=form.get("description"),
            active=form.ticked("active"),
            seen=form.get("seen"),
        )
    except Refused as refusal:
        return show_list(request, page, visitor, known, form=marked(form, refusal), status=422)
    text = message("The list %(name)s is saved. It holds for jobs made from now on.", name=form.get("name"))
    return done(request, f"{ADDRESS}/{number}", text)


def tried_as_typed(form: Form) -> list[Verdict]:
    """The expressions of the form, saved or not."""
    expressions = check_traps(form.get("expressions").splitlines())
    return tried([TrapList(0, form.get("name"), "", True, expressions, 1)], form.get("urls"))


def marked(form: Form, refusal: Refused) -> Form:
    """The rules of traps, which domains and harvests share, name another field."""
    names = {"traps": "expressions", "comments": "description"}
    field = names.get(refusal.field or "", refusal.field)
    return form.refuse(Refused(refusal.message, field=field))


def show_list(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    traps: TrapList | None = None,
    *,
    form: Form | None = None,
    verdicts: list[Verdict] | None = None,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "traps": traps,
        "form": form or form_of(traps),
        "verdicts": verdicts,
        "history": history_of(request, page, "trap-list", traps.id) if traps else [],
        "may_change": visitor.may(Permission.PLANNING_RULES),
        "address": f"{ADDRESS}/{traps.id}" if traps else f"{ADDRESS}/new",
    }
    return page.page(request, "planning/traps_show.html", status=status, **context)


def form_of(traps: TrapList | None) -> Form:
    if traps is None:
        return filled()
    return filled(
        name=traps.name,
        description=traps.description,
        expressions="\n".join(traps.expressions),
        active="yes" if traps.active else None,
        seen=traps.mark,
    )
