"""The runs of a harvest, and one of them with its jobs."""

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.budgets import Share
from armarium.planning.harvests.figures import in_brief, progress_of, speed_of
from armarium.planning.harvests.form import number_of, written
from armarium.planning.harvests.labels import shown_harvest, shown_jobs, shown_run, shown_states
from armarium.planning.harvests.pages import ADDRESS, EDIT, VIEW, HarvestsService
from armarium.planning.harvests.service import Harvests
from armarium.planning.harvests.summary_pages import about
from armarium.planning.parsing import size_of, written_size
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

TROUBLED_SHOWN = 10
MOST_SAMPLED = 200  # jobs of a run whose speeds are added up while somebody waits

pages = Router(prefix=f"{ADDRESS}/{{number}}/runs")


@pages.get("", dependencies=VIEW)
def runs_page(page: Page, number: Number, harvests: HarvestsService, place: PageNumber = 1) -> Response:
    harvest = harvests.get(number)
    found, total = harvests.runs(number, limit=PAGE_SIZE, offset=offset_of(place))
    return page.show(
        "planning/harvests_runs.html",
        **about(page, harvest),
        runs=[shown_run(run) for run in found],
        total=total,
        page=page.paging(place, total),
    )


@pages.get("/{run}", dependencies=VIEW)
def run_page(
    page: Page, number: Number, run: Number, harvests: HarvestsService, place: PageNumber = 1
) -> Response:
    return show_run(page, harvests, number, run, place=place)


@pages.post("/{run}/budget", dependencies=EDIT)
def raise_budget(
    page: Page, number: Number, run: Number, form: PostedForm, harvests: HarvestsService
) -> Response:
    try:
        wanted = Share(number_of(form, "total_objects"), size_of(form, "total_bytes"))
        harvests.raise_budget(page.actor, number, run, wanted)
    except Refused as refusal:
        return show_run(page, harvests, number, run, form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}/runs/{run}", message("The budget has been raised."))


def show_run(
    page: PageRequest,
    harvests: Harvests,
    number: int,
    run: int,
    form: Form | None = None,
    *,
    place: int = 1,
) -> Response:
    harvest, found = harvests.get(number), harvests.run(number, run)
    jobs, states = harvests.jobs(found, limit=PAGE_SIZE, offset=offset_of(place))
    progress = progress_of(found)
    totals = filled(total_objects=written(found.total_objects), total_bytes=written_size(found.total_bytes))
    return page.live(
        "planning/harvests_run.html",
        "planning/harvests_run_state.html",
        form or totals,
        harvest=shown_harvest(harvest),
        run=shown_run(found),
        jobs=shown_jobs(jobs),
        troubled=shown_jobs(harvests.failed_jobs(found, limit=TROUBLED_SHOWN)) if found.failed else [],
        states=shown_states(states),
        progress=progress,
        brief=in_brief(progress),
        speed=speed_of(harvests.speed(found.id)) if found.jobs <= MOST_SAMPLED else None,
        others=[other for other in harvests.under_way(harvest.id) if other != found.number],
        page=page.paging(place, found.jobs),
        may_change=page.may(Permission.PLANNING_EDIT),
    )
