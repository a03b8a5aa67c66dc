"""The pages of domains: the list, a new one, one domain."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.domains import configuration_pages as pages_credentials
from armarium.planning.domains import import_pages
from armarium.planning.domains.model import AliasFilter, Domain, DomainFilter, SeedList, Total
from armarium.planning.domains.rules import seeds_in
from armarium.planning.domains.service import DomainFacts, Domains
from armarium.planning.fields.rules import Field, typed_values
from armarium.planning.history import history_of
from armarium.web.forms import Form, Sparse, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

pages = APIRouter()
domain_pages = APIRouter(prefix="/planning/domains")

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
EDIT = [Depends(needs(Permission.PLANNING_EDIT))]
DomainsService = Annotated[Domains, Depends(service(Domains))]

ACTIVE = {"yes": True, "no": False}
ACTIVE_OPTIONS = (("yes", message("Active")), ("no", message("Inactive")))
ALIAS_OPTIONS = (
    (AliasFilter.NONE.value, message("No alias")),
    (AliasFilter.LIVE.value, message("Live alias")),
    (AliasFilter.EXPIRED.value, message("Expired alias")),
)
BROAD_OPTIONS = (("yes", message("Taken")), ("no", message("Left out")))
TRAPS_OPTIONS = (("yes", message("With traps")), ("no", message("Without traps")))


def wanted_of(
    q: str = "",
    tld: str = "",
    active: str = "",
    alias: str = "",
    traps: str = "",
    never: str = "",
    comment: str = "",
    broad: str = "",
) -> DomainFilter:
    return DomainFilter(
        name=q.strip(),
        tld=tld,
        active=ACTIVE.get(active),
        alias=AliasFilter(alias) if alias in set(AliasFilter) else None,
        traps=ACTIVE.get(traps),
        never_harvested=bool(never),
        comment=comment,
        broad=ACTIVE.get(broad),
    )


@domain_pages.get("", dependencies=VIEW)
def domains_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    domains: DomainsService,
    wanted: Annotated[DomainFilter, Depends(wanted_of)],
    number: PageNumber = 1,
) -> Response:
    form, status = filled(**dict(request.query_params)), 200
    try:
        found, total = domains.search(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    except Refused as refusal:
        found, total, form, status = [], Total(0), form.refuse(refusal), 422
    context: dict[str, Any] = {
        "form": form,
        "filtered": any(request.query_params.get(name) for name in FILTERS),
        "active_options": ACTIVE_OPTIONS,
        "alias_options": ALIAS_OPTIONS,
        "traps_options": TRAPS_OPTIONS,
        "broad_options": BROAD_OPTIONS,
        "domains": found,
        "oldest": domains.aliases.oldest(clock.now()),
        "total": total,
        "page": Paging(request, number, total.number),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    return page.page(request, "planning/domains_list.html", status=status, **context)


FILTERS = ("q", "tld", "active", "alias", "traps", "never", "comment", "broad")


@domain_pages.get("/statistics", dependencies=VIEW)
def statistics_page(request: Request, page: PageShell, domains: DomainsService) -> Response:
    found = domains.statistics()
    total = sum(one.domains for one in found)
    return page.page(request, "planning/domains_statistics.html", tlds=found, total=total)


@domain_pages.get("/new", dependencies=EDIT)
def new_domain_page(request: Request, page: PageShell, name: str = "") -> Response:
    return page.page(request, "planning/domains_new.html", form=filled(name=name))


@domain_pages.post("/new", dependencies=EDIT)
def create_domain(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, domains: DomainsService
) -> Response:
    try:
        made = domains.create(
            visitor.actor, form.get("name"), seeds=form.get("seeds"), comments=form.get("comments")
        )
    except Refused as refusal:
        return page.page(request, "planning/domains_new.html", status=422, form=form.refuse(refusal))
    text = message("The domain %(name)s is made, with its seeds and a configuration.", name=made.name)
    return done(request, f"/planning/domains/{made.id}", text)


@domain_pages.get("/{number}", dependencies=VIEW)
def domain_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, domains: DomainsService
) -> Response:
    return show_domain(request, page, visitor, domains, domains.get(number))


@domain_pages.post("/{number}", dependencies=EDIT)
def change_domain(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    domains: DomainsService,
) -> Response:
    facts = DomainFacts(
        form.ticked("active"),
        form.get("comments"),
        form.get("traps").splitlines(),
        fields=form,
        broad=form.ticked("broad"),
    )
    try:
        saved = domains.change(visitor.actor, number, facts, seen=configuration_pages.seen(form))
    except Refused as refusal:
        before = domains.get(number)
        return show_domain(request, page, visitor, domains, before, form=form.refuse(refusal), status=422)
    text = message("The domain %(name)s is saved.", name=saved.name)
    return done(request, f"/planning/domains/{number}", text)


@domain_pages.post("/{number}/alias", dependencies=EDIT)
def set_alias(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    domains: DomainsService,
) -> Response:
    form.id = "alias"
    try:
        domains.aliases.set(visitor.actor, number, form.get("alias_of"))
    except Refused as refusal:
        found = domains.get(number)
        alias_form = form.refuse(Refused(refusal.message, field="alias_of"))
        return show_domain(request, page, visitor, domains, found, alias_form=alias_form, status=422)
    return done(request, f"/planning/domains/{number}", message("The alias is set."))


@domain_pages.post("/{number}/alias/{verb}", dependencies=EDIT)
def change_alias(
    request: Request, number: Number, verb: str, visitor: Visitor, domains: DomainsService
) -> Response:
    if verb == "renew":
        domains.aliases.renew(visitor.actor, number)
        return done(request, f"/planning/domains/{number}", message("The alias is renewed."))
    if verb == "remove":
        domains.aliases.remove(visitor.actor, number)
        return done(request, f"/planning/domains/{number}", message("The domain is no alias any more."))
    raise Refused(message("An alias can be renewed or removed."))


def form_of(domain: Domain, values: dict[str, object]) -> Form:
    said = {
        "active": "yes" if domain.active else None,
        "broad": "yes" if domain.broad else None,
        "comments": domain.comments,
        "traps": "\n".join(domain.traps),
        "seen": domain.edition,
    }
    return Form(values=Sparse({**said, **values}))


def names_of(fields: list[Field], lists: list[SeedList]) -> dict[str, dict[str, str]]:
    """What entries of the history number."""
    return {
        "fields": {str(one.id): one.name for one in fields},
        "seed_lists": {str(one.id): one.name for one in lists},
    }


def show_domain(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    domains: Domains,
    domain: Domain,
    *,
    form: Form | None = None,
    alias_form: Form | None = None,
    status: int = 200,
) -> Response:
    fields = domains.fields()
    lists = domains.configurations.seed_lists(domain.id)
    until = domains.aliases.until(domain)
    context: dict[str, Any] = {
        "domain": domain,
        "form": form or form_of(domain, typed_values(fields, domain.fields)),
        "alias_form": alias_form or Form(id="alias"),
        "fields": fields,
        "alias_of": domains.get(domain.alias_of) if domain.alias_of else None,
        "alias_until": until,
        "alias_live": until is not None and until > clock.now(),
        "aliases": domains.aliases.of(domain.id),
        "now": clock.now(),
        "seed_lists": [{"list": one, "count": len(seeds_in(one.seeds))} for one in lists],
        "list_names": {one.id: one.name for one in lists},
        "configurations": domains.configurations.of(domain.id),
        "credentials": domains.credentials.of(domain.id),
        "history": history_of(request, page, "domain", domain.id, names_of(fields, lists)),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    return page.page(request, "planning/domains_show.html", status=status, **context)


for router in (configuration_pages.pages, pages_credentials.pages, domain_pages, import_pages.pages):
    pages.include_router(router)
