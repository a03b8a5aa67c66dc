"""The pages of domains: the list, a new one, one domain, aliases, and imports of lists."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.planning.audit_history import history_of
from armarium.planning.domains.model import AliasFilter, Domain, DomainFilter, Import, SeedList, Total
from armarium.planning.domains.rules import seeds_in
from armarium.planning.domains.service import DomainFacts, Domains
from armarium.planning.fields.rules import Field, typed_values
from armarium.web.forms import Form, Sparse, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/domains"
pages = Router()
domain_pages = Router(prefix=ADDRESS)

VIEW, EDIT = guarded(Permission.PLANNING_VIEW), guarded(Permission.PLANNING_EDIT)
DomainsService = Annotated[Domains, Depends(service(Domains))]

ACTIVE = {"yes": True, "no": False}
OPTIONS = {
    "active_options": (("yes", message("Active")), ("no", message("Inactive"))),
    "alias_options": (
        (AliasFilter.NONE.value, message("No alias")),
        (AliasFilter.LIVE.value, message("Live alias")),
        (AliasFilter.EXPIRED.value, message("Expired alias")),
    ),
    "broad_options": (("yes", message("Taken")), ("no", message("Left out"))),
    "traps_options": (("yes", message("With traps")), ("no", message("Without traps"))),
}
FILTERS = ("q", "tld", "active", "alias", "traps", "never", "comment", "broad")


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
    page: Page,
    domains: DomainsService,
    wanted: Annotated[DomainFilter, Depends(wanted_of)],
    number: PageNumber = 1,
) -> Response:
    asked = page.request.query_params
    form = filled(**dict(asked))
    try:
        found, total = domains.search(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    except Refused as refusal:
        found, total, form = [], Total(0), form.refuse(refusal)
    return page.show(
        "planning/domains_list.html",
        form,
        filtered=any(asked.get(name) for name in FILTERS),
        **OPTIONS,
        domains=found,
        oldest=domains.aliases.oldest(clock.now()),
        total=total,
        page=page.paging(number, total.number),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


@domain_pages.get("/statistics", dependencies=VIEW)
def statistics_page(page: Page, domains: DomainsService) -> Response:
    found = domains.statistics()
    total = sum(one.domains for one in found)
    return page.show("planning/domains_statistics.html", tlds=found, total=total)


@domain_pages.get("/new", dependencies=EDIT)
def new_domain_page(page: Page, name: str = "") -> Response:
    return page.show("planning/domains_new.html", filled(name=name))


@domain_pages.post("/new", dependencies=EDIT)
def create_domain(page: Page, form: PostedForm, domains: DomainsService) -> Response:
    name, seeds, comments = form.get("name"), form.get("seeds"), form.get("comments")
    try:
        made = domains.create(page.actor, name, seeds=seeds, comments=comments)
    except Refused as refusal:
        return page.show("planning/domains_new.html", form.refuse(refusal))
    text = message("The domain %(name)s is made, with its seeds and a configuration.", name=made.name)
    return page.done(f"{ADDRESS}/{made.id}", text)


@domain_pages.get("/{number}", dependencies=VIEW)
def domain_page(page: Page, number: Number, domains: DomainsService) -> Response:
    return show_domain(page, domains, domains.get(number))


@domain_pages.post("/{number}", dependencies=EDIT)
def change_domain(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    facts = DomainFacts(
        form.ticked("active"),
        form.get("comments"),
        form.get("traps").splitlines(),
        fields=form,
        broad=form.ticked("broad"),
    )
    try:
        saved = domains.change(page.actor, number, facts, seen=number_in(form.get("seen")))
    except Refused as refusal:
        return show_domain(page, domains, domains.get(number), form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("The domain %(name)s is saved.", name=saved.name))


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
    page: PageRequest,
    domains: Domains,
    domain: Domain,
    form: Form | None = None,
    alias_form: Form | None = None,
) -> Response:
    fields, lists = domains.fields(), domains.configurations.seed_lists(domain.id)
    now, until = clock.now(), domains.aliases.until(domain)
    names = names_of(fields, lists)
    return page.show(
        "planning/domains_show.html",
        form or form_of(domain, typed_values(fields, domain.fields)),
        domain=domain,
        alias_form=alias_form or Form(id="alias"),
        fields=fields,
        alias_of=domains.get(domain.alias_of) if domain.alias_of else None,
        alias_until=until,
        alias_live=until is not None and until > now,
        aliases=domains.aliases.of(domain.id),
        now=now,
        seed_lists=[{"list": one, "count": len(seeds_in(one.seeds))} for one in lists],
        list_names={one.id: one.name for one in lists},
        configurations=domains.configurations.of(domain.id),
        credentials=domains.credentials.of(domain.id),
        history=history_of(page.request, page.shell, "domain", domain.id, names),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


# Aliases --------------------------------------------------------------------------------------------


@domain_pages.post("/{number}/alias", dependencies=EDIT)
def set_alias(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    form.id = "alias"
    try:
        domains.aliases.set(page.actor, number, form.get("alias_of"))
    except Refused as refusal:
        refused = form.refuse(Refused(refusal.message, field="alias_of"))
        return show_domain(page, domains, domains.get(number), alias_form=refused)
    return page.done(f"{ADDRESS}/{number}", message("The alias is set."))


@domain_pages.post("/{number}/alias/{verb}", dependencies=EDIT)
def change_alias(page: Page, number: Number, verb: str, domains: DomainsService) -> Response:
    if verb == "renew":
        domains.aliases.renew(page.actor, number)
        return page.done(f"{ADDRESS}/{number}", message("The alias is renewed."))
    if verb == "remove":
        domains.aliases.remove(page.actor, number)
        return page.done(f"{ADDRESS}/{number}", message("The domain is no alias any more."))
    raise Refused(message("An alias can be renewed or removed."))


alias_pages = Router(prefix="/planning/aliases")


@alias_pages.get("", dependencies=VIEW)
def aliases_page(
    page: Page, domains: DomainsService, state: str = "expired", number: PageNumber = 1
) -> Response:
    live = state == "live"
    found, total = domains.aliases.page(live=live, limit=PAGE_SIZE, offset=offset_of(number))
    _, others = domains.aliases.page(live=not live, limit=1)
    return page.show(
        "planning/domains_aliases.html",
        aliases=found,
        live=live,
        counts={"live": total if live else others, "expired": others if live else total},
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


@alias_pages.post("/{number}/renew", dependencies=EDIT)
def renew_alias(page: Page, number: Number, domains: DomainsService) -> Response:
    renewed = domains.aliases.renew(page.actor, number)
    return page.done("/planning/aliases", message("The alias %(name)s is renewed.", name=renewed.name))


IMPORTS = "/planning/imports"
import_pages = Router(prefix=IMPORTS)


@import_pages.get("", dependencies=VIEW)
def imports_page(page: Page, domains: DomainsService, number: PageNumber = 1) -> Response:
    return show_imports(page, domains, number, filled())


@import_pages.post("", dependencies=EDIT)
def import_domains(page: Page, form: PostedForm, domains: DomainsService) -> Response:
    try:
        refuse_nothing(form)
        name = form.get("name").strip()[:200] or say(message("Pasted list"))
        taken = domains.imports.run(page.actor, name, form.get("lines").splitlines())
    except Refused as refusal:
        return show_imports(page, domains, 1, form.refuse(refusal))
    text = message(
        "Domains made: %(created)s; known before: %(known)s; repeated lines: %(repeated)s; lines refused: "
        "%(refused)s.",
        created=taken.created,
        known=taken.known,
        repeated=taken.repeated,
        refused=taken.refused,
    )
    return page.done(f"{IMPORTS}/{taken.id}", text, "warning" if taken.refused else "good")


def refuse_nothing(form: Form) -> None:
    if not form.get("lines").strip():
        raise Refused(message("Write at least one domain."), field="lines")


def show_imports(page: PageRequest, domains: Domains, number: int, form: Form) -> Response:
    found, total = domains.imports.page(limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "planning/domains_imports.html",
        form,
        imports=found,
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


@import_pages.get("/{number}", dependencies=VIEW)
def import_page(page: Page, number: Number, domains: DomainsService) -> Response:
    found = domains.imports.get(number)
    return page.show("planning/domains_import.html", taken=found, faults=faults_of(found))


def faults_of(found: Import) -> list[dict[str, Any]]:
    return [
        {"line": one["line"], "text": one["text"], "fault": Message(one["template"], one["values"])}
        for one in found.faults
    ]
