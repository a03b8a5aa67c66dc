"""The API of networks."""

from typing import Annotated

from fastapi import Depends

from armarium.access.networks.model import Network, NewNetwork
from armarium.access.networks.service import Networks
from armarium.accounts.model import Permission
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/access/networks", tags=["access"])

NetworksService = Annotated[Networks, Depends(service(Networks))]
VIEW, RULES = operation(Permission.ACCESS_VIEW), operation(Permission.ACCESS_RULES)

Given = Annotated[NewNetwork, schemas.given(NewNetwork, "NetworkGiven", required=("name", "ranges"))]
SHOWN = schemas.shown(Network, "NetworkShown", first=(), without=())


@api.get("", summary="List networks", response_model=schemas.listing(SHOWN), **VIEW)
def list_networks(networks: NetworksService) -> Listing[Network]:
    found = networks.all()
    return Listing(items=found, total=len(found))


@api.post("", status_code=201, summary="Name a network", response_model=SHOWN, **RULES)
def add_network(visitor: Visitor, given: Given, networks: NetworksService) -> Network:
    return networks.add(visitor.actor, given)


@api.get("/{number}", summary="Read a network", response_model=SHOWN, **VIEW)
def read_network(number: Number, networks: NetworksService) -> Network:
    return networks.get(number)


@api.put("/{number}", summary="Replace a network", response_model=SHOWN, **RULES)
def replace_network(number: Number, visitor: Visitor, given: Given, networks: NetworksService) -> Network:
    return networks.change(visitor.actor, number, given)


@api.delete("/{number}", status_code=204, summary="Remove a network of which no rule speaks", **RULES)
def remove_network(number: Number, visitor: Visitor, networks: NetworksService) -> None:
    networks.remove(visitor.actor, number)
