"""The API of domains and aliases: what the pages do, for programs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.domains.model import (
    Alias,
    AliasFilter,
    Configuration,
    Domain,
    DomainFilter,
    NewConfiguration,
    SeedList,
    TldCount,
)
from armarium.planning.domains.service import DomainFacts, Domains
from armarium.planning.fields.rules import Field as ExtendedField
from armarium.planning.fields.rules import typed_values
from armarium.planning.parsing import LONGEST_COMMENT
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Amount, At, Id, Listing, Next, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(tags=["domains"])
DomainsService = Annotated[Domains, Depends(service(Domains))]
VIEW, EDIT = operation(Permission.PLANNING_VIEW), operation(Permission.PLANNING_EDIT)


class Shown(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DomainListed(Shown):
    id: int
    name: str
    active: bool
    alias_of: int | None
    traps: int
    comments: str
    broad: bool = Field(description="Broad harvests take it.")
    harvested: bool = Field(description="A job had something of it.")
    captured_at: datetime | None = Field(description="When a job last had something of it.")


class DomainsFound(BaseModel):
    items: list[DomainListed]
    total: int
    more: bool = Field(description="There are more than `total`; they were not counted.")
    next: Next = None


DOMAIN = schemas.shown(
    Domain,
    "DomainShown",
    without=(),
    broad=Annotated[bool, Field(description="Broad harvests take it.")],
    captured_at=Annotated[datetime | None, Field(description="When a job last had something of it.")],
)


class DomainGiven(Given):
    name: str = Field(max_length=2000)
    seeds: str = ""
    origin: str = Field("", max_length=200)
    comments: str = Field("", max_length=LONGEST_COMMENT)


class DomainPart(Given):
    """PATCH: only what shall change."""

    active: bool | None = None
    broad: bool | None = None
    comments: str | None = None
    traps: list[str] | None = None
    fields: dict[str, str | bool | float] | None = Field(None, description="By the number of the field.")
    edition: int | None = Field(None, description="Refuse if the domain was changed since this edition.")


@dataclass(frozen=True)
class Typed:
    """Values of custom fields as a form would send them."""

    values: dict[str, object]

    def get(self, name: str) -> str:
        return str(self.values.get(name) or "")


class SeedListGiven(Given):
    name: str
    seeds: str
    comments: str = ""
    edition: int | None = None


class ConfigurationGiven(Given):
    name: str
    profile: Id
    seed_lists: list[Id]
    max_objects: Amount | None = None
    max_bytes: Amount | None = None
    overrides: dict[str, Any] = {}
    comments: str = ""
    active: bool = True
    edition: int | None = None

    def settled(self) -> NewConfiguration:
        said = self.model_dump(exclude={"edition"})
        return NewConfiguration(**{**said, "seed_lists": tuple(self.seed_lists)})


SEED_LIST = schemas.shown(SeedList, "SeedListShown", without=("domain",))
CONFIGURATION = schemas.shown(Configuration, "ConfigurationShown", without=("domain",))
TLD = schemas.shown(TldCount, "TldShown")


class AliasGiven(Given):
    of: str = Field(description="The domain that this one is an alias of; empty: it is none any more.")


ALIAS = schemas.shown(
    Alias, "AliasShown", until=Annotated[datetime, Field(description="When it expires, or expired.")]
)


class DefaultGiven(Given):
    configuration: Id


@api.get(
    "/aliases",
    summary="List aliases, the next to expire first",
    response_model=schemas.listing(ALIAS),
    **VIEW,
)
def list_aliases(domains: DomainsService, live: bool = True, *, at: At) -> Listing[Alias]:
    found, total = domains.aliases.page(live=live, limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.put(
    "/domains/{number}/alias",
    summary="Make a domain an alias, or end the alias",
    response_model=DOMAIN,
    **EDIT,
)
def set_alias(number: Number, given: AliasGiven, visitor: Visitor, domains: DomainsService) -> Domain:
    if given.of:
        return domains.aliases.set(visitor.actor, number, given.of)
    return domains.aliases.remove(visitor.actor, number)


@api.post(
    "/domains/{number}/alias/renew",
    summary="Confirm that an alias is still valid",
    response_model=DOMAIN,
    **EDIT,
)
def renew_alias(number: Number, visitor: Visitor, domains: DomainsService) -> Domain:
    return domains.aliases.renew(visitor.actor, number)


@api.put(
    "/domains/{number}/default-configuration",
    summary="Choose the configuration that broad harvests take",
    response_model=DOMAIN,
    **EDIT,
)
def make_default(number: Number, given: DefaultGiven, visitor: Visitor, domains: DomainsService) -> Domain:
    domains.configurations.make_default(visitor.actor, number, given.configuration)
    return domains.get(number)


@api.get("/domains", summary="Search domains", **VIEW)
def search_domains(
    domains: DomainsService,
    name: str = "",
    tld: str = "",
    active: bool | None = None,
    alias: AliasFilter | None = None,
    traps: bool | None = None,
    never_harvested: bool = False,
    comment: str = "",
    broad: bool | None = None,
    *,
    at: At,
) -> DomainsFound:
    wanted = DomainFilter(name, tld, active, alias, traps, never_harvested, comment, broad)
    found, total = domains.search(wanted, limit=at.limit, offset=at.place)
    items = [DomainListed.model_validate(one) for one in found]
    return DomainsFound(items=items, total=total.number, more=total.more, next=at.next())


@api.post("/domains", summary="Create a domain", status_code=201, response_model=DOMAIN, **EDIT)
def create_domain(given: DomainGiven, visitor: Visitor, domains: DomainsService) -> Domain:
    return domains.create(visitor.actor, **given.model_dump())


@api.get(
    "/domains/statistics",
    summary="Count domains by top-level domain",
    response_model=schemas.several(TLD),
    **VIEW,
)
def count_domains(domains: DomainsService) -> list[TldCount]:
    return domains.statistics()


@api.get("/domains/{number}", summary="Read a domain", response_model=DOMAIN, **VIEW)
def read_domain(number: Number, domains: DomainsService) -> Domain:
    return domains.get(number)


@api.patch("/domains/{number}", summary="Change a domain", response_model=DOMAIN, **EDIT)
def change_domain(number: Number, given: DomainPart, visitor: Visitor, domains: DomainsService) -> Domain:
    before = domains.get(number)
    facts = DomainFacts(
        active=before.active if given.active is None else given.active,
        comments=before.comments if given.comments is None else given.comments,
        traps=before.traps if given.traps is None else given.traps,
        fields=None if given.fields is None else typed(domains.fields(), before, given.fields),
        broad=given.broad,
    )
    seen = before.edition if given.edition is None else given.edition
    return domains.change(visitor.actor, number, facts, seen=seen)


def typed(definitions: list[ExtendedField], before: Domain, given: dict[str, Any]) -> Typed:
    values = typed_values(definitions, before.fields)
    for number, value in given.items():
        values[f"field-{number}"] = (
            {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        )
    return Typed(values)


@api.get(
    "/domains/{number}/seed-lists",
    summary="List the seed lists of a domain",
    response_model=schemas.several(SEED_LIST),
    **VIEW,
)
def list_seed_lists(number: Number, domains: DomainsService) -> list[SeedList]:
    return domains.configurations.seed_lists(domains.get(number).id)


@api.post(
    "/domains/{number}/seed-lists",
    summary="Add a seed list to a domain",
    response_model=SEED_LIST,
    status_code=201,
    **EDIT,
)
def add_seed_list(
    number: Number, given: SeedListGiven, visitor: Visitor, domains: DomainsService
) -> SeedList:
    return domains.configurations.add_seed_list(
        visitor.actor, number, given.name, given.seeds, comments=given.comments
    )


@api.put(
    "/domains/{number}/seed-lists/{which}", summary="Replace a seed list", response_model=SEED_LIST, **EDIT
)
def change_seed_list(
    number: Number, which: Number, given: SeedListGiven, visitor: Visitor, domains: DomainsService
) -> SeedList:
    said = given.model_dump(exclude={"edition"})
    return domains.configurations.change_seed_list(visitor.actor, number, which, **said, seen=given.edition)


@api.get(
    "/domains/{number}/configurations",
    summary="List the configurations of a domain",
    response_model=schemas.several(CONFIGURATION),
    **VIEW,
)
def list_configurations(number: Number, domains: DomainsService) -> list[Configuration]:
    return domains.configurations.of(domains.get(number).id)


@api.post(
    "/domains/{number}/configurations",
    summary="Add a configuration to a domain",
    response_model=CONFIGURATION,
    status_code=201,
    **EDIT,
)
def add_configuration(
    number: Number, given: ConfigurationGiven, visitor: Visitor, domains: DomainsService
) -> Configuration:
    return domains.configurations.add(visitor.actor, number, given.settled())


@api.put(
    "/domains/{number}/configurations/{which}",
    summary="Replace a configuration",
    response_model=CONFIGURATION,
    **EDIT,
)
def change_configuration(
    number: Number, which: Number, given: ConfigurationGiven, visitor: Visitor, domains: DomainsService
) -> Configuration:
    return domains.configurations.change(visitor.actor, number, which, given.settled(), seen=given.edition)
