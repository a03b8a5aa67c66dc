"""Errors as people and programs see them: a page, or problem+json (RFC 9457) below /api."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

import structlog
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from armarium.accounts.model import Identity, Throttled
from armarium.accounts.sessions import Sessions
from armarium.core.errors import ArmariumError, Forbidden, NotFound, Refused, Unavailable
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.web.guard import SignInNeeded

log = structlog.get_logger(__name__)

PROBLEM_TYPE = "application/problem+json"

#: Which status an error of the house has; the first class that fits.
STATUS: tuple[tuple[type[ArmariumError], int], ...] = (
    (Throttled, 429),
    (Refused, 422),
    (NotFound, 404),
    (SignInNeeded, 401),
    (Forbidden, 403),
    (Unavailable, 503),
)

TITLES: Mapping[int, Message] = {
    400: message("This request cannot be understood"),
    401: message("Sign in first"),
    403: message("Not allowed"),
    404: message("Not found"),
    405: message("Not possible here"),
    413: message("Too large"),
    422: message("Something needs correcting"),
    429: message("Too many attempts"),
    500: message("Something went wrong on our side"),
    503: message("Not available at the moment"),
}

TEXTS: Mapping[int, Message] = {
    400: message("The address contains characters that are not valid UTF-8, or the request is malformed."),
    404: message("There is nothing at this address. It may have been mistyped, or you may not see it."),
    405: message("This address cannot be used in this way."),
    413: message("The form or request is larger than this site accepts."),
    422: message("The request has values that cannot be used."),
    500: message("The error has been logged. If it happens again, give the administrator the number below."),
    503: message("A part of Armarium is being started or cannot be reached. Try again in a moment."),
}
UNKNOWN_HOST = message(
    "This site is not served under the name in the address. Add the name to the setting web.allowed_hosts."
)


@dataclass(frozen=True)
class Problem:
    status: int
    text: Message
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)  # further members for programs

    @property
    def title(self) -> Message:
        return TITLES.get(self.status) or Message(HTTPStatus(self.status).phrase)


def wants_json(request: Request) -> bool:
    return request.url.path == "/api" or request.url.path.startswith("/api/")


def respond(request: Request, problem: Problem) -> Response:
    if wants_json(request):
        return as_json(request, problem)
    return request.app.state.shell.problem_page(request, problem)  # type: ignore[no-any-return]


def as_json(request: Request, problem: Problem) -> Response:
    content = {
        "type": "about:blank",
        "title": say(problem.title),
        "status": problem.status,
        "detail": say(problem.text),
        "instance": request.url.path,
        "request_id": request_id(request),
        **problem.more,
    }
    return JSONResponse(content, problem.status, dict(problem.headers), PROBLEM_TYPE)


def request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


# One function for each way in which a request can fail ----------------------------------------------


async def answer_to_house_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ArmariumError)
    if isinstance(error, Refused) and (answer := await back_with_notice(request, error)):
        return answer
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
    if isinstance(error, SignInNeeded) and not wants_json(request):
        if request.method == "GET":
            return to_sign_in(request)
        if page := page_before(request):
            return after_the_end(page)
    log.warning("refused", status=status, reason=str(error))
    more = {"field": error.field} if isinstance(error, Refused) and error.field else {}
    return respond(request, Problem(status, error.message, headers_for(error), more))


async def back_with_notice(request: Request, refusal: Refused) -> Response | None:
    """What a button could not do is told on the page that has the button."""
    identity: Identity | None = getattr(request.state, "identity", None)
    page = page_before(request)
    if wants_json(request) or request.method != "POST" or not page or not identity or not identity.session:
        return None
    log.warning("refused", status=303, reason=str(refusal))
    services: Services = request.app.state.services
    put = services.get(Sessions).put_notice
    await run_in_threadpool(put, identity.session, "bad", refusal.message)
    return RedirectResponse(page, status_code=303)


def page_before(request: Request) -> str | None:
    """The page of ours from which a form was sent; browsers name it, and an error must not depend on it."""
    came_from = urlsplit(request.headers.get("referer", ""))
    is_path = came_from.path.startswith("/") and not came_from.path.startswith("//")  # that is another site
    if came_from.netloc != request.headers.get("host") or not is_path:
        return None
    return came_from.path + (f"?{came_from.query}" if came_from.query else "")


def headers_for(error: ArmariumError) -> dict[str, str]:
    if isinstance(error, SignInNeeded):
        return {"WWW-Authenticate": 'Bearer realm="armarium"'}
    if isinstance(error, Throttled):
        return {"Retry-After": str(math.ceil(error.seconds))}
    if isinstance(error, Unavailable):
        return {"Retry-After": "5"}
    return {}


def to_sign_in(request: Request) -> Response:
    """To the sign-in page and back; a live part gets 401, since a redirect would put a page into a page."""
    if request.headers.get("x-part"):
        return Response(status_code=401)
    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(target, safe='/')}", status_code=303)


def after_the_end(page: str) -> Response:
    """Who sent a form when the session had ended comes back to its page, where the browser still has what was
    typed (drafts.js)."""
    return RedirectResponse(f"/sign-in?ended=1&next={quote(page, safe='/')}", status_code=303)


def answer_to_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = UNKNOWN_HOST if error.detail == "host" else TEXTS.get(error.status_code, TEXTS[400])
    return respond(request, Problem(error.status_code, text, dict(error.headers or {})))


def answer_to_invalid_values(request: Request, error: Exception) -> Response:
    """FastAPI's validation; on pages only paths and queries are validated so, hence «not found»."""
    assert isinstance(error, RequestValidationError)
    log.warning("refused", status=422, reason="invalid values", count=len(error.errors()))
    if not wants_json(request):
        return respond(request, Problem(404, TEXTS[404]))
    # Only place and reason: the value itself may be a password.
    found = [{"place": [str(p) for p in e["loc"]], "reason": e["msg"]} for e in error.errors()]
    return respond(request, Problem(422, TEXTS[422], more={"errors": found}))


def answer_to_impossible_values(request: Request, error: Exception) -> Response:
    """What the database or a calendar cannot hold and nothing before noticed: numbers and dates that are too
    large or too small, NUL."""
    kind = type(error.orig if isinstance(error, DataError) else error).__name__
    log.warning("refused", status=422, reason="nothing can hold it", kind=kind)
    return respond(request, Problem(422, TEXTS[422]))


def answer_to_our_fault(request: Request) -> Response:
    return respond(request, Problem(500, TEXTS[500]))
