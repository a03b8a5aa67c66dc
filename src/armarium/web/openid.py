"""Signing in by a provider of OpenID Connect: the way there, and the way back."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from armarium.accounts.directory.model import NotAdmitted
from armarium.accounts.directory.openid import TIME, Answer, OpenId
from armarium.accounts.directory.service import Directories
from armarium.core.errors import NotFound, Refused, Unavailable
from armarium.core.message import message
from armarium.web import cookies
from armarium.web.addresses import base_address
from armarium.web.forms import Form
from armarium.web.guard import ADDRESS_HIDDEN, client_address
from armarium.web.routes import Router
from armarium.web.services import DirectoriesService, SessionsService
from armarium.web.shell import PageShell
from armarium.web.sign_in import AnyVisitor, entered, inside, show_not_admitted, show_sign_in

router = Router(include_in_schema=False)

BACK = "/sign-in/openid/answer"
LONGEST_TARGET = 4000  # characters: it is kept for strangers, as often as they ask


def callback(request: Request) -> str:
    """Where the provider sends browsers back to; it has to be registered there."""
    return base_address(request) + BACK


# A link and not a form: browsers follow no form to another site under our policy (form-action).
@router.get("/sign-in/openid")
def depart(
    request: Request,
    _: AnyVisitor,
    page: PageShell,
    directories: DirectoriesService,
    next: str = "/",  # noqa: A002
) -> Response:
    target = inside(next) if len(next) <= LONGEST_TARGET else "/"
    try:
        departure = configured(directories).begin(target, callback(request))
    except (Refused, Unavailable) as problem:
        status = 503 if isinstance(problem, Unavailable) else 422
        return show_sign_in(request, page, Form().refuse(Refused(problem.message)), target, status)
    response = RedirectResponse(departure.address, status_code=303)
    cookies.put_departure(request, response, departure.key, int(TIME.total_seconds()))
    return response


def answer_of(
    code: str = "", state: str = "", iss: str | None = None, error: str = "", error_description: str = ""
) -> Answer:
    return Answer(code, state, iss, error, error_description)


@router.get(BACK)
def come_back(
    request: Request,
    visitor: AnyVisitor,
    page: PageShell,
    directories: DirectoriesService,
    sessions: SessionsService,
    answer: Annotated[Answer, Depends(answer_of)],
) -> Response:
    agent = request.headers.get("user-agent", "")
    try:
        provider, key = configured(directories), cookies.departure_key(request)
        person, target = provider.finish(key, answer, callback(request))
        opened, _account = sessions.enter(person, address=client_address(request), agent=agent)
    except NotAdmitted as refusal:
        response = show_not_admitted(request, page, refusal)
    except (Refused, Unavailable) as problem:
        status = 503 if isinstance(problem, Unavailable) else 403
        form = Form().refuse(Refused(problem.message))
        response = show_sign_in(request, page, form, "/", status)
    else:
        response = entered(request, visitor, opened, target)
    cookies.drop_departure(request, response)
    response.headers["Referrer-Policy"] = ADDRESS_HIDDEN
    return response


def configured(directories: Directories) -> OpenId:
    if directories.openid is None:
        raise NotFound(message("There is no sign-in by OpenID Connect here."))
    return directories.openid
