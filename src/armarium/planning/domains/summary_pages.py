"""One domain: how its harvests went and which come next; its configurations; its settings behind Edit."""

from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import ngettext, number
from armarium.planning.audit_history import history_of
from armarium.planning.domains.model import Domain, SeedList
from armarium.planning.domains.pages import ADDRESS, EDIT, VIEW, DomainsService
from armarium.planning.domains.results import Result, plots_of
from armarium.planning.domains.rules import seeds_in
from armarium.planning.domains.service import DomainFacts, Domains
from armarium.planning.fields.rules import Field, typed_values
from armarium.planning.labels import reason_title
from armarium.planning.model import JobState, StopReason
from armarium.web.forms import Form, Sparse
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix=f"{ADDRESS}/{{number}}")

DRAWN = 30  # harvests
SHOWN = 5


@pages.get("", dependencies=VIEW)
def domain_page(page: Page, number: Number, domains: DomainsService) -> Response:
    domain = domains.get(number)
    rows, total = domains.results(number, DRAWN)
    fields = domains.fields()
    return page.show(
        "planning/domains_show.html",
        **about(page, domains, domain),
        last=rows[0] if rows else None,
        reason=reason_title(rows[0].stop_reason) if rows else None,
        rows=[(row, reason_title(row.stop_reason)) for row in rows[:SHOWN]],
        total=total,
        plots=plots_of(rows[::-1], whole=total.results <= DRAWN) if rows else [],
        next=domains.next_harvests(number),
        attention=attention(domains, domain, rows),
        fields=fields,
        records=[one.comments for one in domains.configurations.seed_lists(number) if of_selection(one)],
    )


def of_selection(one: SeedList) -> bool:
    """Whether the transfer made the list: its comment then leads to the record."""
    return one.comments.startswith("/selection/records/")


def about(page: PageRequest, domains: Domains, domain: Domain) -> dict[str, Any]:
    """What all tabs of a domain show above their own."""
    until, now = domains.aliases.until(domain), clock.now()
    configurations = domains.configurations.of(domain.id)
    default = next((one for one in configurations if one.id == domain.default_configuration), None)
    return {
        "domain": domain,
        "default": default,
        "configurations": configurations,
        "alias_of": domains.get(domain.alias_of) if domain.alias_of else None,
        "alias_until": until,
        "alias_live": until is not None and until > now,
        "may_change": page.may(Permission.PLANNING_EDIT),
    }


def attention(domains: Domains, domain: Domain, rows: list[Result]) -> list[dict[str, Any]]:
    """What needs a person."""
    found: list[dict[str, Any]] = []
    if not domain.active:
        found.append({"text": message("It is inactive: no job takes it.")})
    if rows and rows[0].state == JobState.FAILED:
        href = f"/harvesting/jobs/{rows[0].job}"
        text = message("Its last job failed.")
        found.append({"text": text, "tone": "bad", "href": href, "label": message("Open the job")})
    if faults := domains.last_seeds(domain.id):
        some = ngettext("%(num)s seed had problems.", "%(num)s seeds had problems.", len(faults))
        href = f"{ADDRESS}/{domain.id}/configurations#seed-lists"
        label = message("Look at the seeds")
        found.append({"text": some % {"num": number(len(faults))}, "href": href, "label": label})
    if rows and rows[0].stop_reason not in (None, "", StopReason.COMPLETE):
        text = message(
            "Its last harvest is incomplete: %(reason)s.", reason=reason_title(rows[0].stop_reason)
        )
        href = f"{ADDRESS}/{domain.id}/configurations"
        found.append({"text": text, "href": href, "label": message("Look at its limits")})
    return found


@pages.get("/changes", dependencies=VIEW)
def changes_page(page: Page, number: Number, domains: DomainsService) -> Response:
    domain = domains.get(number)
    names = names_of(domains.fields(), domains.configurations.seed_lists(number))
    history = history_of(page.request, page.shell, "domain", number, names)
    return page.show("planning/domains_changes.html", **about(page, domains, domain), history=history)


def names_of(fields: list[Field], lists: list[SeedList]) -> dict[str, dict[str, str]]:
    """What entries of the history number."""
    return {
        "fields": {str(one.id): one.name for one in fields},
        "seed_lists": {str(one.id): one.name for one in lists},
    }


# Configurations, seed lists, credentials, alias -----------------------------------------------------


@pages.get("/configurations", dependencies=VIEW)
def configurations_page(page: Page, number: Number, domains: DomainsService) -> Response:
    return show_configurations(page, domains, domains.get(number))


def show_configurations(
    page: PageRequest, domains: Domains, domain: Domain, alias_form: Form | None = None
) -> Response:
    lists = domains.configurations.seed_lists(domain.id)
    return page.show(
        "planning/domains_configurations.html",
        **about(page, domains, domain),
        alias_form=alias_form or Form(id="alias"),
        aliases=domains.aliases.of(domain.id),
        now=clock.now(),
        seed_lists=[{"list": one, "count": len(seeds_in(one.seeds))} for one in lists],
        list_names={one.id: one.name for one in lists},
        credentials=domains.credentials.of(domain.id),
    )


@pages.post("/alias", dependencies=EDIT)
def set_alias(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    form.id = "alias"
    try:
        domains.aliases.set(page.actor, number, form.get("alias_of"))
    except Refused as refusal:
        refused = form.refuse(Refused(refusal.message, field="alias_of"))
        return show_configurations(page, domains, domains.get(number), refused)
    return page.done(f"{ADDRESS}/{number}/configurations", message("The alias is set."))


@pages.post("/alias/{verb}", dependencies=EDIT)
def change_alias(page: Page, number: Number, verb: str, domains: DomainsService) -> Response:
    address = f"{ADDRESS}/{number}/configurations"
    if verb == "renew":
        domains.aliases.renew(page.actor, number)
        return page.done(address, message("The alias is renewed."))
    if verb == "remove":
        domains.aliases.remove(page.actor, number)
        return page.done(address, message("The domain is no longer an alias."))
    raise Refused(message("An alias can be renewed or removed."))


# Its settings ---------------------------------------------------------------------------------------


@pages.get("/edit", dependencies=EDIT)
def edit_domain_page(page: Page, number: Number, domains: DomainsService) -> Response:
    domain = domains.get(number)
    return show_edit(page, domains, domain, form_of(domain, typed_values(domains.fields(), domain.fields)))


@pages.post("/edit", dependencies=EDIT)
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
        return show_edit(page, domains, domains.get(number), form.refuse(refusal))
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


def show_edit(page: PageRequest, domains: Domains, domain: Domain, form: Form) -> Response:
    return page.show("planning/domains_edit.html", form, domain=domain, fields=domains.fields())
