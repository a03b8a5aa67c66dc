"""The page of the chain: how far it is, what it does, what failed, and what may be asked of it."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import HTTPConnection, Request
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
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/index/chain"
pages = APIRouter(prefix=ADDRESS)
file_pages = APIRouter(prefix="/index/files")

VIEW = [Depends(needs(Permission.INDEX_VIEW))]
MANAGE = [Depends(needs(Permission.INDEX_MANAGE))]
LAST_STEPS = 20


def upkeep_of(connection: HTTPConnection) -> Upkeep:
    return Upkeep.of(connection.app.state.services)


ChainService = Annotated[Chain, Depends(service(Chain))]
UpkeepService = Annotated[Upkeep, Depends(upkeep_of)]


@pages.get("", dependencies=VIEW)
def chain_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    chain: ChainService,
    upkeep: UpkeepService,
    number: PageNumber = 1,
) -> Response:
    totals = upkeep.totals()
    steps, _ = chain.steps.page(limit=LAST_STEPS)
    context: dict[str, Any] = {
        "totals": totals,
        "levels": shown_levels(upkeep),
        "picture": labels,
        "running": [shown_step(step) for step in steps if is_running(step)],
        "steps": [shown_step(step) for step in steps if not is_running(step)],
        "failed": [shown_file(file) for file in upkeep.failed(limit=PAGE_SIZE, offset=offset_of(number))],
        "page": Paging(request, number, totals.failed),
        "paths_written": written_at(chain),
        "may_change": visitor.may(Permission.INDEX_MANAGE),
        "may_see_files": visitor.may(Permission.STORAGE_VIEW),
    }
    if request.headers.get("x-part"):
        return page.part(request, "index/chain_state.html", **context)
    return page.page(request, "index/chain_show.html", **context)


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
        "done": step.done,
        "total": step.total,
        "error": step.error,
    }


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
def merge_now(request: Request, visitor: Visitor, upkeep: UpkeepService) -> Response:
    upkeep.merge(visitor.actor)
    text = message("The merge is asked for, and begins as soon as a worker is free.")
    return done(request, ADDRESS, text)


@pages.post("/big-merge", dependencies=MANAGE)
def big_merge_now(request: Request, visitor: Visitor, upkeep: UpkeepService) -> Response:
    upkeep.merge(visitor.actor, big=True)
    text = message("The big merge is asked for, and begins as soon as a worker is free.")
    return done(request, ADDRESS, text)


@pages.post("/paths", dependencies=MANAGE)
def write_paths(request: Request, visitor: Visitor, upkeep: UpkeepService) -> Response:
    upkeep.write_paths(visitor.actor)
    text = message("The PATH index is written anew as soon as a worker is free.")
    return done(request, ADDRESS, text)


@pages.post("/retry", dependencies=MANAGE)
def retry_all(request: Request, visitor: Visitor, upkeep: UpkeepService) -> Response:
    count = upkeep.retry_all(visitor.actor)
    return done(request, ADDRESS, message("Files that are tried again: %(count)s.", count=count))


@pages.post("/files/{number}/retry", dependencies=MANAGE)
def retry_file(request: Request, number: Number, visitor: Visitor, upkeep: UpkeepService) -> Response:
    file = upkeep.retry(visitor.actor, number)
    return done(request, ADDRESS, message("%(name)s is tried again.", name=file.name))


@pages.get("/rebuild", dependencies=MANAGE)
def rebuild_page(request: Request, page: PageShell, upkeep: UpkeepService) -> Response:
    return show_rebuild(request, page, upkeep, Form())


@pages.post("/rebuild", dependencies=MANAGE)
def rebuild(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, upkeep: UpkeepService
) -> Response:
    if not form.ticked("sure"):
        refusal = Refused(message("Tick the box if all of the index shall be made anew."), field="sure")
        return show_rebuild(request, page, upkeep, form.refuse(refusal), status=422)
    count = upkeep.rebuild(visitor.actor)
    text = message("The index is made anew. Files: %(count)s.", count=count)
    return done(request, ADDRESS, text)


def show_rebuild(
    request: Request, page: PageShell, upkeep: Upkeep, form: Form, *, status: int = 200
) -> Response:
    return page.page(request, "index/chain_rebuild.html", status=status, form=form, totals=upkeep.totals())


# A part of the page of a file -----------------------------------------------------------------------


@file_pages.get("/{number}", dependencies=VIEW)
def file_part(
    request: Request, number: Number, visitor: Visitor, page: PageShell, upkeep: UpkeepService
) -> Response:
    """What the index has of a file; the page of the file shows it. By itself it is a page, too."""
    file = upkeep.file(number)
    context: dict[str, Any] = {
        "one": shown_file(file),
        "problems": upkeep.problems(number),
        "may_change": visitor.may(Permission.INDEX_MANAGE),
        "may_see_files": visitor.may(Permission.STORAGE_VIEW),
    }
    if request.headers.get("x-part"):
        return page.part(request, "index/file_part.html", **context)
    return page.page(request, "index/file_show.html", **context)
