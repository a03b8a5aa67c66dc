"""The pages of the help, their pictures, and what the search box finds in them."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Query
from markupsafe import Markup
from starlette.responses import FileResponse, Response

from armarium.accounts.model import Identity
from armarium.core.errors import NotFound
from armarium.core.late import late
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.web.finding import LONGEST, MOST, Finder, Found
from armarium.web.guard import signed_in
from armarium.web.help.library import HELP, PICTURES, Heading, Library, Source, top
from armarium.web.help.searching import Index
from armarium.web.pages import Page
from armarium.web.routes import Router

if TYPE_CHECKING:
    from armarium.web.help.rendering import rendered
else:  # Markdown's parser is needed when somebody reads, and not at the start
    rendered = late("armarium.web.help.rendering:rendered")

pages = Router()

#: Folder of docs/: its title. Pages of the empty one tell of the project.
SECTIONS: Mapping[str, Message] = {
    "tutorial": message("Tutorials"),
    "how-to": message("How to"),
    "reference": message("Reference"),
    "decisions": message("Decisions"),
    "": message("About Armarium"),
}
HEADINGS = 60  # more of them are a list of chapters, not a table of contents


@cache  # as templates, they are those of the version that was started
def library() -> Library:
    return Library(top())


@cache
def index() -> Index:
    return Index(library().pages.values())


@cache
def html_of(name: str, chapter: str, table: str) -> Markup:
    page = library().pages[name]
    pieces = page.chapters[chapter] if page.is_large else page.pieces
    return rendered(pieces, lambda target: library().lead(page, target), table)


@pages.get("/help/search", dependencies=[Depends(signed_in)])
def search(page: Page, q: Annotated[str, Query(max_length=LONGEST)] = "") -> Response:
    words = q.replace("\0", "").strip()
    return page.show("help_search.html", words=words, hits=index().find(words), tabs=_tabs(None))


@pages.get("/help/{name:path}", dependencies=[Depends(signed_in)])
def show(page: Page, name: str) -> Response:
    if file := library().pictures.get(name):  # only what was listed: no path leads out of the folder
        return FileResponse(
            file, media_type=PICTURES[file.suffix], headers={"Cache-Control": "private, max-age=3600"}
        )
    found = library().found(name.rstrip("/"))
    if found is None:
        raise NotFound(message("There is no such page of help."))
    source, chapter = found
    html = html_of(source.name, chapter, say(message("Table")))
    return page.show(
        "help.html",
        source=source,
        chapter=chapter,
        heading=source.chapters[chapter][0].heading.text if chapter else source.title,
        html=html,
        contents=_contents(source, chapter),
        chapters=[(one, source.chapters[one][0].heading) for one in source.chapters if one]
        if source.is_large
        else [],
        siblings=_siblings(source),
        section=SECTIONS.get(source.folder) if source.name else None,
        tabs=_tabs(source),
    )


def _contents(source: Source, chapter: str) -> Sequence[Heading]:
    """The headings of what is shown, below its title; only the upper ones of a long page."""
    pieces = source.chapters[chapter] if source.is_large else source.pieces
    below = [piece.heading for piece in pieces[1:]]
    return [heading for heading in below if heading.level <= (3 if len(below) <= HEADINGS or chapter else 2)]


def _siblings(source: Source) -> Sequence[Source]:
    """The pages of its section, in the order in which its README lists them."""
    of_section = [one for one in library().pages.values() if one.folder == source.folder and one.name]
    readme = library().pages.get(source.folder)
    listed = readme.text if readme else ""
    return sorted(of_section, key=lambda one: (listed.find(f"({one.file})"), one.title.casefold()))


def _tabs(source: Source | None) -> Sequence[Mapping[str, object]]:
    tabs = [{"label": message("Start"), "href": HELP, "current": source is not None and not source.name}]
    for folder, title in SECTIONS.items():
        current = source is not None and bool(source.name) and source.folder == folder
        tabs.append({"label": title, "href": HELP + (folder or "readme"), "current": current})
    return tabs


# --- What the search box finds.


def _found(_services: Services, _identity: Identity, words: str) -> Sequence[Found]:
    return [
        Found(hit.heading or hit.page, hit.href, hit.page if hit.heading else "")
        for hit in index().find(words)[: MOST + 1]
    ]


FINDER = Finder(message("Help"), None, _found, "/help/search?q=")
