"""A running job: how it gets on, and what one can tell it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.jobs import contexts
from armarium.planning.jobs.contexts import shown_command, shown_job, shown_progress
from armarium.planning.jobs.model import Sample
from armarium.planning.jobs.pages_job import DetailsService, frame
from armarium.planning.jobs.pages_list import MANAGE, VIEW, JobsService
from armarium.planning.jobs.steering import DOMAIN, EVERYWHERE, Steering
from armarium.planning.labels import QUEUE_STATES, in_words
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/harvesting/jobs/{number}")
running_pages = APIRouter(prefix="/harvesting/running")

SteeringService = Annotated[Steering, Depends(service(Steering))]
CommandNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]
COMMANDS_SHOWN = 20

SAVES = (
    ("", message("This job only")),
    (DOMAIN, message("This job, and later ones for the domain")),
    (EVERYWHERE, message("This job, and later ones for all domains")),
)
FILTER_FIELDS = ("pattern", "domain", "save")
BUDGET_FIELDS = ("queue", "objects", "bytes")


# One job ------------------------------------------------------------------------------------------------


@pages.get("/progress", dependencies=VIEW)
def progress_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
    queue: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    jobs.watch(number)
    forms = {"budget": filled(queue=queue)} if queue else {}
    return show_progress(request, number, visitor, page, jobs, details, steering, forms=forms)


def show_progress(
    request: Request,
    number: int,
    visitor: Visitor,
    page: PageShell,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
    *,
    forms: dict[str, Form],
    status: int = 200,
) -> Response:
    found = jobs.get(number)
    context: dict[str, Any] = {
        **frame(found.job, "/progress", visitor),
        "progress": shown_progress(found),
        "queue_states": lambda state: in_words(QUEUE_STATES, str(state)),
        "plots": plots_of(details.samples(number)),
        "commands": [shown_command(one) for one in steering.commands(number, COMMANDS_SHOWN)],
        "save_options": SAVES,
        "only_domain": steering.only_domain(number),
        "forms": {name: named(name, forms.get(name)) for name in ("filter", "budget", "log")},
    }
    if request.headers.get("x-part"):
        return page.part(request, "planning/jobs_progress_part.html", **context)
    return page.page(request, "planning/jobs_progress.html", status=status, **context)


def named(name: str, form: Form | None) -> Form:
    """Three forms share the page: their fields must not share ids."""
    form = form or Form()
    form.id = name
    return form


def plots_of(samples: list[Sample]) -> dict[str, Any] | None:
    span = contexts.begins_and_ends(samples)
    if span is None:
        return None
    return {
        "begin": span[0],
        "end": span[1],
        "width": contexts.WIDTH,
        "height": contexts.HEIGHT,
        "objects": contexts.plotted(samples, lambda one: one.objects_per_second),
        "bytes": contexts.plotted(samples, lambda one: one.bytes_per_second),
        "queued": contexts.plotted(samples, lambda one: float(one.queued)),
    }


@pages.post("/command", dependencies=MANAGE)
def give_command(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
) -> Response:
    """Every button and form of the page; `verb` says which."""
    jobs.get(number)  # one that is not there has no page to go back to
    verb = form.get("verb")
    try:
        steering.order(visitor.actor, number, verb, arguments_of(verb, form), save=saved(verb, form))
    except Refused as refusal:
        if verb not in ("filter", "budget", "log"):
            return done(request, f"/harvesting/jobs/{number}/progress", refusal.message, "bad")
        forms = {verb: form.refuse(refusal)}
        return show_progress(request, number, visitor, page, jobs, details, steering, forms=forms, status=422)
    text = message("The job hears of it with its next heartbeat. Its answer appears under Commands.")
    return done(request, f"/harvesting/jobs/{number}/progress#commands", text)


def saved(verb: str, form: Form) -> str:
    return form.get("save") if verb == "filter" else ""


def arguments_of(verb: str, form: Form) -> dict[str, Any]:
    match verb:
        case "filter":
            preview = form.get("do") == "preview"
            return {"pattern": form.get("pattern"), "domain": form.get("domain"), "preview": preview}
        case "budget":
            return {name: form.get(name).strip() for name in BUDGET_FIELDS}
        case "log":
            return {"pattern": form.get("pattern"), "most": form.get("most")}
        case "pause":
            return {"reason": form.get("reason")}
        case _:
            return {}


# All that run -------------------------------------------------------------------------------------------


@running_pages.get("", dependencies=VIEW)
def running_page(
    request: Request,
    page: PageShell,
    jobs: JobsService,
    domain: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    found = jobs.running(domain)
    groups: dict[int, dict[str, Any]] = {}
    for one in found:
        row = one.job
        group = groups.setdefault(row.harvest, {"id": row.harvest, "name": row.harvest_name, "jobs": []})
        group["jobs"].append({**shown_job(row), "progress": shown_progress(one)})
    everything = [each["progress"] for group in groups.values() for each in group["jobs"]]
    context: dict[str, Any] = {
        "domain": domain,
        "groups": list(groups.values()),
        "total": {
            "jobs": len(found),
            "objects_per_second": sum(one["objects_per_second"] for one in everything),
            "bytes_per_second": sum(one["bytes_per_second"] for one in everything),
            "queued": sum(one["queued"] for one in everything),
        },
    }
    if request.headers.get("x-part"):
        return page.part(request, "planning/jobs_running_part.html", **context)
    return page.page(request, "planning/jobs_running.html", **context)
