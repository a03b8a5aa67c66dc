"""Event harvests on one page: paste seeds, done."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.harvests.events import Pasted, Seeds, Taken
from armarium.planning.harvests.forms import definition_of, number_of
from armarium.planning.harvests.labels import shown_harvest, shown_run
from armarium.planning.harvests.pages_definition import offered
from armarium.planning.harvests.services import EDIT, EventsService, HarvestsService
from armarium.planning.model import HarvestKind
from armarium.planning.parsing import size_of
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell

pages = APIRouter(prefix="/planning/harvests")

PROFILE = "page+1"  # what people who paste a list of pages mean most often
LINES_SHOWN = 1000

TAKEN = {
    Taken.TAKEN: ("good", message("Taken")),
    Taken.DUPLICATE: ("neutral", message("Duplicate")),
    Taken.REFUSED: ("bad", message("Refused")),
}


@pages.get("/event", dependencies=EDIT)
def event_page(
    request: Request, page: PageShell, harvests: HarvestsService, events: EventsService
) -> Response:
    profiles = {name: number for number, name, _ in events.choices()}
    form = filled(
        profile=profiles.get(PROFILE, ""),
        schedule=events.default_schedule() or "",
        max_bytes="1 GB",
        activate="yes",
    )
    return _show_new(request, page, harvests, events, form)


@pages.post("/event", dependencies=EDIT)
def create_event(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
    events: EventsService,
) -> Response:
    """The answer says what became of each line; the harvest runs already."""
    try:
        # Limits belong to the configurations that are made; extended fields can be filled in later.
        given = replace(
            definition_of(form, HarvestKind.EVENT, (), before=None), max_objects=None, max_bytes=None
        )
        pasted = events.create(visitor.actor, given, _seeds(form), activate=form.ticked("activate"))
    except Refused as refusal:
        return _show_new(request, page, harvests, events, form.refuse(refusal), status=422)
    return _show_lines(request, page, harvests, pasted)


@pages.get("/{number}/seeds", dependencies=EDIT)
def more_seeds_page(
    request: Request, number: Number, page: PageShell, harvests: HarvestsService, events: EventsService
) -> Response:
    profiles = {name: one for one, name, _ in events.choices()}
    form = filled(profile=profiles.get(PROFILE, ""), max_bytes="1 GB")
    return _show_more(request, number, page, harvests, events, form)


@pages.post("/{number}/seeds", dependencies=EDIT)
def add_seeds(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
    events: EventsService,
) -> Response:
    try:
        pasted = events.add(visitor.actor, number, _seeds(form))
    except Refused as refusal:
        return _show_more(request, number, page, harvests, events, form.refuse(refusal), status=422)
    return _show_lines(request, page, harvests, pasted)


def _seeds(form: Form) -> Seeds:
    return Seeds(
        pasted=form.get("seeds"),
        profile=number_of(form, "profile") or 0,
        max_objects=number_of(form, "max_objects"),
        max_bytes=size_of(form, "max_bytes"),
    )


def _offered(events: EventsService) -> dict[str, Any]:
    return {
        "profiles": [(number, f"{name}: {text}" if text else name) for number, name, text in events.choices()]
    }


def _show_new(
    request: Request,
    page: PageShell,
    harvests: HarvestsService,
    events: EventsService,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    context = {"form": form, **offered(harvests, HarvestKind.EVENT), **_offered(events)}
    return page.page(request, "planning/harvests_event.html", status=status, **context)


def _show_more(
    request: Request,
    number: int,
    page: PageShell,
    harvests: HarvestsService,
    events: EventsService,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    context = {"harvest": shown_harvest(harvests.get(number)), "form": form, **_offered(events)}
    return page.page(request, "planning/harvests_seeds.html", status=status, **context)


def _show_lines(request: Request, page: PageShell, harvests: HarvestsService, pasted: Pasted) -> Response:
    """Refused lines first: they are what somebody has to look at."""
    order = [Taken.REFUSED, Taken.DUPLICATE, Taken.TAKEN]
    lines = sorted(pasted.lines, key=lambda line: (order.index(line.taken), line.number))
    runs, _ = harvests.runs(pasted.harvest.id, limit=1)
    context: dict[str, Any] = {
        "harvest": shown_harvest(pasted.harvest),
        "lines": [
            {**vars(line), "tone": TAKEN[line.taken][0], "title": TAKEN[line.taken][1]}
            for line in lines[:LINES_SHOWN]
        ],
        "more": max(0, len(lines) - LINES_SHOWN),
        "counts": [
            {"label": title, "kind": tone, "count": sum(line.taken is taken for line in lines)}
            for taken, (tone, title) in TAKEN.items()
        ],
        "domains": pasted.domains,
        "created": pasted.created,
        "run": shown_run(runs[0]) if runs else None,
    }
    return page.page(request, "planning/harvests_pasted.html", **context)
