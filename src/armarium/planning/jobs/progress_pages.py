"""A running job: how it gets on, and what one can tell it."""

from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.jobs.contexts import plots_of, shown_command, shown_job, shown_progress
from armarium.planning.jobs.job_pages import DetailsService, frame
from armarium.planning.jobs.pages import ADDRESS, MANAGE, VIEW, JobsService
from armarium.planning.jobs.steering import DOMAIN, EVERYWHERE, Steering
from armarium.planning.labels import QUEUE_STATES, in_words
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix=f"{ADDRESS}/{{number}}")
running_pages = Router(prefix="/harvesting/running")

SteeringService = Annotated[Steering, Depends(service(Steering))]
COMMANDS_SHOWN = 20

SAVES = (
    ("", message("This job only")),
    (DOMAIN, message("This job, and later ones for the domain")),
    (EVERYWHERE, message("This job, and later ones for all domains")),
)
BUDGET_FIELDS = ("queue", "objects", "bytes")
FORMS = ("filter", "budget", "log")


# One job ------------------------------------------------------------------------------------------------


@pages.get("/progress", dependencies=VIEW)
def progress_page(
    page: Page,
    number: Number,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
    queue: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    jobs.watch(number)
    forms = {"budget": filled(queue=queue)} if queue else {}
    return show_progress(page, number, jobs, details, steering, forms)


def show_progress(
    page: PageRequest,
    number: int,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
    forms: dict[str, Form],
) -> Response:
    found = jobs.get(number)
    return page.live(
        "planning/jobs_progress.html",
        "planning/jobs_progress_part.html",
        **frame(page, found.job, "/progress"),
        progress=shown_progress(found),
        queue_states=lambda state: in_words(QUEUE_STATES, str(state)),
        plots=plots_of(details.samples(number)),
        commands=[shown_command(one) for one in steering.commands(number, COMMANDS_SHOWN)],
        save_options=SAVES,
        only_domain=steering.only_domain(number),
        forms={name: named(name, forms.get(name)) for name in FORMS},
    )


def named(name: str, form: Form | None) -> Form:
    """Three forms share the page: their fields must not share ids."""
    form = form or Form()
    form.id = name
    return form


@pages.post("/command", dependencies=MANAGE)
def give_command(
    page: Page,
    number: Number,
    form: PostedForm,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
) -> Response:
    """Every button and form of the page; `verb` says which."""
    jobs.get(number)  # one that is not there has no page to go back to
    verb, here = form.get("verb"), f"{ADDRESS}/{number}/progress"
    try:
        steering.order(page.actor, number, verb, arguments_of(verb, form), save=saved(verb, form))
    except Refused as refusal:
        if verb not in FORMS:
            return page.done(here, refusal.message, "bad")
        return show_progress(page, number, jobs, details, steering, {verb: form.refuse(refusal)})
    text = message("The job hears of it with its next heartbeat. Its answer appears under Commands.")
    return page.done(f"{here}#commands", text)


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
    page: Page, jobs: JobsService, domain: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    found = jobs.running(domain)
    groups: dict[int, dict[str, Any]] = {}
    for one in found:
        row = one.job
        group = groups.setdefault(row.harvest, {"id": row.harvest, "name": row.harvest_name, "jobs": []})
        group["jobs"].append({**shown_job(row), "progress": shown_progress(one)})
    everything = [each["progress"] for group in groups.values() for each in group["jobs"]]
    sums = ("objects_per_second", "bytes_per_second", "queued")
    return page.live(
        "planning/jobs_running.html",
        "planning/jobs_running_part.html",
        domain=domain,
        groups=list(groups.values()),
        total={"jobs": len(found), **{name: sum(one[name] for one in everything) for name in sums}},
    )
