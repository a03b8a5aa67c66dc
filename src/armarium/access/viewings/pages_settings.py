"""One viewing: its jobs and title, the word for the proxy, and its end."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.settings import AccessSettings
from armarium.access.viewings.model import Viewing
from armarium.access.viewings.page_data import ADDRESS, USE, ViewingsService, frame, person
from armarium.access.viewings.pages_list import chosen_in
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Identity
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, Shell, done

pages = APIRouter(prefix=f"{ADDRESS}/{{number}}")


@pages.get("/edit", dependencies=USE)
def edit_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, viewings: ViewingsService
) -> Response:
    return show_edit(request, page, visitor, viewings, number)


@pages.post("/edit", dependencies=USE)
def edit(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    viewings: ViewingsService,
) -> Response:
    try:
        chosen = chosen_in(form, viewings)
        changed = viewings.change(visitor.actor, person(visitor), number, chosen)
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_edit(request, page, visitor, viewings, number, form=refused, status=422)
    text = message("The viewing %(title)s is saved.", title=changed.title)
    return done(request, f"{ADDRESS}/{number}/edit", text)


@pages.post("/proxy-word", dependencies=USE)
def make_word(
    request: Request, number: Number, visitor: Visitor, page: PageShell, viewings: ViewingsService
) -> Response:
    """The word is shown by this answer, and never again."""
    try:
        word = viewings.make_proxy_word(visitor.actor, person(visitor), number)
    except Refused as refusal:
        return done(request, f"{ADDRESS}/{number}/edit", refusal.message, "bad")
    return show_edit(request, page, visitor, viewings, number, word=word)


@pages.post("/end", dependencies=USE)
def end(request: Request, number: Number, visitor: Visitor, viewings: ViewingsService) -> Response:
    ended = viewings.end(visitor.actor, person(visitor), number)
    return done(request, ADDRESS, message("The viewing %(title)s has ended.", title=ended.title))


@pages.post("/reopen", dependencies=USE)
def reopen(request: Request, number: Number, visitor: Visitor, viewings: ViewingsService) -> Response:
    opened = viewings.reopen(visitor.actor, person(visitor), number)
    text = message("The viewing %(title)s is open again.", title=opened.title)
    return done(request, f"{ADDRESS}/{number}", text)


def show_edit(
    request: Request,
    page: Shell,
    visitor: Identity,
    viewings: Viewings,
    number: int,
    *,
    form: Form | None = None,
    word: str = "",
    status: int = 200,
) -> Response:
    viewing = viewings.get(person(visitor), number)
    services: Services = request.app.state.services
    settings = services.get(Settings)[AccessSettings]
    proxy = f"{settings.proxy_host}:{settings.proxy_port}" if settings.proxy_port else ""
    context: dict[str, Any] = {
        **frame(viewing, "/edit", visitor),
        "form": form or form_of(viewing),
        "proxy": proxy,
        "word": word,
    }
    return page.page(request, "access/viewings_edit.html", status=status, **context)


def form_of(viewing: Viewing) -> Form:
    return filled(jobs=stretches(viewing.jobs), title=viewing.title, note=viewing.note)


def stretches(jobs: tuple[int, ...]) -> str:
    """As people write them: `12, 40-60`."""
    found: list[list[int]] = []
    for number in jobs:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
