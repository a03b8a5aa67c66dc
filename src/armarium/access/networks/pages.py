"""The API of networks, and their pages."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.access.networks.model import Network, NewNetwork
from armarium.access.networks.service import Networks
from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.form_values import form_of
from armarium.web.forms import Form
from armarium.web.guard import Visitor, client_address
from armarium.web.history import history_of
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/access/networks"
pages = Router(prefix=ADDRESS)
api = Router(prefix=ADDRESS, tags=["access"])
VIEW, CHANGE = Permission.ACCESS_VIEW, Permission.ACCESS_RULES

NetworksService = Annotated[Networks, Depends(service(Networks))]

Given = Annotated[NewNetwork, schemas.given(NewNetwork, "NetworkGiven", required=("name", "ranges"))]
SHOWN = schemas.shown(Network, "NetworkShown", first=(), without=())


@api.get("", summary="List networks", response_model=schemas.listing(SHOWN), **operation(VIEW))
def list_networks(networks: NetworksService) -> Listing[Network]:
    found = networks.all()
    return Listing(items=found, total=len(found))


@api.post("", status_code=201, summary="Name a network", response_model=SHOWN, **operation(CHANGE))
def add_network(visitor: Visitor, given: Given, networks: NetworksService) -> Network:
    return networks.add(visitor.actor, given)


@api.get("/{number}", summary="Read a network", response_model=SHOWN, **operation(VIEW))
def read_network(number: Number, networks: NetworksService) -> Network:
    return networks.get(number)


@api.put("/{number}", summary="Replace a network", response_model=SHOWN, **operation(CHANGE))
def replace_network(number: Number, visitor: Visitor, given: Given, networks: NetworksService) -> Network:
    return networks.change(visitor.actor, number, given)


@api.delete(
    "/{number}", status_code=204, summary="Remove a network of which no rule speaks", **operation(CHANGE)
)
def remove_network(number: Number, visitor: Visitor, networks: NetworksService) -> None:
    networks.remove(visitor.actor, number)


@pages.get("", dependencies=guarded(VIEW))
def networks_page(page: Page, networks: NetworksService) -> Response:
    here = client_address(page.request)
    return page.show(
        "access/policy_networks.html",
        networks=networks.all(),
        here_address=here,
        inside=networks.of(here),
        may_change=page.may(CHANGE),
    )


def show(page: PageRequest, networks: Networks, network: Network | None, form: Form) -> Response:
    kind = networks.kind.name
    editing = network is None or bool(form.errors) or "edit" in page.request.query_params
    return page.show(
        "access/policy_network.html",
        form,
        network=network,
        rules=networks.rules_of(network.id) if network else [],
        history=history_of(page.request, page.shell, kind, network.id, words={}) if network else [],
        may_change=page.may(CHANGE),
        editing=editing and page.may(CHANGE),
        address=f"{ADDRESS}/{network.id if network else 'new'}",
    )


def save(page: PageRequest, networks: Networks, known: Network | None, form: Form) -> Response:
    ranges = form.get("ranges").replace(",", "\n").replace(";", "\n").splitlines()
    new = NewNetwork(form.get("name"), tuple(ranges), form.get("note"))
    if known is None:
        made = networks.add(page.actor, new)
        return page.done(ADDRESS, message("Network %(name)s created.", name=made.name))
    networks.change(page.actor, known.id, new, seen=form.get("seen"))
    text = message("Network %(name)s saved.", name=new.name)
    return page.done(f"{ADDRESS}/{known.id}", text)


form_pages(pages, Networks, view=VIEW, change=CHANGE, form_of=form_of, show=show, save=save)


@pages.post("/{number}/remove", dependencies=guarded(CHANGE))
def drop_network(number: Number, page: Page, networks: NetworksService) -> Response:
    known = networks.get(number)
    try:
        networks.remove(page.actor, number)
    except Refused as refusal:
        return show(page, networks, known, form_of(known).refuse(refusal))
    return page.done(ADDRESS, message("Network %(name)s removed.", name=known.name))
