"""What harvests brought home: pages by domain, configuration, harvest and run."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.planning.harvests.labels import run_outcome
from armarium.planning.harvests.model import RunState
from armarium.planning.history.queries import HistoryRow, Run, Total
from armarium.planning.history.service import History
from armarium.planning.jobs.contexts import shown_state
from armarium.planning.jobs.pages_job import shown_reasons
from armarium.planning.jobs.pages_list import VIEW
from armarium.planning.labels import reason_title
from armarium.planning.model import JobState
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.services import service
from armarium.web.shell import PageShell

pages = APIRouter()

HistoryService = Annotated[History, Depends(service(History))]


@pages.get("/planning/domains/{number}/history", dependencies=VIEW)
def domain_history(
    request: Request, number: Number, page: PageShell, history: HistoryService, at: PageNumber = 1
) -> Response:
    domain = history.domain(number)
    rows, total = history.of_domain(number, limit=PAGE_SIZE, offset=offset_of(at))
    above = {"label": domain.name, "href": f"/planning/domains/{number}"}
    return show_rows(request, page, rows, total, at, above=above, name=domain.name, of_configuration=False)


@pages.get("/planning/configurations/{number}/history", dependencies=VIEW)
def configuration_history(
    request: Request, number: Number, page: PageShell, history: HistoryService, at: PageNumber = 1
) -> Response:
    configuration, domain = history.configuration(number)
    rows, total = history.of_configuration(number, limit=PAGE_SIZE, offset=offset_of(at))
    above = {"label": domain.name, "href": f"/planning/domains/{domain.id}"}
    name = f"{domain.name}: {configuration.name}"
    return show_rows(request, page, rows, total, at, above=above, name=name, of_configuration=True)


def show_rows(
    request: Request,
    page: PageShell,
    rows: list[HistoryRow],
    total: Total,
    at: int,
    *,
    above: dict[str, Any],
    name: str,
    of_configuration: bool,
) -> Response:
    """With X-Part: 1, only the table, for the page of the domain."""
    context: dict[str, Any] = {
        "above": above,
        "name": name,
        "rows": [shown_row(row) for row in rows],
        "total": total,
        "of_configuration": of_configuration,
        "page": Paging(request, at, total.entries),
    }
    if request.headers.get("x-part"):
        return page.part(request, "planning/jobs_history_part.html", **context)
    return page.page(request, "planning/jobs_history.html", **context)


def shown_row(row: HistoryRow) -> dict[str, Any]:
    return {**vars(row), "state": shown_state(JobState(row.state)), "reason": reason_title(row.stop_reason)}


@pages.get("/planning/harvests/{number}/history", dependencies=VIEW)
def harvest_history(
    request: Request, number: Number, page: PageShell, history: HistoryService, at: PageNumber = 1
) -> Response:
    harvest = history.harvest(number)
    runs, count, total = history.of_harvest(number, limit=PAGE_SIZE, offset=offset_of(at))
    context: dict[str, Any] = {
        "harvest": harvest,
        "runs": [shown_run(run) for run in runs],
        "total": total,
        "page": Paging(request, at, count),
    }
    return page.page(request, "planning/jobs_history_harvest.html", **context)


@pages.get("/harvesting/runs/{number}", dependencies=VIEW)
def run_page(request: Request, number: Number, page: PageShell, history: HistoryService) -> Response:
    run = history.run(number)
    reasons = history.reasons(run)
    context: dict[str, Any] = {
        "run": shown_run(run),
        "reasons": None if reasons is None else shown_reasons(reasons, ""),
    }
    return page.page(request, "planning/jobs_history_run.html", **context)


def shown_run(run: Run) -> dict[str, Any]:
    tone, title = run_outcome(
        RunState(run.state), run.jobs, run.unfinished, run.states.get(JobState.FAILED, 0)
    )
    states = [{**shown_state(state), "count": run.states[state]} for state in JobState if state in run.states]
    left_out = [(reason, count) for reason, count in run.left_out.items() if count]
    return {**vars(run), "label": title, "tone": tone, "states": states, "left_out": left_out}
