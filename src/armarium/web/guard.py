"""Who asks, and whether they may. A route names one guard: `public`, `signed_in`, `in_person`, `needs(…)`.

A test walks all routes and fails for one without a guard, so that a forgotten line shuts a page's author
out of the tests instead of letting the world in.
"""

import hmac
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

import structlog
from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request

from armarium.accounts.model import Identity, Permission
from armarium.accounts.rules import permissions_of
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import Tokens
from armarium.core.errors import ArmariumError, Forbidden
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages import speech
from armarium.web.addresses import site_address
from armarium.web.cookies import session_key, visit_key
from armarium.web.forms import FORM_TYPE, is_upload, read_form, read_upload

# --- Whether a request was begun by a page of another site, as far as the browser says so.


#: The Referrer-Policy of a page whose address holds a secret: nobody learns more of it than the host. With
#: "no-referrer" its forms would be sent from the origin "null", and be taken for foreign.
ADDRESS_HIDDEN = "strict-origin"
OWN = frozenset({"same-origin", "none"})  # none: typed by a person
DEFAULT_PORTS = {"http": 80, "https": 443}


def is_foreign(headers: Headers, address: str) -> bool:
    """`address`: of our site, as people outside see it. Each header that names another site is believed."""
    if headers.get("sec-fetch-site", "same-origin") not in OWN:
        return True
    host = headers.get("host", "")
    return not all(_is_own(origin, host, address) for origin in headers.getlist("origin"))


def _is_own(origin: str, host: str, address: str) -> bool:
    try:
        named, port = urlsplit(origin.lower()), urlsplit(origin).port
        own = {host.lower(), urlsplit(address.lower()).netloc}
    except ValueError:
        return False
    if named.scheme not in DEFAULT_PORTS or "@" in named.netloc:
        return False
    # Whether people come by TLS only the proxy knows, which may leave its own port out of the Host header.
    plain = named.hostname if port in {None, DEFAULT_PORTS[named.scheme]} else None
    return named.netloc in own or plain in own


# --- Who asks, and whether they may.


log = structlog.get_logger(__name__)

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LIVE = "/live"
SIGN_IN = "/sign-in"  # its form is from before sign-in, even if another tab was faster
CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf_token"


class SignInNeeded(ArmariumError):  # noqa: N818
    """Nobody is signed in: a page leads to the sign-in page, the API answers 401."""


class ForgedRequest(Forbidden):
    """A changing request without proof that it comes from a page of ours."""


def client_address(request: Request) -> str:
    host = request.client.host if request.client else "unknown"
    return host.removeprefix("::ffff:")  # an IPv4 client of a socket that serves both (RFC 4291, 2.5.5.2)


async def identify(request: Request) -> Identity | None:
    """The identity that the request proves, looked up once per request."""
    if not hasattr(request.state, "identity"):
        shown = "authorization" in request.headers or session_key(request)
        # A thread and the database only for those who show something: probes must not wait for others.
        found = request.state.identity = await run_in_threadpool(_look_up, request) if shown else None
        if found and found.account.language:
            speech.bind(found.account.language)
    identity: Identity | None = request.state.identity
    return identity


def _look_up(request: Request) -> Identity | None:
    services: Services = request.app.state.services
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme:
        # Whoever shows a token is judged by the token alone, never by a cookie that came along.
        return (
            services.get(Tokens).identity(secret.strip(), client_address(request))
            if _is_bearer(scheme)
            else None
        )
    if key := session_key(request):
        by_itself = request.url.path == LIVE or "x-part" in request.headers
        return services.get(Sessions).identity(key, client_address(request), renew=not by_itself)
    return None


def _is_bearer(scheme: str) -> bool:
    return scheme.lower() == "bearer"


async def public(request: Request) -> Identity | None:
    """Guard of pages for everybody."""
    identity = await identify(request)
    await refuse_forgery(request, identity)
    return identity


async def signed_in(request: Request) -> Identity:
    """Guard of pages for everybody who is signed in."""
    identity = await identify(request)
    if identity is None:
        raise SignInNeeded(message("Sign in to continue."))
    await refuse_forgery(request, identity)
    return identity


async def in_person(request: Request) -> Identity:
    """Guard of one's own account: a token that leaked must not make further tokens or a new password."""
    identity = await signed_in(request)
    if identity.session is None:
        log.warning("refused to a token", account=identity.account.name)
        raise Forbidden(message("An API token is not enough here: sign in on the pages."))
    return identity


@dataclass(frozen=True)
class Needs:
    """Guard of pages for those who have a permission."""

    permission: Permission

    async def __call__(self, request: Request) -> Identity:
        identity = await signed_in(request)
        if not identity.may(self.permission):
            name = self.permission.value
            log.warning("refused for lack of permission", account=identity.account.name, permission=name)
            raise Forbidden(lacking(identity, self.permission))
        return identity


def needs(permission: Permission) -> Needs:
    return Needs(permission)


def lacking(identity: Identity, permission: Permission) -> Message:
    if permission in permissions_of(identity.account.roles):
        return message("The token does not have the scope “%(name)s”.", name=permission.value)
    return message("Your roles do not include the permission “%(name)s”.", name=permission.value)


async def refuse_forgery(request: Request, identity: Identity | None) -> None:
    """A changing request by cookie must prove that it comes from a page of ours (CSRF).

    Browsers send cookies along with requests that other sites start. A token is shown on purpose, so
    requests with a token need no further proof.
    """
    if request.method in SAFE_METHODS or (identity and identity.session is None):
        return
    if is_foreign(request.headers, site_address(request.app.state.settings)):
        raise _forged(request, "another site")
    good = {identity.session.csrf if identity and identity.session else visit_key(request)}
    if request.url.path == SIGN_IN:
        good.add(visit_key(request))
    given = request.headers.get(CSRF_HEADER) or await _posted_token(request)
    if not any(token and given and hmac.compare_digest(token.encode(), given.encode()) for token in good):
        raise _forged(request, "no valid token")


async def _posted_token(request: Request) -> str:
    if is_upload(request):
        return (await read_upload(request)).get(CSRF_FIELD)
    if not request.headers.get("content-type", "").startswith(FORM_TYPE):
        return ""
    return (await read_form(request)).get(CSRF_FIELD)


def _forged(request: Request, reason: str) -> ForgedRequest:
    log.warning("refused as possibly forged", reason=reason, address=client_address(request))
    return ForgedRequest(
        message(
            "This request does not come from a page that is still valid. Load the page again and repeat it."
        )
    )


Visitor = Annotated[Identity, Depends(signed_in)]
