"""The runs of a harvest, and one of them with its jobs."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.planning.harvests.services import VIEW, HarvestsService
from armarium.planning.harvests.shown import shown_harvest, shown_jobs, shown_run, shown_states
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.shell import PageShell

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
    request: Request,
    number: Number,
    run: Number,
    page: PageShell,
    harvests: HarvestsService,
    place: PageNumber = 1,
) -> Response:
    harvest, found = harvests.get(number), harvests.run(number, run)
    jobs, states = harvests.jobs(found, limit=PAGE_SIZE, offset=offset_of(place))
    context: dict[str, Any] = {
        "harvest": shown_harvest(harvest),
        "run": shown_run(found),
        "jobs": shown_jobs(jobs),
        "states": shown_states(states),
        "others": [other for other in harvests.under_way(number) if other != run],
        "page": Paging(request, place, found.jobs),
    }
    whole = "x-part" not in request.headers
    template = "planning/harvests_run.html" if whole else "planning/harvests_run_state.html"
    return (page.page if whole else page.part)(request, template, **context)
