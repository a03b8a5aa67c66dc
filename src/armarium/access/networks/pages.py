"""The pages of networks."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.policy.model import Network
from armarium.access.rules.page_data import Desk, DeskService, history_of
from armarium.access.rules.pages import RULES, VIEW
from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, client_address
from armarium.web.paging import Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, Shell, done

ADDRESS = "/access/networks"
pages = APIRouter(prefix=ADDRESS)


@pages.get("", dependencies=VIEW)
def networks_page(request: Request, visitor: Visitor, page: PageShell, desk: DeskService) -> Response:
    here = client_address(request)
    inside = desk.networks.of(here)
    context: dict[str, Any] = {
        "networks": desk.networks.all(),
        "here_address": here,
        "inside": inside,
        "may_change": visitor.may(Permission.ACCESS_RULES),
    }
    return page.page(request, "access/policy_networks.html", **context)


@pages.get("/new", dependencies=RULES)
def new_network_page(request: Request, page: PageShell, desk: DeskService) -> Response:
    return show_network(request, page, desk, form=filled())


@pages.post("/new", dependencies=RULES)
def add_network(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    try:
        made = desk.networks.add(visitor.actor, form.get("name"), ranges_in(form), form.get("note"))
    except Refused as refusal:
        return show_network(request, page, desk, form=form.refuse(refusal), status=422)
    return done(request, ADDRESS, message("The network %(name)s is made.", name=made.name))


@pages.get("/{number}", dependencies=VIEW)
def network_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, desk: DeskService
) -> Response:
    may_change = visitor.may(Permission.ACCESS_RULES)
    return show_network(request, page, desk, desk.networks.get(number), may_change=may_change)


@pages.post("/{number}", dependencies=RULES)
def change_network(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    known = desk.networks.get(number)
    try:
        seen = number_in(form.get("seen"))
        name, note = form.get("name"), form.get("note")
        desk.networks.change(visitor.actor, number, name, ranges_in(form), note, seen=seen)
    except Refused as refusal:
        return show_network(request, page, desk, known, form=form.refuse(refusal), status=422)
    return done(request, f"{ADDRESS}/{number}", message("The network %(name)s is saved.", name=name))


@pages.post("/{number}/remove", dependencies=RULES)
def remove_network(
    request: Request, number: Number, visitor: Visitor, page: PageShell, desk: DeskService
) -> Response:
    known = desk.networks.get(number)
    try:
        desk.networks.remove(visitor.actor, number)
    except Refused as refusal:
        form = form_of(known).refuse(refusal)
        return show_network(request, page, desk, known, form=form, status=422)
    return done(request, ADDRESS, message("The network %(name)s is removed.", name=known.name))


def ranges_in(form: Form) -> list[str]:
    return form.get("ranges").replace(",", "\n").replace(";", "\n").splitlines()


def form_of(network: Network) -> Form:
    ranges = "\n".join(network.ranges)
    return filled(name=network.name, ranges=ranges, note=network.note, seen=network.edition)


def show_network(
    request: Request,
    page: Shell,
    desk: Desk,
    network: Network | None = None,
    *,
    form: Form | None = None,
    may_change: bool = True,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "network": network,
        "form": form or (form_of(network) if network else filled()),
        "rules": desk.networks.rules_of(network.id) if network else [],
        "history": history_of(request, page, "access-network", network.id, desk.names([])) if network else [],
        "may_change": may_change,
        "address": f"{ADDRESS}/{network.id}" if network else f"{ADDRESS}/new",
    }
    return page.page(request, "access/policy_network.html", status=status, **context)
