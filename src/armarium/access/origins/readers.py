"""The application: which origin is asked, who asks, which area answers, and what goes wrong in words."""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armarium.access.cdxserver.internet_archive import ia_cdx
from armarium.access.cdxserver.outback import outback_cdx
from armarium.access.cdxserver.pywb import collinfo, pywb_cdx
from armarium.access.comparison.page import Comparisons
from armarium.access.downloads import download
from armarium.access.memento.timemap import timemap
from armarium.access.origins.content import Content
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import (
    Caller,
    ContentAddresses,
    Found,
    Guest,
    Handler,
    Problem,
    Routes,
    Site,
    Visit,
    find,
    problem_of,
)
from armarium.access.requests.threads import RETRY_AFTER, Threads, WorkLimit
from armarium.access.search import answers, home, shell, site_files
from armarium.access.search.frame import Frames, timegate
from armarium.access.search.shell import ProblemPages
from armarium.access.view import View
from armarium.core.errors import ArmariumError, NotFound, Refused
from armarium.core.message import message
from armarium.languages import catalogues, speech

log = structlog.get_logger("armarium.access.request")

LONGEST_BODY = 64 * 1024  # of forms on the readers' origin
BODY_SECONDS = 20
SAFE = frozenset({"GET", "HEAD"})


def reading_headers(site: Site) -> dict[str, str]:
    """What every answer of the readers' origin carries. Only the content's origin may stand in a frame."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self'; frame-src {site.settings.content}; form-action 'self' {site.settings.content}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        # Not "no-referrer": forms would come from the origin "null", which is refused as foreign.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Cache-Control": "no-store",
    }


class Door:
    """Tells the two origins apart by the Host header, which a browser cannot be made to lie about."""

    def __init__(self, site: Site, reading: ASGIApp, content: ASGIApp) -> None:
        self._apps = {
            _host(site.settings.reading): reading,
            _host(site.settings.content): content,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        named = [value for name, value in scope["headers"] if name == b"host"]
        app = self._apps.get(named[0].decode("latin-1").lower()) if len(named) == 1 else None
        if app is None:
            text = "This site is not served under the name in the address. See access.reading_url.\n"
            await PlainTextResponse(text, 400)(scope, receive, send)
            return
        await app(scope, receive, send)


class Reading:
    """The readers' origin."""

    def __init__(
        self,
        site: Site,
        routes: Routes,
        threads: Threads,
        problem_page: Callable[[Visit | None, Request, Problem], Response],
    ) -> None:
        self._site = site
        self._routes = routes
        self._threads = threads
        self._problem_page = problem_page
        self._headers = reading_headers(site)
        self._work_limit = WorkLimit()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 0
        request_id = secrets.token_hex(8)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id)
        request = Request(scope, receive)
        head = scope["method"] == "HEAD"

        async def furnished(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if status == 503:
                    headers.setdefault("Retry-After", str(RETRY_AFTER))
            elif head:
                message = {**message, "body": b""}
            await send(message)

        scope.setdefault("state", {})["request_id"] = request_id
        response = await self._answer(request)
        await response(scope, receive, furnished)
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        # Neither the address that was read nor who read it belongs in a log.
        log.debug("answered", method=scope["method"], status=status, milliseconds=milliseconds)

    async def _answer(self, request: Request) -> Response:
        wish = request.cookies.get("armarium_language")
        speech.bind(catalogues.choose([wish], _wished(request)), self._site.time_zone)
        try:
            found = self._found(request)
            body = await _body(request)
        except ArmariumError as error:
            problem = problem_of(error)
            return await self._threads.run(lambda: self._problem_page(None, request, problem))
        with self._work_limit.one(request.receive):
            return await self._threads.run(lambda: self._handled(request, found, body))

    def _handled(self, request: Request, found: Found, body: bytes) -> Response:
        """All that blocks, in one thread: to change it costs more than most answers."""
        visit: Visit | None = None
        try:
            guest = self._site.readers.of(asking_of(request))
            if guest.language:
                speech.bind(guest.language)
            visit = self._visit(request, found, guest, body)
            return found.handler(visit)
        except ArmariumError as error:
            problem = problem_of(error)
        except Exception:  # outermost loop: whatever went wrong, the reader gets a page and we get the log
            log.exception("failed", method=request.method)
            problem = Problem.ours()
        return self._problem_page(visit, request, problem)

    def _found(self, request: Request) -> Found:
        scope = request.scope
        path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
        found = find(self._routes, path, scope["query_string"].decode("latin-1"))
        if found is None:
            raise NotFound(message("There is nothing at this address. It may have been mistyped."))
        if request.method not in SAFE | self._routes.methods.get(path, frozenset()):
            raise Refused(message("This address cannot be used in this way."))
        return found

    def _visit(self, request: Request, found: Found, guest: Guest, body: bytes) -> Visit:
        view: View = self._site.view(found.collection, guest.reader)
        return Visit(self._site, guest, view, found.rest, request, body)


def asking_of(request: Request, *, content: bool = False) -> Caller:
    address = request.client.host if request.client else ""
    return Caller(request.cookies, request.headers, address.removeprefix("::ffff:"), content)


async def _body(request: Request) -> bytes:
    """The form; who sends it letter by letter is not waited for."""
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > LONGEST_BODY:
                    raise Refused(message("The form or request is larger than this site accepts."))
    except (TimeoutError, ClientDisconnect) as error:
        raise Refused(message("This request cannot be understood")) from error
    return body


def _wished(request: Request) -> str:
    return Headers(scope=request.scope).get("accept-language", "")


def _host(address: str) -> str:
    """As browsers write it into the Host header: without the usual port."""
    parts = urlsplit(address)
    usual = {"http": 80, "https": 443}[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return name if parts.port in (None, usual) else f"{name}:{parts.port}"


def to_content(entering: ContentAddresses) -> Handler:
    """Archived content is answered on its own origin only, which has to know who asks."""

    def lead(visit: Visit) -> Response:
        path = visit.request.scope["raw_path"].decode("latin-1").partition("?")[0]
        query = visit.request.scope["query_string"].decode("latin-1")
        return RedirectResponse(entering.src(visit, f"{path}?{query}" if query else path), 307)

    return lead


def routes(
    entering: ContentAddresses,
    gated: Callable[[Handler], Handler] = lambda handler: handler,
    reader_pages: Mapping[str, Handler] | None = None,
    reader_methods: Mapping[str, frozenset[str]] | None = None,
) -> Routes:
    """`gated` goes around the pages to which readers come; `reader_pages` are for those with accounts."""
    frames = Frames(entering)
    return Routes(
        pages={
            "/": gated(home.home),
            "/collinfo.json": collinfo,
            "/cdx/search/cdx": ia_cdx,
            "/-/language": shell.keep_appearance,
            "/-/spread": shell.keep_spread,
            "/-/part/banner": frames.banner,
            **(reader_pages or {}),
        },
        below={shell.STATIC: shell.serve_static, "/-/outbackcdx/": outback_cdx},
        of_collection={
            "": gated(home.collection),
            "cdx": pywb_cdx,
            "index": pywb_cdx,
            "timemap": timemap,
            "record": download,
            "search": gated(answers.search),
            "files": gated(site_files.page),
            "compare": gated(Comparisons(entering).page),
        },
        asked=gated(answers.asked),
        timegate=gated(timegate),
        frame=gated(frames.page),
        content=to_content(entering),
        methods={
            "/-/language": frozenset({"POST"}),
            "/-/spread": frozenset({"POST"}),
            **(reader_methods or {}),
        },
    )


def door(
    site: Site, table: Routes, threads: Threads, replay: Replay, ticket_pages: ASGIApp | None = None
) -> Door:
    reading = Reading(site, table, threads, ProblemPages(site))
    return Door(site, reading, Content(site, replay, threads, ticket_pages))
