"""The cookies of the staff site: keys of a session, of a visitor before sign-in, of a browser on its way to a
provider; language, theme."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.keys import new_key
from armarium.web.settings import WebSettings

YEAR = 365 * 24 * 3600


def secure(settings: WebSettings) -> bool:
    return urlsplit(settings.public_url or "").scheme == "https"


def _name(request: Request, plain: str) -> str:
    """Over https the browser itself guards the cookie's origin (RFC 6265bis, 4.1.3.2)."""
    return f"__Host-{plain}" if secure(request.app.state.settings) else plain


def session_key(request: Request) -> str | None:
    return request.cookies.get(_name(request, "armarium_session"))


def visit_key(request: Request) -> str | None:
    return request.cookies.get(_name(request, "armarium_visit"))


def put(
    request: Request, response: Response, plain: str, value: str, *, keep: int | None, strict: bool
) -> None:
    response.set_cookie(
        _name(request, plain),
        value,
        max_age=keep,
        httponly=True,
        secure=secure(request.app.state.settings),
        samesite="strict" if strict else "lax",
        path="/",
    )


def put_session(request: Request, response: Response, key: str) -> None:
    # Lax, not strict: a link in a mail to a page must find the reader signed in. Changes need CSRF proof.
    put(request, response, "armarium_session", key, keep=None, strict=False)


def drop_session(request: Request, response: Response) -> None:
    _drop(request, response, "armarium_session")


def _drop(request: Request, response: Response, plain: str) -> None:
    https = secure(request.app.state.settings)
    response.delete_cookie(_name(request, plain), path="/", secure=https, httponly=True)


def departure_key(request: Request) -> str | None:
    return request.cookies.get(_name(request, "armarium_openid"))


def put_departure(request: Request, response: Response, key: str, seconds: int) -> None:
    # Lax: the provider sends the browser back from another site, and the cookie has to come along.
    put(request, response, "armarium_openid", key, keep=seconds, strict=False)


def drop_departure(request: Request, response: Response) -> None:
    _drop(request, response, "armarium_openid")


def ensure_visit(request: Request) -> str:
    """The key that ties a form before sign-in to this browser, made when there is none."""
    known = visit_key(request) or getattr(request.state, "new_visit", None)
    if known is None:
        known = request.state.new_visit = new_key()
    return known


def keep_visit(request: Request, response: Response) -> None:
    if new := getattr(request.state, "new_visit", None):
        put(request, response, "armarium_visit", new, keep=None, strict=True)


def preference(request: Request, name: str) -> str | None:
    return request.cookies.get(f"armarium_{name}")


def put_preference(request: Request, response: Response, name: str, value: str) -> None:
    response.set_cookie(
        f"armarium_{name}",
        value,
        max_age=YEAR,
        httponly=True,
        secure=secure(request.app.state.settings),
        samesite="lax",
    )
