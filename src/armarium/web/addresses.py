"""Addresses of this site as people outside see them."""

from starlette.requests import Request

from armarium.web.settings import WebSettings


def site_address(settings: WebSettings) -> str:
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "localhost" if settings.host in {"0.0.0.0", "::", "127.0.0.1", "::1"} else settings.host  # noqa: S104
    return f"http://{host}:{settings.port}"


def base_address(request: Request) -> str:
    """The address of the site, as the person who asks reaches it."""
    settings: WebSettings = request.app.state.settings
    if settings.public_url:
        return settings.public_url.rstrip("/")
    return f"{request.url.scheme}://{request.url.netloc}"


def welcome_address(request: Request, key: str) -> str:
    """The address of a one-time link."""
    return f"{base_address(request)}/welcome/{key}"
