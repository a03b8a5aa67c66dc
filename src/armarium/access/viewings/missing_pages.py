"""One viewing: what was missing, to be chosen, handed over, exported or forgotten."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.viewings.handover import Handover, Order
from armarium.access.viewings.labels import FATES, KINDS, STANDINGS
from armarium.access.viewings.model import MOST_MISSING, Missing, Sought
from armarium.access.viewings.page_data import (
    ADDRESS,
    USE,
    HandingService,
    ViewingsService,
    frame,
    person,
    query_of,
    shown_missing,
    sought_by,
)
from armarium.access.viewings.protocols import Handed, Plan
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Forbidden, Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, lacking
from armarium.web.paging import Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, Shell, done

pages = APIRouter(prefix=f"{ADDRESS}/{{number}}")
SHOWN = 100  # on a page
LINES_SHOWN = 1000
MEGABYTE = 1_000_000


@pages.get("", dependencies=USE)
def viewing_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    viewings: ViewingsService,
    handing: HandingService,
    at: PageNumber = 1,
) -> Response:
    return show_viewing(request, page, visitor, viewings, handing, number, at=at)


def show_viewing(
    request: Request,
    page: Shell,
    visitor: Identity,
    viewings: Viewings,
    handing: Handover,
    number: int,
    *,
    at: int = 1,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    who, sought = person(visitor), sought_by(request.query_params)
    viewing = viewings.get(who, number)
    found, total = viewings.missing(who, number, sought, limit=SHOWN, offset=offset_of(at, SHOWN))
    context: dict[str, Any] = {
        **frame(viewing, "", visitor),
        **filters(viewings, visitor, number, sought),
        "missing": [shown_missing(one, viewing) for one in found],
        "total": total,
        "page": Paging(request, at, total, SHOWN),
        "brought": viewings.job_files.brought(viewing.jobs),
        "most": MOST_MISSING,
        **handing_form(visitor, handing, form),
    }
    if request.headers.get("x-part"):
        return page.part(request, "access/viewings_missing.html", **context)
    return page.page(request, "access/viewings_show.html", status=status, **context)


def filters(viewings: Viewings, visitor: Identity, number: int, sought: Sought) -> dict[str, Any]:
    domains, kinds = viewings.gaps(person(visitor), number, sought.standing)
    return {
        "filter": sought,
        "query": query_of(sought),
        "narrowed": sought != Sought(),
        "standing_options": [(one.value, title) for one, title in STANDINGS.items()],
        "domain_options": domains,
        "kind_options": [(kind.value, KINDS[kind], kinds[kind]) for kind in KINDS if kind in kinds],
    }


def handing_form(visitor: Identity, handing: Handover, form: Form | None) -> dict[str, Any]:
    """Who may not plan harvests takes the list to somebody who may."""
    may_hand = visitor.may(Permission.PLANNING_EDIT)
    return {
        "may_hand": may_hand,
        "form": form or filled(activate="yes", megabytes="1000"),
        "harvests": handing.harvests.harvests() if may_hand else [],
        "profiles": handing.harvests.profiles() if may_hand else [],
    }


# What is done with them -------------------------------------------------------------------------------


@pages.post("/chosen", dependencies=USE)
def chosen(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    viewings: ViewingsService,
    handing: HandingService,
) -> Response:
    """`do` says what: hand over, or forget. `all` means every address that fits the filter."""
    viewings.get(person(visitor), number)  # whoever may not see it is not told what else they may not do
    try:
        if form.get("do") == "forget":
            return forget(request, number, visitor, form, viewings)
        if not visitor.may(Permission.PLANNING_EDIT):
            raise Forbidden(lacking(visitor, Permission.PLANNING_EDIT))
        which = sought_by(request.query_params) if form.ticked("all") else numbers_in(form)
        handed = handing.hand_over(visitor.actor, person(visitor), number, order_in(form), which)
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_viewing(request, page, visitor, viewings, handing, number, form=refused, status=422)
    return show_handed(request, page, visitor, viewings, number, handed)


def numbers_in(form: Form) -> list[int]:
    return [found for text in form.chosen("missing") if (found := number_in(text))]


def order_in(form: Form) -> Order:
    typed = form.get("megabytes").strip()
    megabytes = number_in(typed)
    if typed and not megabytes:
        raise Refused(message("Write a whole number, or nothing."), field="megabytes")
    plan = Plan(number_in(form.get("profile")) or 0, megabytes * MEGABYTE if megabytes else None)
    harvest = number_in(form.get("harvest"))
    return Order(harvest or None, form.get("name"), plan, activate=form.ticked("activate"))


def forget(request: Request, number: int, visitor: Identity, form: Form, viewings: Viewings) -> Response:
    who = person(visitor)
    which = numbers_in(form)
    if form.ticked("all"):
        found, _ = viewings.missing(who, number, sought_by(request.query_params))
        which = [one.id for one in found]
    if not which:
        raise Refused(message("Choose at least one address."), field="missing")
    count = viewings.clear(visitor.actor, who, number, which)
    text = message("Addresses forgotten: %(count)s.", count=count)
    return done(request, back_to(request, number), text)


def back_to(request: Request, number: int) -> str:
    query = query_of(sought_by(request.query_params))
    return f"{ADDRESS}/{number}?{query}"


def show_handed(
    request: Request, page: Shell, visitor: Identity, viewings: Viewings, number: int, handed: Handed
) -> Response:
    """Refused ones first: they are what somebody has to look at."""
    order = list(reversed(FATES))
    lines = sorted(handed.lines, key=lambda line: order.index(line.fate))
    context: dict[str, Any] = {
        **frame(viewings.get(person(visitor), number), "", visitor),
        "handed": handed,
        "lines": [
            {
                "url": line.url,
                "reason": line.reason,
                "tone": FATES[line.fate][0],
                "title": FATES[line.fate][1],
            }
            for line in lines[:LINES_SHOWN]
        ],
        "more": max(0, len(lines) - LINES_SHOWN),
        "counts": [
            {"label": title, "kind": tone, "value": sum(line.fate is fate for line in lines)}
            for fate, (tone, title) in FATES.items()
        ],
    }
    return page.page(request, "access/viewings_handed.html", **context)


@pages.post("/recording", dependencies=USE)
def switch_recording(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, viewings: ViewingsService
) -> Response:
    on = form.get("on") == "yes"
    viewings.set_recording(visitor.actor, person(visitor), number, on)
    text = message("What is missing is noted.") if on else message("What is missing is noted no more.")
    return done(request, f"{ADDRESS}/{number}", text)


@pages.post("/clear", dependencies=USE)
def clear(request: Request, number: Number, visitor: Visitor, viewings: ViewingsService) -> Response:
    count = viewings.clear(visitor.actor, person(visitor), number)
    text = message("Addresses forgotten: %(count)s.", count=count)
    return done(request, f"{ADDRESS}/{number}", text)


# As files ---------------------------------------------------------------------------------------------


@pages.get("/missing.txt", dependencies=USE)
def as_text(request: Request, number: Number, visitor: Visitor, viewings: ViewingsService) -> Response:
    """One address a line: seeds as planning takes them."""
    found, _ = viewings.missing(person(visitor), number, sought_by(request.query_params))
    text = "".join(f"{one.url}\n" for one in found)
    return attached(text, f"viewing-{number}-missing.txt", "text/plain")


@pages.get("/missing.csv", dependencies=USE)
def as_csv(request: Request, number: Number, visitor: Visitor, viewings: ViewingsService) -> Response:
    found, _ = viewings.missing(person(visitor), number, sought_by(request.query_params))
    return attached(csv_of(found), f"viewing-{number}-missing.csv", "text/csv")


def csv_of(found: Iterable[Missing]) -> str:
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(
        ("url", "domain", "kind", "times", "first", "last", "referrer", "harvest", "handed", "handed_by")
    )
    for one in found:
        moments = [at.isoformat(timespec="seconds") for at in (one.first_at, one.last_at)]
        handed = one.handed_at.isoformat(timespec="seconds") if one.handed_at else ""
        rest = (one.referrer, one.harvest or "", handed, one.handed_by)
        rows.writerow((one.url, one.domain, one.kind.value, one.times, *moments, *rest))
    return written.getvalue()


def attached(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)
