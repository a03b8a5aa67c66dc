"""The web application, assembled from what the door hands over."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from sqlalchemy.exc import DataError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import armarium
from armarium.accounts.model import Identity, Permission
from armarium.core.errors import ArmariumError, Forbidden
from armarium.core.lately import Lately
from armarium.core.message import message
from armarium.core.services import Services
from armarium.processes.model import Check, examine
from armarium.web import finding_pages, home, live, my_account, openid, problems, report, sign_in
from armarium.web.addresses import site_address
from armarium.web.api import described
from armarium.web.cookies import secure
from armarium.web.guard import client_address, public
from armarium.web.help import pages as help_pages
from armarium.web.live import Hub
from armarium.web.middleware import Harden, Headless, Homeward, Metrics, Screen, Watch
from armarium.web.routes import Router, below
from armarium.web.sections import Section
from armarium.web.settings import WebSettings
from armarium.web.shell import Shell
from armarium.web.templating import lean, static_address

# --- Health, readiness and metrics of the web process.


probes = Router()


@probes.get("/healthz", dependencies=[Depends(public)], include_in_schema=False)
async def health() -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")


@probes.get("/readyz", dependencies=[Depends(public)], include_in_schema=False)
def ready(request: Request) -> Response:
    """The process can do its work."""
    readiness = examine(request.app.state.checks)
    return JSONResponse(readiness.as_json(), 200 if readiness.ready else 503)


@probes.get("/metrics", include_in_schema=False)
def metrics(request: Request, identity: Annotated[Identity | None, Depends(public)]) -> Response:
    if not (identity and identity.may(Permission.SYSTEM_VIEW)) and not _is_near(request):
        raise Forbidden(message("Metrics are for the networks in the setting web.metrics_networks."))
    registry: CollectorRegistry = request.app.state.registry
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _is_near(request: Request) -> bool:
    settings: WebSettings = request.app.state.settings
    if "x-forwarded-for" in request.headers and not settings.trusted_proxies:
        return False  # a proxy nobody told us of: its own address says nothing about who asks
    try:
        address = ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.metrics_networks)


# --- The application.


OWN_HOSTS = ("localhost", "127.0.0.1", "::1")
YEAR_SECONDS = 600  # for so long the figures of a year are shown again to the same person
WAITS_SECONDS = 60  # likewise what waits for them, in the menu
YEARS = 500  # of so many people; each takes some 50 kB of this process
STATIC_SECONDS = 31_536_000  # a year: addresses of static files change with their content


@dataclass(frozen=True)
class Site:
    """All that the application needs from the door."""

    settings: WebSettings
    services: Services
    sections: Sequence[Section]
    template_packages: Sequence[str]  # searched in order; the shell's own come last
    checks: Mapping[str, Check]
    registry: CollectorRegistry
    database_url: str
    environment: str = ""  # of several installations; empty for production
    other_hosts: frozenset[str] = frozenset()  # names that belong to archived pages
    bodies: Mapping[str, int] = field(default_factory=dict)  # as a section's, where the settings say how many


def build(site: Site) -> FastAPI:
    app = FastAPI(
        title="Armarium",
        version=armarium.__version__,
        description="What the pages do, for programs, but for one's own password, profile and new tokens, "
        "which need a person. Errors are problem+json (RFC 9457).",
        openapi_url=None,  # served by administration, under the same guard as everything else
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        # No variable of the environment may have requests reported elsewhere, and none pays for the question.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    _furnish(app, site)
    table = _table(tuple(site.sections))
    app.openapi = partial(table.described, app)  # type: ignore[method-assign]
    app.router.routes.extend(table.routes)
    app.mount("/static", KeptFiles(directory=str(resources.files("armarium.web") / "static")))
    _add_error_answers(app)
    # The last one added is the outermost.
    app.add_middleware(Headless)
    app.add_middleware(Homeward, others=site.other_hosts, home=site_address(site.settings))
    larger = {path: most for section in site.sections for path, most in section.bodies.items()}
    larger |= site.bodies
    limit = site.settings.max_form_bytes
    app.add_middleware(Screen, hosts=hosts(site.settings), max_bytes=limit, larger=larger)
    app.add_middleware(Harden, https=secure(site.settings))
    app.add_middleware(Watch, metrics=Metrics(site.registry), time_zone=site.settings.time_zone)
    return app


def hosts(settings: WebSettings) -> set[str]:
    public = urlsplit(settings.public_url or "").hostname
    own = {settings.host} if settings.host not in {"0.0.0.0", "::"} else set()  # noqa: S104
    return {*OWN_HOSTS, *settings.allowed_hosts, *own, *([public] if public else [])}


def _furnish(app: FastAPI, site: Site) -> None:
    app.state.settings = site.settings
    app.state.services = site.services
    packages = [*site.template_packages, "armarium.web"]
    app.state.shell = Shell(site.sections, packages, site.settings.library, site.environment)
    app.state.checks = site.checks
    app.state.registry = site.registry
    app.state.database_url = site.database_url
    app.state.years = Lately(YEAR_SECONDS, YEARS)
    app.state.waits = Lately(WAITS_SECONDS, YEARS)
    app.state.hub = Hub()


class Table:
    """The routes of the site and their description."""

    def __init__(self, sections: Sequence[Section]) -> None:
        own_pages = (home, report, finding_pages, help_pages)
        pages = [*(one.pages for one in own_pages), *(section.pages for section in sections)]
        apis = [home.api, *(section.api for section in sections if section.api)]
        self._api = [route for api in apis for route in below("/api", api)]
        own = (probes, live.router, sign_in.router, openid.router, my_account.router)
        self._own = [route for router in own for route in router.routes]
        self._pages = [route for router in pages for route in router.routes]
        self._description: dict[str, Any] | None = None

    @property
    def routes(self) -> Sequence[BaseRoute]:
        return [*self._own, *self._pages, *self._api]

    def described(self, app: FastAPI) -> dict[str, Any]:
        if self._description is None:
            self._description = described(app, self._api)
        return self._description


@cache
def _table(sections: tuple[Section, ...]) -> Table:
    """One for all applications of a process: nothing in it knows whom it serves."""
    return Table(sections)


def _add_error_answers(app: FastAPI) -> None:
    app.add_exception_handler(ArmariumError, problems.answer_to_house_error)
    app.add_exception_handler(HTTPException, problems.answer_to_http)
    app.add_exception_handler(RequestValidationError, problems.answer_to_invalid_values)
    app.add_exception_handler(DataError, problems.answer_to_impossible_values)
    app.add_exception_handler(OverflowError, problems.answer_to_impossible_values)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    listening = asyncio.create_task(app.state.hub.listen(app.state.database_url))
    yield
    app.state.hub.close()
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening


class KeptFiles(StaticFiles):
    """Static files, lean, that browsers may keep: their address changes with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse):
            content = lean(path, await run_in_threadpool(Path(response.path).read_bytes))
            known = {name: response.headers[name] for name in ("etag", "last-modified")}
            response = Response(content, media_type=response.media_type, headers=known)
        # During an upgrade an old process may be asked for a new file: its content must not be kept as such.
        asked = scope["query_string"].decode("latin-1")
        if response.status_code in {200, 304} and asked == static_address(path).partition("?")[2]:
            response.headers["Cache-Control"] = f"public, max-age={STATIC_SECONDS}, immutable"
        else:
            response.headers["Cache-Control"] = "public, max-age=60"
        return response
