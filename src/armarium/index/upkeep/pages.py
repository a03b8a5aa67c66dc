"""Index status: how far the index is, what runs, what failed, and what may be asked of it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.index.chain.model import IndexedFile, Level, StepRow
from armarium.index.chain.service import Chain
from armarium.index.chain.steps import SILENCE
from armarium.index.upkeep import labels
from armarium.index.upkeep.labels import LEVELS, MADE_FROM, STATES, STEP_STATES, STEPS
from armarium.index.upkeep.service import Upkeep
from armarium.languages.speech import time_zone
from armarium.web.forms import Form
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.plots.model import Plot, Series
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/index/chain"
pages = Router(prefix=ADDRESS)
file_pages = Router(prefix="/index/files")

VIEW = guarded(Permission.INDEX_VIEW)
MANAGE = guarded(Permission.INDEX_MANAGE)
LAST_STEPS = 20
DAYS = 30  # of the plot


def upkeep_of(connection: HTTPConnection) -> Upkeep:
    return Upkeep.of(connection.app.state.services)


ChainService = Annotated[Chain, Depends(service(Chain))]
UpkeepService = Annotated[Upkeep, Depends(upkeep_of)]


@pages.get("", dependencies=VIEW)
def chain_page(page: Page, chain: ChainService, upkeep: UpkeepService, number: PageNumber = 1) -> Response:
    totals = upkeep.totals()
    steps, _ = chain.steps.page(limit=LAST_STEPS)
    days = last_days()
    return page.live(
        "index/chain_show.html",
        "index/chain_state.html",
        totals=totals,
        indexed=None if page.is_part else plot_of(days, upkeep.by_day(days, time_zone())),
        levels=shown_levels(upkeep),
        picture=labels,
        running=[shown_step(step) for step in steps if is_running(step)],
        steps=[shown_step(step) for step in steps if not is_running(step)],
        failed=[shown_file(file) for file in upkeep.failed(limit=PAGE_SIZE, offset=offset_of(number))],
        page=page.paging(number, totals.failed),
        paths_written=written_at(chain),
        may_change=page.may(Permission.INDEX_MANAGE),
        may_see_files=page.may(Permission.STORAGE_VIEW),
    )


def last_days() -> list[date]:
    today = clock.now().astimezone(ZoneInfo(time_zone())).date()
    return [today - timedelta(days=ago) for ago in reversed(range(DAYS))]


def plot_of(days: Sequence[date], lines: Sequence[int]) -> Plot:
    series = (Series(message("Captures"), lines),)
    return Plot("indexed", message("Captures indexed per day"), days, series, summed=True)


def shown_levels(upkeep: Upkeep) -> list[dict[str, Any]]:
    figures = upkeep.levels()
    most = max(one.lines for one in figures.values())
    return [
        {
            "level": level.value,
            "title": LEVELS[level][0],
            "help": LEVELS[level][1],
            "figures": figures[level],
            "bar": labels.bar(
                upkeep.longest(level, labels.MOST), figures[level].runs, figures[level].lines, most
            ),
        }
        for level in (Level.FILE, Level.DAY, Level.BIG)
    ]


def is_running(step: StepRow) -> bool:
    """One that has not been heard of for long was killed; nobody has noted it yet."""
    heard = step.heard_at or step.started_at
    return step.state == "running" and heard >= clock.now() - SILENCE


def shown_step(step: StepRow) -> dict[str, Any]:
    state = step.state if step.state != "running" or is_running(step) else "stopped"
    tone, title = STEP_STATES[state]
    ended = step.ended_at or (None if is_running(step) else step.heard_at)
    return {
        "id": step.id,
        "title": STEPS.get(step.step, step.step),
        "about": step.about,
        "tone": tone,
        "state": title,
        "started": step.started_at,
        "seconds": (ended - step.started_at).total_seconds() if ended else None,
        "ends": expected_end(step),
        "done": step.done,
        "total": step.total,
        "error": step.error,
    }


def expected_end(step: StepRow) -> datetime | None:
    """If it goes on as it went so far; None while that says nothing."""
    if not step.total or not 0 < step.done < step.total:
        return None
    now = clock.now()
    return now + (now - step.started_at) * ((step.total - step.done) / step.done)


def shown_file(file: IndexedFile) -> dict[str, Any]:
    tone, state = STATES[file.state]
    return {
        "file": file,
        "tone": "bad" if file.error else tone,
        "state": state,
        "made_from": MADE_FROM.get(file.made_from),
    }


def written_at(chain: Chain) -> datetime | None:
    """When the PATH index was written last; it lies where the workers have their data folder."""
    try:
        return datetime.fromtimestamp(chain.path_index.stat().st_mtime, UTC)
    except OSError:
        return None


# What may be asked of it ----------------------------------------------------------------------------


@pages.post("/merge", dependencies=MANAGE)
def merge_now(page: Page, upkeep: UpkeepService) -> Response:
    upkeep.merge(page.actor)
    text = message("The merge will start as soon as a worker is free.")
    return page.done(ADDRESS, text)


@pages.post("/big-merge", dependencies=MANAGE)
def big_merge_now(page: Page, upkeep: UpkeepService) -> Response:
    upkeep.merge(page.actor, big=True)
    text = message("The full merge will start as soon as a worker is free.")
    return page.done(ADDRESS, text)


@pages.post("/paths", dependencies=MANAGE)
def write_paths(page: Page, upkeep: UpkeepService) -> Response:
    upkeep.write_paths(page.actor)
    text = message("The path index will be written as soon as a worker is free.")
    return page.done(ADDRESS, text)


@pages.post("/retry", dependencies=MANAGE)
def retry_several(page: Page, form: PostedForm, upkeep: UpkeepService) -> Response:
    """Those that were selected, or all that failed."""
    numbers = [number for text in form.chosen("file") if (number := number_in(text))]
    for one in numbers:
        upkeep.retry(page.actor, one)
    count = len(numbers) or upkeep.retry_all(page.actor)
    return page.done(ADDRESS, message("Files to be retried: %(count)s.", count=count))


@pages.post("/files/{number}/retry", dependencies=MANAGE)
def retry_file(page: Page, number: Number, upkeep: UpkeepService) -> Response:
    file = upkeep.retry(page.actor, number)
    return page.done(ADDRESS, message("%(name)s will be retried.", name=file.name))


@pages.get("/rebuild", dependencies=MANAGE)
def rebuild_page(page: Page, upkeep: UpkeepService) -> Response:
    return show_rebuild(page, upkeep, Form())


@pages.post("/rebuild", dependencies=MANAGE)
def rebuild(page: Page, form: PostedForm, upkeep: UpkeepService) -> Response:
    if not form.ticked("sure"):
        refusal = Refused(message("Tick the box to confirm the rebuild."), field="sure")
        return show_rebuild(page, upkeep, form.refuse(refusal))
    count = upkeep.rebuild(page.actor)
    text = message("The index is being rebuilt. Files: %(count)s.", count=count)
    return page.done(ADDRESS, text)


def show_rebuild(page: PageRequest, upkeep: Upkeep, form: Form) -> Response:
    return page.show("index/chain_rebuild.html", form=form, totals=upkeep.totals())


# A part of the page of a file -----------------------------------------------------------------------


@file_pages.get("/{number}", dependencies=VIEW)
def file_part(page: Page, number: Number, upkeep: UpkeepService) -> Response:
    """What the index has of a file; the page of the file shows it. By itself it is a page, too."""
    file = upkeep.file(number)
    return page.live(
        "index/file_show.html",
        "index/file_part.html",
        one=shown_file(file),
        problems=upkeep.problems(number),
        may_change=page.may(Permission.INDEX_MANAGE),
        may_see_files=page.may(Permission.STORAGE_VIEW),
    )
