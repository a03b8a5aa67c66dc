"""What harvests collected: pages by domain, configuration, harvest and run."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.planning.harvests.labels import run_outcome
from armarium.planning.harvests.model import RunState
from armarium.planning.history import figures
from armarium.planning.history.queries import HistoryRow, Named, Run, Total
from armarium.planning.history.service import History
from armarium.planning.jobs.contexts import shown_state
from armarium.planning.jobs.pages import VIEW
from armarium.planning.labels import reason_title
from armarium.planning.model import JobState
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router()
MOST_JOBS = 60  # of the picture of a run

HistoryService = Annotated[History, Depends(service(History))]


@pages.get("/planning/domains/{number}/history", dependencies=VIEW)
def domain_history(page: Page, number: Number, history: HistoryService, at: PageNumber = 1) -> Response:
    domain = history.domain(number)
    rows, total = history.of_domain(number, limit=PAGE_SIZE, offset=offset_of(at))
    return show_rows(page, domain, rows, total, at)


@pages.get("/planning/configurations/{number}/history", dependencies=VIEW)
def configuration_history(
    page: Page, number: Number, history: HistoryService, at: PageNumber = 1
) -> Response:
    configuration, domain = history.configuration(number)
    rows, total = history.of_configuration(number, limit=PAGE_SIZE, offset=offset_of(at))
    return show_rows(page, domain, rows, total, at, configuration)


def show_rows(
    page: PageRequest,
    domain: Named,
    rows: list[HistoryRow],
    total: Total,
    at: int,
    configuration: Named | None = None,
) -> Response:
    """The page of the domain fetches the table alone."""
    return page.live(
        "planning/jobs_history.html",
        "planning/jobs_history_part.html",
        above={"label": domain.name, "href": f"/planning/domains/{domain.id}"},
        name=f"{domain.name}: {configuration.name}" if configuration else domain.name,
        rows=[shown_row(row) for row in rows],
        total=total,
        plots=figures.by_job(rows),
        page=page.paging(at, total.entries),
    )


def shown_row(row: HistoryRow) -> dict[str, Any]:
    return {**vars(row), "state": shown_state(JobState(row.state)), "reason": reason_title(row.stop_reason)}


@pages.get("/planning/harvests/{number}/history", dependencies=VIEW)
def harvest_history(page: Page, number: Number, history: HistoryService, at: PageNumber = 1) -> Response:
    harvest = history.harvest(number)
    runs, count, total = history.of_harvest(number, limit=PAGE_SIZE, offset=offset_of(at))
    return page.show(
        "planning/jobs_history_harvest.html",
        harvest=harvest,
        runs=[shown_run(run) for run in runs],
        plots=figures.by_run(runs),
        total=total,
        page=page.paging(at, count),
    )


@pages.get("/harvesting/runs/{number}", dependencies=VIEW)
def run_page(page: Page, number: Number, history: HistoryService) -> Response:
    run = history.run(number)
    reasons = history.reasons(run)
    return page.show(
        "planning/jobs_history_run.html",
        run=shown_run(run),
        plots=figures.of_run(run, history.jobs_of_run(number, MOST_JOBS), reasons),
        uncounted=reasons is None,
    )


def shown_run(run: Run) -> dict[str, Any]:
    failed = run.states.get(JobState.FAILED, 0)
    tone, title = run_outcome(RunState(run.state), run.jobs, run.unfinished, failed)
    left_out = [(reason, count) for reason, count in run.left_out.items() if count]
    return {
        **vars(run),
        "failed": failed,
        "label": title,
        "tone": tone,
        "left_out": left_out,
    }
