"""Signing in and out, one-time links, and the choice of language and theme."""

from typing import Annotated
from urllib.parse import quote

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from armarium.accounts.directory.model import NotAdmitted
from armarium.accounts.directory.service import Directories
from armarium.accounts.model import Account, Identity, Profile, Throttled
from armarium.accounts.rules import SHORTEST_PASSWORD, permissions_of
from armarium.accounts.sessions import Sessions
from armarium.core.errors import Refused, Unavailable
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.catalogues import languages
from armarium.web import cookies
from armarium.web.forms import Form
from armarium.web.guard import ADDRESS_HIDDEN, client_address, public
from armarium.web.lists import keep_columns
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService, SessionsService
from armarium.web.shell import THEMES, PageShell, Shell

router = Router(include_in_schema=False)

AnyVisitor = Annotated[Identity | None, Depends(public)]


def inside(target: str) -> str:
    """A path on this site, or the home page: the parameter must not lead readers to another site."""
    # Browsers read a backslash as a slash and drop tabs and line ends, so that "/\\evil" is "//evil".
    safe = target.startswith("/") and not target.startswith("//") and "\\" not in target
    return target if safe and target.isprintable() else "/"


@router.get("/sign-in")
def sign_in_page(
    request: Request,
    visitor: AnyVisitor,
    page: PageShell,
    next: str = "/",  # noqa: A002
    ended: bool = False,
) -> Response:
    if visitor and visitor.session:
        return RedirectResponse(inside(next), status_code=303)
    return show_sign_in(request, page, Form(), inside(next), ended=ended)


def show_sign_in(
    request: Request, page: Shell, form: Form, target: str, status: int = 200, *, ended: bool = False
) -> Response:
    services: Services = request.app.state.services
    directories = services.get(Directories)
    context = {
        "form": form,
        "next": target,
        "ended": ended,
        "here": f"/sign-in?next={quote(target)}",  # not the address of an answer that is spent
        "contact": request.app.state.settings.contact,
        "directory": directories.ldap is not None,
        "provider": directories.openid.settings.title if directories.openid else "",
    }
    return page.page(request, "sign_in.html", status=status, **context)


def show_not_admitted(request: Request, page: Shell, refusal: NotAdmitted) -> Response:
    """Somebody whom the directory knows and this house does not let in, which a password cannot mend."""
    context = {
        "reason": refusal.message,
        "here": "/sign-in",
        "groups": sorted(refusal.groups),
        "contact": request.app.state.settings.contact,
    }
    return page.page(request, "not_admitted.html", status=403, **context)


@router.post("/sign-in")
def sign_in(
    request: Request, visitor: AnyVisitor, form: PostedForm, page: PageShell, sessions: SessionsService
) -> Response:
    target = inside(form.get("next"))
    try:
        key, _account = sessions.sign_in(
            form.get("name"),
            form.get("password"),
            address=client_address(request),
            agent=request.headers.get("user-agent", ""),
        )
    except NotAdmitted as refusal:
        return show_not_admitted(request, page, refusal)
    except Unavailable as away:
        return show_sign_in(request, page, form.refuse(Refused(away.message)), target, 503)
    except Refused as refusal:
        status = 429 if isinstance(refusal, Throttled) else 422
        answer = show_sign_in(request, page, form.refuse(refusal), target, status)
        if isinstance(refusal, Throttled):
            answer.headers["Retry-After"] = str(refusal.seconds)
        return answer
    return entered(request, visitor, key, target)


def entered(request: Request, visitor: Identity | None, key: str, target: str) -> Response:
    """A new session under a new key: neither one that was planted before sign-in nor the old one opens it."""
    if visitor:
        services: Services = request.app.state.services
        services.get(Sessions).sign_out(visitor)
    response = RedirectResponse(target, status_code=303)
    cookies.put_session(request, response, key)
    return response


@router.post("/sign-out")
def sign_out(request: Request, visitor: AnyVisitor, sessions: SessionsService) -> Response:
    if visitor:
        sessions.sign_out(visitor)
    response = RedirectResponse("/sign-in", status_code=303)
    cookies.drop_session(request, response)
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@router.get("/welcome/{key}")
def welcome_page(
    request: Request, key: str, _: AnyVisitor, page: PageShell, accounts: AccountsService
) -> Response:
    _link, person = accounts.look_at_link(key)
    return show_welcome(request, page, Form(), person)


def show_welcome(
    request: Request, page: Shell, form: Form, person: Account | None, status: int = 200
) -> Response:
    context = {"form": form, "first": person is None, "person": person, "minimum": SHORTEST_PASSWORD}
    answer = page.page(request, "welcome.html", status=status, **context)
    answer.headers["Referrer-Policy"] = ADDRESS_HIDDEN
    return answer


@router.post("/welcome/{key}")
def welcome(
    request: Request,
    key: str,
    visitor: AnyVisitor,
    form: PostedForm,
    page: PageShell,
    accounts: AccountsService,
    sessions: SessionsService,
) -> Response:
    _link, person = accounts.look_at_link(key)
    first = Profile(form.get("name"), form.get("display_name"), "", "", frozenset())
    address, agent = client_address(request), request.headers.get("user-agent", "")
    try:
        refuse_unlike(form)
        given = None if person else first
        account = accounts.use_link(key, form.get("password"), address, first=given)
    except Refused as refusal:
        return show_welcome(request, page, form.refuse(refusal), person, 422)
    session = sessions.open_for(account, address=address, agent=agent)
    return entered(request, visitor, session, first_page(page, account))


def first_page(page: Shell, account: Account) -> str:
    """The overview; for readers their own site, as there is nothing for them here."""
    if permissions_of(account.roles):
        return "/"
    return next((section.for_readers for section in page.sections if section.for_readers), "/")


def refuse_unlike(form: Form) -> None:
    if form.get("password") != form.get("repeat"):
        raise Refused(message("The two passwords are not the same."), field="repeat")


@router.post("/preferences")
def preferences(
    request: Request, visitor: AnyVisitor, form: PostedForm, accounts: AccountsService
) -> Response:
    """Choose language, theme or the columns of a list: for this browser, the language for the account too."""
    response = RedirectResponse(inside(form.get("back")), status_code=303)
    language, theme = form.get("language"), form.get("theme")
    if language in languages():
        cookies.put_preference(request, response, "language", language)
        if visitor and visitor.session:
            accounts.set_language(visitor.actor, visitor.account.id, language)
    if theme in THEMES:
        cookies.put_preference(request, response, "theme", theme)
    if of := form.get("list"):
        keep_columns(request, response, of, form.chosen("column"))
    return response
