"""The pages of viewings: which there are, a new one, and the panel on the page of a job."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.viewings.model import Chosen, Viewing
from armarium.access.viewings.page_data import ADDRESS, USE, ViewingsService, browse, person, shown
from armarium.access.viewings.rules import jobs_in
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Permission
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, done

pages = APIRouter()
IN_PANEL = 5  # viewings that the page of a job names


@pages.get(ADDRESS, dependencies=USE)
def viewings_page(
    request: Request, visitor: Visitor, page: PageShell, viewings: ViewingsService, number: PageNumber = 1
) -> Response:
    everybody = request.query_params.get("of") == "everybody" and visitor.may(Permission.ACCESS_EVERYTHING)
    found, total = viewings.page(
        person(visitor), mine=not everybody, limit=PAGE_SIZE, offset=offset_of(number)
    )
    context: dict[str, Any] = {
        "viewings": [shown(one) for one in found],
        "total": total,
        "page": Paging(request, number, total),
        "everybody": everybody,
        "tabs": tabs(everybody) if visitor.may(Permission.ACCESS_EVERYTHING) else [],
    }
    if request.headers.get("x-part"):
        return page.part(request, "access/viewings_table.html", **context)
    return page.page(request, "access/viewings_list.html", **context)


def tabs(everybody: bool) -> list[dict[str, Any]]:
    return [
        {"label": message("My viewings"), "href": ADDRESS, "current": not everybody},
        {"label": message("Everybody's"), "href": f"{ADDRESS}?of=everybody", "current": everybody},
    ]


@pages.get(f"{ADDRESS}/new", dependencies=USE)
def new_viewing_page(request: Request, page: PageShell) -> Response:
    given = request.query_params
    form = filled(jobs=given.get("jobs", "")[:1000], run=given.get("run", "")[:20])
    return show_new(request, page, form)


@pages.post(ADDRESS, dependencies=USE)
def begin_viewing(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, viewings: ViewingsService
) -> Response:
    try:
        made = viewings.create(visitor.actor, visitor.account.id, chosen_in(form, viewings))
    except Refused as refusal:
        return show_new(request, page, form.refuse(refusal), status=422)
    text = message("Look at what the jobs brought. What is missing is noted meanwhile.")
    return done(request, f"{ADDRESS}/{made.id}", text)


def chosen_in(form: Form, viewings: Viewings) -> Chosen:
    """Jobs by their numbers, and those of a run, together."""
    jobs = set(jobs_in(form.get("jobs")))
    if typed := form.get("run").strip():
        run = number_in(typed)
        if not run:
            raise Refused(message("This is no number of a run."), field="run")
        jobs.update(viewings.job_files.of_run(run))
    return Chosen(tuple(jobs), form.get("title"), form.get("note"))


def show_new(request: Request, page: PageShell, form: Form, *, status: int = 200) -> Response:
    return page.page(request, "access/viewings_new.html", status=status, form=form)


# A part of the page of a job --------------------------------------------------------------------------


@pages.get("/access/panels/job/{number}", dependencies=USE)
def job_panel(
    request: Request, number: Number, visitor: Visitor, page: PageShell, viewings: ViewingsService
) -> Response:
    """What of a job can be looked at; the page of the job shows it. By itself it is a page, too."""
    if not viewings.job_files.jobs([number]):
        raise NotFound(message("There is no job with the number %(number)s.", number=number))
    found, _ = viewings.page(person(visitor), mine=True, job=number, limit=IN_PANEL)
    own = next((one for one in found if is_of_job_alone(one, number)), None)
    seeds = viewings.job_files.seeds([number], 1) if own else []
    context: dict[str, Any] = {
        "job": number,
        "brought": viewings.job_files.brought([number]),
        "viewings": [shown(one) for one in found],
        "going_on": shown(own) if own else None,
        "first": browse(own, seeds[0]) if own and seeds else "",
    }
    if request.headers.get("x-part"):
        return page.part(request, "access/viewings_panel.html", **context)
    return page.page(request, "access/viewings_panel_page.html", **context)


def is_of_job_alone(viewing: Viewing, job: int) -> bool:
    return viewing.jobs == (job,) and viewing.ended_at is None
