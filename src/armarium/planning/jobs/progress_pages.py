"""What people tell a running job, and all jobs that run."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import RedirectResponse, Response

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.jobs.attention import concerns
from armarium.planning.jobs.contexts import shown_job, shown_progress
from armarium.planning.jobs.job_pages import FORMS, DetailsService, show_job
from armarium.planning.jobs.pages import ADDRESS, MANAGE, VIEW, JobsService, SteeringService
from armarium.web.forms import Form
from armarium.web.pages import Page
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix=f"{ADDRESS}/{{number}}")
running_pages = Router(prefix="/harvesting/running")

BUDGET_FIELDS = ("queue", "objects", "bytes")


@pages.get("/progress", dependencies=VIEW)
def progress_page(number: Number) -> Response:
    """Where the page of a running job was, for links that people have kept."""
    return RedirectResponse(f"{ADDRESS}/{number}", status_code=301)


# One job ------------------------------------------------------------------------------------------------


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
    found = jobs.get(number)  # one that is not there has no page to go back to
    verb, here = form.get("verb"), f"{ADDRESS}/{number}"
    try:
        steering.order(page.actor, number, verb, arguments_of(verb, form), save=saved(verb, form))
    except Refused as refusal:
        if verb not in FORMS:
            return page.done(here, refusal.message, "bad")
        return show_job(page, found, jobs, details, steering, {verb: form.refuse(refusal)})
    text = message("Sent with the next heartbeat. The answer appears under Commands.")
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
    page: Page,
    jobs: JobsService,
    details: DetailsService,
    domain: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    found, now = jobs.running(domain), clock.now()
    speeds = details.speeds([one.job.id for one in found])
    rows = [
        {
            **shown_job(one.job),
            "progress": shown_progress(one),
            "speeds": speeds[one.job.id],
            "concerns": concerns(one, now),
        }
        for one in found
    ]
    rows.sort(key=lambda row: not row["concerns"])  # those that need eyes first
    sums = ("objects", "bytes", "objects_per_second", "bytes_per_second", "queued")
    return page.live(
        "planning/jobs_running.html",
        "planning/jobs_running_part.html",
        domain=domain,
        jobs=rows,
        attention=sum(bool(row["concerns"]) for row in rows),
        total={name: sum(row["progress"][name] for row in rows) for name in sums},
    )
