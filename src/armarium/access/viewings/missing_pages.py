"""One viewing: what was missing, to be chosen, handed over, exported or forgotten."""

from collections.abc import Iterable, Sequence
from typing import Any

from starlette.responses import Response

from armarium.access.viewings.handover import Order
from armarium.access.viewings.model import FATES, KINDS, MOST_MISSING, STANDINGS, Missing, MissingFilter
from armarium.access.viewings.page_data import (
    ADDRESS,
    USE,
    ViewingsPage,
    ViewingsRequest,
    query_of,
    shown_missing,
)
from armarium.access.viewings.protocols import Handed, Plan
from armarium.accounts.model import Permission
from armarium.core.errors import Forbidden, Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import lacking
from armarium.web.lists import csv_lines
from armarium.web.paging import Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix=f"{ADDRESS}/{{number}}")
SHOWN = 100  # on a page
LINES_SHOWN = 1000
MEGABYTE = 1_000_000


@pages.get("", dependencies=USE)
def viewing_page(page: ViewingsPage, number: Number, at: PageNumber = 1) -> Response:
    return show_viewing(page, number, at=at)


def show_viewing(page: ViewingsRequest, number: int, form: Form | None = None, *, at: int = 1) -> Response:
    viewing, sought = page.viewing(number), page.sought
    found, total = page.viewings.missing(page.who, number, sought, limit=SHOWN, offset=offset_of(at, SHOWN))
    return page.live(
        "access/viewings_show.html",
        "access/viewings_missing.html",
        form or filled(activate="yes", megabytes="1000"),
        **page.frame(viewing, ""),
        **filters(page, number, sought),
        **harvests(page),
        missing=[shown_missing(one, viewing) for one in found],
        total=total,
        page=Paging(page.request, at, total, SHOWN),
        brought=page.viewings.job_files.brought(viewing.jobs),
        most=MOST_MISSING,
    )


def filters(page: ViewingsRequest, number: int, sought: MissingFilter) -> dict[str, Any]:
    domains, kinds = page.viewings.gaps(page.who, number, sought.standing)
    return {
        "filter": sought,
        "query": query_of(sought),
        "narrowed": sought != MissingFilter(),
        "standing_options": [(one.value, title) for one, title in STANDINGS.items()],
        "domain_options": domains,
        "kind_options": [(kind.value, KINDS[kind], kinds[kind]) for kind in KINDS if kind in kinds],
    }


def harvests(page: ViewingsRequest) -> dict[str, Any]:
    """Who may not plan harvests takes the list to somebody who may."""
    may_hand = page.may(Permission.PLANNING_EDIT)
    offered = page.handover.harvests
    return {
        "may_hand": may_hand,
        "harvests": offered.harvests() if may_hand else [],
        "profiles": offered.profiles() if may_hand else [],
    }


# What is done with them -------------------------------------------------------------------------------


@pages.post("/chosen", dependencies=USE)
def chosen(page: ViewingsPage, number: Number, form: PostedForm) -> Response:
    """`do` says what: hand over, or forget. `all` means every address that fits the filter."""
    page.viewing(number)  # whoever may not see it is not told what else they may not do
    try:
        if form.get("do") == "forget":
            return forget(page, number, form)
        if not page.may(Permission.PLANNING_EDIT):
            raise Forbidden(lacking(page.visitor, Permission.PLANNING_EDIT))
        which = page.sought if form.ticked("all") else numbers_in(form)
        handed = page.handover.hand_over(page.actor, page.who, number, order_in(form), which)
    except Refused as refusal:
        return show_viewing(page, number, form.refuse(refusal))
    return show_handed(page, number, handed)


def numbers_in(form: Form) -> list[int]:
    return [found for text in form.chosen("missing") if (found := number_in(text))]


def order_in(form: Form) -> Order:
    typed = form.get("megabytes").strip()
    megabytes = number_in(typed)
    if typed and not megabytes:
        raise Refused(message("Enter a whole number, or leave this empty."), field="megabytes")
    plan = Plan(number_in(form.get("profile")) or 0, megabytes * MEGABYTE if megabytes else None)
    harvest = number_in(form.get("harvest"))
    return Order(harvest or None, form.get("name"), plan, activate=form.ticked("activate"))


def forget(page: ViewingsRequest, number: int, form: Form) -> Response:
    which = numbers_in(form)
    if form.ticked("all"):
        which = [one.id for one in page.viewings.missing(page.who, number, page.sought)[0]]
    if not which:
        raise Refused(message("Choose at least one address."), field="missing")
    count = page.viewings.clear(page.actor, page.who, number, which)
    text = message("Addresses removed: %(count)s.", count=count)
    return page.done(f"{ADDRESS}/{number}?{query_of(page.sought)}", text)


def show_handed(page: ViewingsRequest, number: int, handed: Handed) -> Response:
    """Refused ones first: they are what somebody has to look at."""
    order = list(reversed(FATES))
    lines = sorted(handed.lines, key=lambda line: order.index(line.fate))
    return page.show(
        "access/viewings_handed.html",
        **page.frame(page.viewing(number), ""),
        handed=handed,
        lines=[
            {
                "url": line.url,
                "reason": line.reason,
                "tone": FATES[line.fate][0],
                "title": FATES[line.fate][1],
            }
            for line in lines[:LINES_SHOWN]
        ],
        more=max(0, len(lines) - LINES_SHOWN),
        counts=[
            {"label": title, "kind": tone, "value": sum(line.fate is fate for line in lines)}
            for fate, (tone, title) in FATES.items()
        ],
    )


@pages.post("/recording", dependencies=USE)
def switch_recording(page: ViewingsPage, number: Number, form: PostedForm) -> Response:
    on = form.get("on") == "yes"
    page.viewings.set_recording(page.actor, page.who, number, on)
    text = message("Missing addresses are recorded.") if on else message("Recording stopped.")
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/clear", dependencies=USE)
def clear(page: ViewingsPage, number: Number) -> Response:
    count = page.viewings.clear(page.actor, page.who, number)
    return page.done(f"{ADDRESS}/{number}", message("Addresses removed: %(count)s.", count=count))


# As files ---------------------------------------------------------------------------------------------


@pages.get("/missing.txt", dependencies=USE)
def as_text(page: ViewingsPage, number: Number) -> Response:
    """One address a line: seeds as planning takes them."""
    found, _ = page.viewings.missing(page.who, number, page.sought)
    text = "".join(f"{one.url}\n" for one in found)
    return attached(text, f"viewing-{number}-missing.txt", "text/plain")


@pages.get("/missing.csv", dependencies=USE)
def as_csv(page: ViewingsPage, number: Number) -> Response:
    found, _ = page.viewings.missing(page.who, number, page.sought)
    return attached(csv_of(found), f"viewing-{number}-missing.csv", "text/csv")


def csv_of(found: Iterable[Missing]) -> str:
    rows: list[Sequence[object]] = [
        ("url", "domain", "kind", "times", "first", "last", "referrer", "harvest", "handed", "handed_by")
    ]
    for one in found:
        moments = [at.isoformat(timespec="seconds") for at in (one.first_at, one.last_at)]
        handed = one.handed_at.isoformat(timespec="seconds") if one.handed_at else ""
        rest = (one.referrer, one.harvest or "", handed, one.handed_by)
        rows.append((one.url, one.domain, one.kind.value, one.times, *moments, *rest))
    return csv_lines(rows)


def attached(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)
