"""What a harvest takes: domains that are pasted, chosen, removed, and the seeds of event harvests."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.harvests.events import EventHarvests, Pasted, SeedResult, Seeds
from armarium.planning.harvests.form import definition_of, number_of
from armarium.planning.harvests.labels import shown_harvest, shown_run
from armarium.planning.harvests.members import Added, HarvestDomains
from armarium.planning.harvests.pages import ADDRESS, EDIT, VIEW, HarvestsService, offered
from armarium.planning.harvests.service import Harvests
from armarium.planning.harvests.summary_pages import about
from armarium.planning.model import HarvestKind
from armarium.planning.parsing import size_of
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix=f"{ADDRESS}/{{number}}/domains")
DomainsOfHarvests = Annotated[HarvestDomains, Depends(service(HarvestDomains))]


@pages.get("", dependencies=VIEW)
def domains_page(
    page: Page,
    number: Number,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
    q: str = "",
    place: PageNumber = 1,
) -> Response:
    return show_domains(page, number, harvests, domains, filled(), q=q, place=place)


@pages.post("", dependencies=EDIT)
def add_domains(
    page: Page, number: Number, form: PostedForm, harvests: HarvestsService, domains: DomainsOfHarvests
) -> Response:
    """The answer is the page itself: it names what could not be added, and offers to create it."""
    wanted, create = form.get("configuration"), form.ticked("create")
    try:
        added = domains.add(page.actor, number, form.get("names"), configuration=wanted, create=create)
    except Refused as refusal:
        return show_domains(page, number, harvests, domains, form.refuse(refusal))
    if not (added.unknown or added.without or added.refused):
        text = message("Added: %(added)s. Already there: %(known)s.", added=added.added, known=added.known)
        return page.done(f"{ADDRESS}/{number}/domains", text)
    kept = filled(configuration=wanted, names=_left(added))
    return show_domains(page, number, harvests, domains, kept, added=added)


@pages.post("/remove", dependencies=EDIT)
def remove_domains(page: Page, number: Number, form: PostedForm, harvests: HarvestsService) -> Response:
    """One, or all of them."""
    one = None if form.ticked("all") else [_number(form, "configuration")]
    removed = harvests.remove_configurations(page.actor, number, one)
    return page.done(f"{ADDRESS}/{number}/domains", message("Removed: %(count)s.", count=removed))


@pages.post("/choose", dependencies=EDIT)
def choose_configuration(
    page: Page, number: Number, form: PostedForm, harvests: HarvestsService, domains: DomainsOfHarvests
) -> Response:
    harvests.get(number)  # one that is not there has no page to go back to

    def chosen() -> Message:
        domains.choose(page.actor, number, _number(form, "before"), _number(form, "after"))
        return message("The configuration is chosen.")

    return page.attempt(f"{ADDRESS}/{number}/domains", chosen)


def _left(added: Added) -> str:
    """What stays in the box: the lines that somebody has to look at again."""
    return "\n".join([*added.unknown, *added.without, *(text for text, _ in added.refused)])


def _number(form: Form, name: str) -> int:
    number = number_in(form.get(name))
    if number is None:
        raise Refused(message("The form does not say which configuration."))
    return number


def show_domains(
    page: PageRequest,
    number: int,
    harvests: Harvests,
    domains: HarvestDomains,
    form: Form,
    *,
    q: str = "",
    place: int = 1,
    added: Added | None = None,
) -> Response:
    harvest, may_edit = harvests.get(number), page.may(Permission.PLANNING_EDIT)
    found, total = domains.page(number, q.strip(), limit=PAGE_SIZE, offset=offset_of(place))
    return page.show(
        "planning/harvests_domains.html",
        form,
        filter={"q": q},
        members=found,
        total=total,
        page=page.paging(place, total),
        added=added,
        may_remove=may_edit and harvest.kind is not HarvestKind.BROAD,
        **{**about(page, harvest), "may_change": may_edit and harvest.kind is HarvestKind.SELECTIVE},
    )


# Event harvests on one page: paste seeds, done ------------------------------------------------------

events_pages = Router(prefix=ADDRESS)
EventsService = Annotated[EventHarvests, Depends(service(EventHarvests))]

PROFILE = "page+1"  # what people who paste a list of pages mean most often
LINES_SHOWN = 1000
NO_SEEDS = Seeds("", 0)

TAKEN = {
    SeedResult.TAKEN: ("good", message("Taken")),
    SeedResult.DUPLICATE: ("neutral", message("Duplicate")),
    SeedResult.REFUSED: ("bad", message("Rejected")),
}


@events_pages.get("/event", dependencies=EDIT)
def event_page(page: Page, harvests: HarvestsService, events: EventsService) -> Response:
    form = seeds_form(events, schedule=events.default_schedule() or "", activate="yes")
    return show_new(page, harvests, events, form)


@events_pages.post("/event", dependencies=EDIT)
def create_event(page: Page, form: PostedForm, harvests: HarvestsService, events: EventsService) -> Response:
    """The answer says what became of each line; the harvest runs already."""
    try:
        with FormReader(form) as read:
            seeds = read.checked(lambda: seeds_of(form), NO_SEEDS)
            given = definition_of(form, HarvestKind.EVENT, (), before=None)
        # Limits belong to the configurations that are created; custom fields can be filled in later.
        given = replace(given, max_objects=None, max_bytes=None)
        pasted = events.create(page.actor, given, seeds, activate=form.ticked("activate"))
    except Refused as refusal:
        return show_new(page, harvests, events, form.refuse(refusal))
    return show_lines(page, harvests, pasted)


@events_pages.get("/{number}/seeds", dependencies=EDIT)
def more_seeds_page(page: Page, number: Number, harvests: HarvestsService, events: EventsService) -> Response:
    return show_more(page, number, harvests, events, seeds_form(events))


@events_pages.post("/{number}/seeds", dependencies=EDIT)
def add_seeds(
    page: Page, number: Number, form: PostedForm, harvests: HarvestsService, events: EventsService
) -> Response:
    try:
        pasted = events.add(page.actor, number, seeds_of(form))
    except Refused as refusal:
        return show_more(page, number, harvests, events, form.refuse(refusal))
    return show_lines(page, harvests, pasted)


def seeds_form(events: EventHarvests, **more: object) -> Form:
    profiles = {name: number for number, name, _ in events.choices()}
    return filled(profile=profiles.get(PROFILE, ""), max_bytes="1 GB", **more)


def seeds_of(form: Form) -> Seeds:
    return Seeds(
        pasted=form.get("seeds"),
        profile=number_of(form, "profile") or 0,
        max_objects=number_of(form, "max_objects"),
        max_bytes=size_of(form, "max_bytes"),
    )


def profiles_of(events: EventHarvests) -> list[tuple[int, str]]:
    return [(number, f"{name}: {text}" if text else name) for number, name, text in events.choices()]


def show_new(page: PageRequest, harvests: Harvests, events: EventHarvests, form: Form) -> Response:
    choices: dict[str, Any] = offered(harvests, HarvestKind.EVENT)
    return page.show("planning/harvests_event.html", form, **choices, profiles=profiles_of(events))


def show_more(
    page: PageRequest, number: int, harvests: Harvests, events: EventHarvests, form: Form
) -> Response:
    harvest = shown_harvest(harvests.get(number))
    return page.show("planning/harvests_seeds.html", form, harvest=harvest, profiles=profiles_of(events))


def show_lines(page: PageRequest, harvests: Harvests, pasted: Pasted) -> Response:
    """Refused lines first: they are what somebody has to look at."""
    order = [SeedResult.REFUSED, SeedResult.DUPLICATE, SeedResult.TAKEN]
    lines = sorted(pasted.lines, key=lambda line: (order.index(line.taken), line.number))
    runs, _ = harvests.runs(pasted.harvest.id, limit=1)
    return page.show(
        "planning/harvests_pasted.html",
        harvest=shown_harvest(pasted.harvest),
        lines=[
            {**vars(line), "tone": TAKEN[line.taken][0], "title": TAKEN[line.taken][1]}
            for line in lines[:LINES_SHOWN]
        ],
        more=max(0, len(lines) - LINES_SHOWN),
        counts=[
            {"label": title, "kind": tone, "count": sum(line.taken is taken for line in lines)}
            for taken, (tone, title) in TAKEN.items()
        ],
        domains=pasted.domains,
        created=pasted.created,
        run=shown_run(runs[0]) if runs else None,
    )
