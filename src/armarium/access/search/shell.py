"""The shell of the readers' pages: what each of them knows, its files, and what a reader chose for it."""

import re
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from armarium.access.model import Collection, Reader
from armarium.access.requests.site import Guest, Problem, Site, Visit
from armarium.access.search import dates, links
from armarium.accounts.model import Role
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.languages import speech
from armarium.languages.catalogues import languages
from armarium.web.templating import furnished, lean

STATIC = "/-/static/"
_PACKAGES = ("armarium.access", "armarium.web")  # the first that has the file
_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(?:css|js|svg)\Z")
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_YEAR_SECONDS = 31_536_000


@lru_cache(maxsize=200)
def static_file(name: str) -> tuple[bytes, str]:
    """A file, and a mark that changes with it; raises `NotFound`."""
    if _NAME.match(name):
        for package in _PACKAGES:
            file = resources.files(package) / "static" / name
            if file.is_file():
                content = lean(name, file.read_bytes())
                return content, sha256(content).hexdigest()[:12]
    raise NotFound(message("There is no such file."))


def static_address(name: str) -> str:
    """With a mark of its content, so that browsers may keep it for long."""
    return f"{STATIC}{name}?v={static_file(name)[1]}"


def serve_static(visit: Visit) -> Response:
    name, _, asked = visit.rest.partition("?")
    content, mark = static_file(name)
    # During an upgrade an old process may be asked for a new file: its content must not be kept as such.
    kept = f"max-age={_YEAR_SECONDS}, immutable" if asked == f"v={mark}" else "max-age=60"
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"Cache-Control": f"public, {kept}"})


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
        "static": static_address,
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


# Language and appearance, which a browser keeps for a year; and how far apart parts of a page may be.
# In a house with accounts the pages of readers keep the first two; files without a house need this.


SPREAD = "armarium_spread"  # days that the parts of a page may be from it
SPREAD_ADDRESS = "/-/spread"  # on either origin
MOST_DAYS = 36_500
_YEAR = 365 * 24 * 3600


def keep_appearance(visit: Visit) -> Response:
    """Nothing of it needs proof that our own form was sent: a foreign one could only change the language."""
    chosen = {name: values[0] for name, values in parse_qs(visit.body.decode("utf-8", "replace")).items()}
    response = RedirectResponse(back_to(chosen.get("back", "/")), 303)
    if chosen.get("language") in languages():
        put(visit, response, "armarium_language", chosen["language"])
    if chosen.get("theme") in THEMES:
        put(visit, response, "armarium_theme", chosen["theme"])
    return response


def keep_spread(visit: Visit) -> Response:
    """How far from a page its parts may be, for the reader's frames; they tell it to the content's origin."""
    asked = visit.request.query_params
    days = asked.get("days", "0")
    response = RedirectResponse(back_to(asked.get("back", "/")), 303)
    if days.isascii() and days.isdigit() and int(days[:6]) <= MOST_DAYS:
        put(visit, response, SPREAD, str(int(days[:6])))
    return response


def back_to(path: str) -> str:
    """A page of ours. Browsers read `//host` and `/\\host` as another site."""
    is_ours = path.startswith("/") and path[1:2] not in {"/", "\\"} and path.isprintable()
    return path if is_ours else "/"


def put(visit: Visit, response: Response, name: str, value: str) -> None:
    secure = visit.site.settings.reading.startswith("https:")
    response.set_cookie(name, value, max_age=_YEAR, httponly=True, secure=secure, samesite="lax")
