"""The API of aliases and of default configurations."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from armarium.planning.domains.api import EDIT, VIEW, DomainShown, DomainsService, Given, Shown, shown
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number

api = APIRouter(tags=["domains"])


class AliasGiven(Given):
    of: str = Field(description="The domain that this one is an alias of; empty: it is none any more.")


class AliasShown(Shown):
    id: int
    name: str
    of_id: int
    of_name: str
    since: datetime
    until: datetime = Field(description="When it expires, or expired.")


class DefaultGiven(Given):
    configuration: Id


@api.get("/aliases", summary="List aliases, the next to expire first", **operation(VIEW))
def list_aliases(domains: DomainsService, live: bool = True, *, at: At) -> Listing[AliasShown]:
    found, total = domains.aliases.page(live=live, limit=at.limit, offset=at.place)
    return at.listing([AliasShown.model_validate(one) for one in found], total)


@api.put("/domains/{number}/alias", summary="Make a domain an alias, or end that", **operation(EDIT))
def set_alias(number: Number, given: AliasGiven, visitor: Visitor, domains: DomainsService) -> DomainShown:
    if given.of:
        return shown(domains.aliases.set(visitor.actor, number, given.of))
    return shown(domains.aliases.remove(visitor.actor, number))


@api.post("/domains/{number}/alias/renew", summary="Confirm that an alias still is one", **operation(EDIT))
def renew_alias(number: Number, visitor: Visitor, domains: DomainsService) -> DomainShown:
    return shown(domains.aliases.renew(visitor.actor, number))


@api.put(
    "/domains/{number}/default-configuration",
    summary="Choose the configuration that broad harvests take",
    **operation(EDIT),
)
def make_default(
    number: Number, given: DefaultGiven, visitor: Visitor, domains: DomainsService
) -> DomainShown:
    domains.configurations.make_default(visitor.actor, number, given.configuration)
    return shown(domains.get(number))
