"""The pages of viewings: which there are, a new one, its settings, and the panel on the page of a job."""

from starlette.responses import Response

from armarium.access.settings import AccessSettings
from armarium.access.viewings.model import ANY, Chosen, Viewing, ViewingFilter
from armarium.access.viewings.page_data import (
    ADDRESS,
    LONGEST_FILTER,
    USE,
    ViewingsPage,
    ViewingsRequest,
    ViewingsService,
    browse,
    shown,
    state_of,
)
from armarium.access.viewings.rules import jobs_in, stretches
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Permission
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.web.forms import Form, filled
from armarium.web.lists import csv_answer
from armarium.web.pages import Page
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.shell import done

pages = Router()
ONE = f"{ADDRESS}/{{number}}"
IN_PANEL = 5  # viewings that the page of a job names
STATES = {"open": False, "ended": True}
MOST_EXPORTED = 10_000
EXPORTED = (
    *(message("Viewing"), message("State"), message("Owner"), message("Jobs"), message("Missing")),
    *(message("Added to a harvest"), message("Started"), message("Ended"), message("Note")),
)


@pages.get(ADDRESS, dependencies=USE)
def viewings_page(
    page: ViewingsPage, q: str = "", state: str = "", export: str = "", number: PageNumber = 1
) -> Response:
    may_see_all = page.may(Permission.ACCESS_EVERYTHING)
    everybody = may_see_all and page.request.query_params.get("of") == "everybody"
    mine = [
        {"label": message("My viewings"), "href": ADDRESS, "current": not everybody},
        {"label": message("Everybody's"), "href": f"{ADDRESS}?of=everybody", "current": everybody},
    ]
    sought = ViewingFilter(q.strip()[:LONGEST_FILTER], STATES.get(state))
    if export == "csv":
        found, _ = page.viewings.page(page.who, sought, mine=not everybody, limit=MOST_EXPORTED)
        return csv_answer("viewings", EXPORTED, map(line_of, found))
    found, total = page.viewings.page(
        page.who, sought, mine=not everybody, limit=PAGE_SIZE, offset=offset_of(number)
    )
    return page.live(
        "access/viewings_list.html",
        "access/viewings_table.html",
        viewings=[shown(one) for one in found],
        total=total,
        page=page.paging(number, total),
        everybody=everybody,
        tabs=mine if may_see_all else [],
        text=sought.text,
        state=state if state in STATES else "",
        narrowed=sought != ANY,
    )


def line_of(viewing: Viewing) -> tuple[object, ...]:
    return (
        *(viewing.title, state_of(viewing)[1], viewing.owner, stretches(viewing.jobs), viewing.open),
        *(viewing.handed, viewing.created_at, viewing.ended_at, viewing.note),
    )


@pages.get(f"{ADDRESS}/new", dependencies=USE)
def new_viewing_page(page: Page) -> Response:
    given = page.request.query_params
    form = filled(jobs=given.get("jobs", "")[:1000], run=given.get("run", "")[:20])
    return page.show("access/viewings_new.html", form)


@pages.post(ADDRESS, dependencies=USE)
def begin_viewing(page: Page, form: PostedForm, viewings: ViewingsService) -> Response:
    try:
        made = viewings.create(page.actor, page.visitor.account.id, chosen_in(form, viewings))
    except Refused as refusal:
        return page.show("access/viewings_new.html", form.refuse(refusal))
    text = message("Viewing started. Browse the captures; missing addresses are recorded.")
    return page.done(f"{ADDRESS}/{made.id}", text)


def chosen_in(form: Form, viewings: Viewings) -> Chosen:
    """Jobs by their numbers, and those of a run, together."""
    jobs = set(jobs_in(form.get("jobs")))
    if typed := form.get("run").strip():
        run = number_in(typed)
        if not run:
            raise Refused(message("This is not the number of a run."), field="run")
        jobs.update(viewings.job_files.of_run(run))
    return Chosen(tuple(jobs), form.get("title"), form.get("note"))


@pages.get("/access/panels/job/{number}", dependencies=USE)
def job_panel(page: ViewingsPage, number: Number) -> Response:
    """What of a job can be looked at; the page of the job shows it. By itself it is a page, too."""
    job_files = page.viewings.job_files
    if not job_files.jobs([number]):
        raise NotFound(message("There is no job with the number %(number)s.", number=number))
    found, _ = page.viewings.page(page.who, mine=True, job=number, limit=IN_PANEL)
    own = next((one for one in found if one.jobs == (number,) and one.ended_at is None), None)
    seeds = job_files.seeds([number], 1) if own else []
    return page.live(
        "access/viewings_panel_page.html",
        "access/viewings_panel.html",
        job=number,
        brought=job_files.brought([number]),
        viewings=[shown(one) for one in found],
        going_on=shown(own) if own else None,
        first=browse(own, seeds[0]) if own and seeds else "",
    )


# The settings of one ------------------------------------------------------------------------------------


@pages.get(f"{ONE}/edit", dependencies=USE)
def edit_page(page: ViewingsPage, number: Number) -> Response:
    return show_settings(page, number)


@pages.post(f"{ONE}/edit", dependencies=USE)
def edit(page: ViewingsPage, number: Number, form: PostedForm) -> Response:
    try:
        changed = page.viewings.change(page.actor, page.who, number, chosen_in(form, page.viewings))
    except Refused as refusal:
        return show_settings(page, number, form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}/edit", message("Viewing %(title)s saved.", title=changed.title))


@pages.post(f"{ONE}/proxy-word", dependencies=USE)
def make_word(page: ViewingsPage, number: Number) -> Response:
    """The word is shown by this answer, and never again."""
    try:
        word = page.viewings.make_proxy_word(page.actor, page.who, number)
    except Refused as refusal:
        return done(page.request, f"{ADDRESS}/{number}/edit", refusal.message, "bad")
    return show_settings(page, number, word=word)


@pages.post(f"{ONE}/end", dependencies=USE)
def end(page: ViewingsPage, number: Number) -> Response:
    ended = page.viewings.end(page.actor, page.who, number)
    return page.done(ADDRESS, message("Viewing %(title)s ended.", title=ended.title))


@pages.post(f"{ONE}/reopen", dependencies=USE)
def reopen(page: ViewingsPage, number: Number) -> Response:
    opened = page.viewings.reopen(page.actor, page.who, number)
    return page.done(f"{ADDRESS}/{number}", message("Viewing %(title)s reopened.", title=opened.title))


def show_settings(
    page: ViewingsRequest, number: int, form: Form | None = None, *, word: str = ""
) -> Response:
    viewing = page.viewing(number)
    services: Services = page.request.app.state.services
    settings = services.get(Settings)[AccessSettings]
    return page.show(
        "access/viewings_edit.html",
        form or form_of(viewing),
        **page.frame(viewing, "/edit"),
        chosen=stretches(viewing.jobs),
        proxy=f"{settings.proxy_host}:{settings.proxy_port}" if settings.proxy_port else "",
        word=word,
    )


def form_of(viewing: Viewing) -> Form:
    return filled(jobs=stretches(viewing.jobs), title=viewing.title, note=viewing.note)
