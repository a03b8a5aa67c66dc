"""The shell of the readers' pages: what each of them knows, and how it is made."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from armarium.access.door.problems import Problem
from armarium.access.door.site import Guest, Site, Visit
from armarium.access.model import Collection, Reader
from armarium.access.search import dates, links, statics
from armarium.accounts.model import Role
from armarium.core.message import Message, message
from armarium.languages import speech
from armarium.languages.catalogues import languages
from armarium.web.templating import furnished

THEMES = ("auto", "light", "dark")
_TEMPLATES = ("armarium.access", "armarium.web")
_VISITORS = frozenset({Role.READER, Role.RESEARCHER})


def page(visit: Visit, template: str, *, status: int = 200, **context: Any) -> Response:
    """A page for this visit. Called in the visit's thread, which speaks the reader's language."""
    known = {**surroundings(visit.site, visit.guest, visit.request), "collection": visit.collection}
    return _rendered(template, status, {**known, **context})


class ProblemPages:
    """Errors in words: a page for people, problem+json (RFC 9457) for programs."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def __call__(self, visit: Visit | None, request: Request, problem: Problem) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return _problem_json(request, problem)
        guest = visit.guest if visit else Guest(Reader())
        context = surroundings(self._site, guest, request)
        context |= {
            "collection": visit.collection if visit else None,
            "status": problem.status,
            "title": problem.title,
            "text": problem.text,
            "request_id": getattr(request.state, "request_id", ""),
        }
        return _rendered("reading/problem.html", problem.status, context)


def surroundings(site: Site, guest: Guest, request: Request) -> dict[str, Any]:
    """What the frame of every page shows."""
    theme = request.cookies.get("armarium_theme", "")
    return {
        "site": site,
        "guest": guest,
        "has_accounts": site.viewings is not None,  # files without a house have none
        "is_staff": is_staff(guest.reader),
        "here": here(request),
        "language": speech.language().code,
        "languages": [(language.code, language.name) for language in languages().values()],
        "theme": theme if theme in THEMES else "auto",
        "library": site.library,
        "csrf_token": guest.session.csrf if guest.session else "",
        "static": statics.address,
        "title_of": title_of,
        "dates": dates,
        "links": links,
    }


def title_of(collection: Collection) -> str | Message:
    if collection.everything:
        return message("Everything")
    return collection.title or collection.name


def here(request: Request) -> str:
    """Path and query of this page as they came: decoded, an archived address in it would be another."""
    if request.method != "GET":
        return "/"
    path: bytes = (request.scope.get("raw_path") or request.scope["path"].encode()).partition(b"?")[0]
    query: bytes = request.scope["query_string"]
    return (path + (b"?" + query if query else b"")).decode("latin-1")


def is_staff(reader: Reader) -> bool:
    """Whether somebody works in the archive, and does not only read in it."""
    return bool(reader.roles - _VISITORS)


def _problem_json(request: Request, problem: Problem) -> Response:
    content = {
        "type": "about:blank",
        "title": speech.say(problem.title),
        "status": problem.status,
        "detail": speech.say(problem.text),
        "request_id": getattr(request.state, "request_id", ""),
    }
    return JSONResponse(content, problem.status, media_type="application/problem+json")


def _rendered(template: str, status: int, context: dict[str, Any]) -> Response:
    text = furnished(_TEMPLATES).get_template(template).render(context)
    return HTMLResponse(text, status)
