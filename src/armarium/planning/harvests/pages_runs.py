"""The runs of a harvest, and one of them with its jobs."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.planning.budgets import Share
from armarium.planning.harvests.forms import number_of, written
from armarium.planning.harvests.labels import shown_harvest, shown_jobs, shown_run, shown_states
from armarium.planning.harvests.service import Harvests
from armarium.planning.harvests.services import EDIT, VIEW, HarvestsService
from armarium.planning.parsing import size_of, written_size
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/harvests/{number}/runs")


@pages.get("", dependencies=VIEW)
def runs_page(
    request: Request, number: Number, page: PageShell, harvests: HarvestsService, place: PageNumber = 1
) -> Response:
    harvest = harvests.get(number)
    found, total = harvests.runs(number, limit=PAGE_SIZE, offset=offset_of(place))
    context: dict[str, Any] = {
        "harvest": shown_harvest(harvest),
        "runs": [shown_run(run) for run in found],
        "total": total,
        "page": Paging(request, place, total),
    }
    return page.page(request, "planning/harvests_runs.html", **context)


@pages.get("/{run}", dependencies=VIEW)
def run_page(
    request: Request, number: Number, run: Number, visitor: Visitor, page: PageShell, place: PageNumber = 1
) -> Response:
    return show_run(request, page, visitor, (number, run), place=place)


@pages.post("/{run}/budget", dependencies=EDIT)
def raise_budget(
    request: Request,
    number: Number,
    run: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
) -> Response:
    try:
        wanted = Share(number_of(form, "total_objects"), size_of(form, "total_bytes"))
        harvests.raise_budget(visitor.actor, number, run, wanted)
    except Refused as refusal:
        return show_run(request, page, visitor, (number, run), form=form.refuse(refusal), status=422)
    return done(request, f"/planning/harvests/{number}/runs/{run}", message("The budget is raised."))


def show_run(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    which: tuple[int, int],
    *,
    place: int = 1,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    services: Services = request.app.state.services
    harvests = services.get(Harvests)
    harvest, found = harvests.get(which[0]), harvests.run(*which)
    jobs, states = harvests.jobs(found, limit=PAGE_SIZE, offset=offset_of(place))
    totals = {
        "total_objects": written(found.total_objects),
        "total_bytes": written_size(found.total_bytes),
    }
    context: dict[str, Any] = {
        "harvest": shown_harvest(harvest),
        "run": shown_run(found),
        "jobs": shown_jobs(jobs),
        "states": shown_states(states),
        "others": [other for other in harvests.under_way(harvest.id) if other != found.number],
        "page": Paging(request, place, found.jobs),
        "form": form or filled(**totals),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    if "x-part" in request.headers:
        return page.part(request, "planning/harvests_run_state.html", **context)
    return page.page(request, "planning/harvests_run.html", status=status, **context)
