"""The domains of a harvest: pasted, chosen, removed."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.harvests.labels import shown_harvest
from armarium.planning.harvests.members import Added
from armarium.planning.harvests.services import EDIT, VIEW, DomainsOfHarvests, HarvestsService
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/harvests/{number}/domains")


@pages.get("", dependencies=VIEW)
def domains_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
    q: str = "",
    place: PageNumber = 1,
) -> Response:
    return _show(request, number, visitor, page, harvests, domains, filled(), q=q, place=place)


@pages.post("", dependencies=EDIT)
def add_domains(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
) -> Response:
    """The answer is the page itself: it names what could not be added, and offers to create it."""
    try:
        added = domains.add(
            visitor.actor,
            number,
            form.get("names"),
            configuration=form.get("configuration"),
            create=form.ticked("create"),
        )
    except Refused as refusal:
        refused = form.refuse(refusal)
        return _show(request, number, visitor, page, harvests, domains, refused, status=422)
    if not (added.unknown or added.without or added.refused):
        text = message("Added: %(added)s. Already there: %(known)s.", added=added.added, known=added.known)
        return done(request, f"/planning/harvests/{number}/domains", text)
    kept = filled(configuration=form.get("configuration"), names=_left(added))
    return _show(request, number, visitor, page, harvests, domains, kept, added=added)


@pages.post("/remove", dependencies=EDIT)
def remove_domains(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, harvests: HarvestsService
) -> Response:
    """One, or all of them."""
    one = None if form.ticked("all") else [_number(form, "configuration")]
    removed = harvests.remove_configurations(visitor.actor, number, one)
    href = f"/planning/harvests/{number}/domains"
    return done(request, href, message("Removed: %(count)s.", count=removed))


@pages.post("/choose", dependencies=EDIT)
def choose_configuration(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
) -> Response:
    harvests.get(number)  # one that is not there has no page to go back to
    href = f"/planning/harvests/{number}/domains"
    try:
        domains.choose(visitor.actor, number, _number(form, "before"), _number(form, "after"))
    except Refused as refusal:
        return done(request, href, refusal.message, kind="bad")
    return done(request, href, message("The configuration is chosen."))


def _left(added: Added) -> str:
    """What stays in the box: the lines that somebody has to look at again."""
    return "\n".join([*added.unknown, *added.without, *(text for text, _ in added.refused)])


def _number(form: Form, name: str) -> int:
    number = number_in(form.get(name))
    if number is None:
        raise Refused(message("The form does not say which configuration."))
    return number


def _show(
    request: Request,
    number: int,
    visitor: Visitor,
    page: PageShell,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
    form: Form,
    *,
    q: str = "",
    place: int = 1,
    added: Added | None = None,
    status: int = 200,
) -> Response:
    harvest = harvests.get(number)
    found, total = domains.page(number, q.strip(), limit=PAGE_SIZE, offset=offset_of(place))
    context: dict[str, Any] = {
        "harvest": shown_harvest(harvest),
        "filter": {"q": q},
        "members": found,
        "total": total,
        "page": Paging(request, place, total),
        "form": form,
        "added": added,
        "may_change": visitor.may(Permission.PLANNING_EDIT) and harvest.kind is HarvestKind.SELECTIVE,
        "may_remove": visitor.may(Permission.PLANNING_EDIT) and harvest.kind is not HarvestKind.BROAD,
    }
    return page.page(request, "planning/harvests_domains.html", status=status, **context)
