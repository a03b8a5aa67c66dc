"""The pages of domains: the list, a new one, aliases, and imports of lists."""

from itertools import islice
from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.planning.domains.model import MOST_COUNTED, AliasFilter, DomainFilter, DomainRow, Import, Total
from armarium.planning.domains.service import Domains
from armarium.web.forms import Form, filled
from armarium.web.lists import Column, Columns, csv_answer
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
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
COLUMNS = Columns(
    "domains",
    (
        Column("broad", message("Broad harvests"), usual=False),
        Column("alias", message("Alias of")),
        Column("max_objects", message("Object limit")),
        Column("max_bytes", message("Size limit")),
        Column("traps", message("Crawler traps")),
        Column("comments", message("Comments"), usual=False),
        Column("harvested", message("Last harvested")),
    ),
)
EXPORTED = (
    *(message("Name"), message("Active"), message("Broad harvests"), message("Alias of")),
    *(message("Object limit"), message("Size limit"), message("Crawler traps")),
    *(message("Last harvested"), message("Comments")),
)
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
    export: str = "",
    number: PageNumber = 1,
) -> Response:
    asked = page.request.query_params
    form = filled(**dict(asked))
    try:
        if export == "csv":
            lines = islice(domains.every(wanted), MOST_COUNTED)
            return csv_answer("domains", EXPORTED, map(line_of, lines))
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
        columns=COLUMNS,
        shown=COLUMNS.shown(page.request),
        page=page.paging(number, total.number),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


def line_of(one: DomainRow) -> tuple[object, ...]:
    answers = [say(message("yes")) if yes else say(message("no")) for yes in (one.active, one.broad)]
    limits = (one.max_objects, one.max_bytes)
    return (one.name, *answers, one.alias_name, *limits, one.traps, one.captured_at, one.comments)


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
    text = message("The domain %(name)s is created, with its seeds and a configuration.", name=made.name)
    return page.done(f"{ADDRESS}/{made.id}", text)


# Aliases --------------------------------------------------------------------------------------------

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
        "Domains created: %(created)s; already known: %(known)s; repeated lines: %(repeated)s; rejected "
        "lines: %(refused)s.",
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
