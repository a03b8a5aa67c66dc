"""What the search box shows: as a page, and as the list below the box while somebody types."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Identity
from armarium.core.message import message
from armarium.core.services import Services
from armarium.web.finding import LONGEST, MOST, Answer, Found, answers, fits
from armarium.web.guard import signed_in
from armarium.web.help.pages import FINDER as HELP
from armarium.web.pages import Page, PageRequest
from armarium.web.routes import Router
from armarium.web.sections import Section, navigation

pages = Router()

PAGES = message("Pages")


@pages.get("/find", dependencies=[Depends(signed_in)])
def find(page: Page, q: Annotated[str, Query(max_length=LONGEST)] = "") -> Response:
    words = q.replace("\0", "").strip()
    found = list(_found(page, words)) if words else []
    return page.live("find.html", "find_found.html", words=words, answers=found)


def _found(page: PageRequest, words: str) -> Iterator[Answer]:
    services: Services = page.request.app.state.services
    if entries := _entries(page.shell.sections, page.visitor, words):
        yield Answer(PAGES, entries)
    finders = [finder for section in page.shell.sections for finder in section.finders]
    yield from answers([*finders, HELP], services, page.visitor, words)


def _entries(sections: Sequence[Section], visitor: Identity, words: str) -> list[Found]:
    """Pages of the menu, and those that are too rare for it."""
    items = [(group.label, item) for group in navigation(sections, visitor, "") for item in group.entries]
    fitting = [(place, item) for place, item in items if fits(words, place, item.label, item.help)]
    fitting.sort(key=lambda of: not fits(words, of[1].label))
    return [Found(item.label, item.href, place) for place, item in fitting[:MOST]]
