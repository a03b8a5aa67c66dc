"""What happens to every request before a page sees it, and to every answer before it leaves.

Plain ASGI, from the outside in: `Watch` (id, log, metrics, the last catch), `Harden` (headers),
`Screen` (host, encoding, size). Each is one small class; `app.py` shows their order.
"""

import re
import secrets
import time
from collections.abc import Collection, Mapping, MutableMapping
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import structlog
from h11 import LocalProtocolError
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armarium.languages import catalogues, speech
from armarium.web import problems
from armarium.web.cookies import preference

log = structlog.get_logger("armarium.web.request")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
STATIC = "/static/"
QUIET = frozenset({"/healthz", "/readyz", "/metrics", STATIC})  # asked often, seldom of interest: debug
COLLECTORS = "/api/collector/"  # heartbeats and pieces of files; the jobs' own pages tell of them

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Metrics:
    """Counts and durations of requests, by the route's pattern: paths would make endless series."""

    def __init__(self, registry: Any) -> None:
        labels = ("method", "route", "status")
        self.requests = Counter("armarium_http_requests", "Requests answered.", labels, registry=registry)
        self.seconds = Histogram(
            "armarium_http_request_seconds", "Time to answer a request.", ("route",), registry=registry
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        # Anybody can invent methods, and each would be a series of its own.
        self.requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)


class Watch:
    """Give each request an id, log it with its outcome, and let no exception out."""

    def __init__(self, app: ASGIApp, metrics: Metrics, time_zone: str) -> None:
        self.app = app
        self.metrics = metrics
        self.time_zone = time_zone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id)
        self._choose_language(scope, receive)
        started, status = time.perf_counter(), 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        try:
            await self.app(scope, receive, note)
        except LocalProtocolError:
            # What came was no HTTP, and the server has said so and hung up while we still wrote an answer.
            log.info("answer came too late", method=scope["method"], route=pattern(scope))
        except ClientDisconnect:
            # Whoever sent a form or a file has gone before its end: a browser that was closed, a collector
            # that has lost patience.
            log.info("client went away", method=scope["method"], route=pattern(scope))
        except Exception:  # outermost loop: whatever went wrong, the reader gets a page and we get the log
            log.exception("failed", method=scope["method"], route=pattern(scope))
            if not status:
                response = problems.answer_to_our_fault(Request(scope, receive))
                await response(scope, receive, note)
        finally:
            self._tell(scope, status, time.perf_counter() - started)
        return None

    def _choose_language(self, scope: Scope, receive: Receive) -> None:
        request = Request(scope, receive)
        wish = preference(request, "language")
        code = catalogues.choose([wish], request.headers.get("accept-language", ""))
        speech.bind(code, self.time_zone)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        route = pattern(scope)
        self.metrics.count(scope["method"], route, status, seconds)
        often = route in QUIET or (route.startswith(COLLECTORS) and status < 400)
        say = log.debug if often else log.info
        client = scope.get("client")
        # Of an unknown address only its beginning: the rest may be a mistyped one-time link.
        where = {"path": "/" + scope["path"].lstrip("/").split("/")[0][:60]} if route == "unknown" else {}
        say(
            "answered",
            method=scope["method"],
            route=route,
            status=status,
            milliseconds=round(seconds * 1000, 1),
            address=client[0] if client else None,
            **where,
        )


def pattern(scope: MutableMapping[str, Any]) -> str:
    """The route as declared: paths may hold one-time keys, which belong in no log."""
    if scope["path"].startswith(STATIC):
        return STATIC
    declared = str(getattr(scope.get("route"), "path", ""))
    # FastAPI tells the path as the room declared it, to which the site has added /api.
    prefix = "/api" if scope["path"].startswith("/api/") and not declared.startswith("/api/") else ""
    return prefix + declared if declared else "unknown"


class Headless:
    """Answer HEAD as GET without the body (RFC 9110, 9.3.2); FastAPI's routes know only what they declare."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            return await self.app(scope, receive, send)

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                # The answer is complete at once: a stream that has no end sees its reader gone.
                await send({"type": "http.response.body", "body": b""})

        return await self.app({**scope, "method": "GET"}, receive, without_body)


class Harden:
    """Set the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, https: bool) -> None:
        self.app = app
        self.headers = {**HEADERS, **({"Strict-Transport-Security": "max-age=31536000"} if https else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def harden(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, harden if scope["type"] == "http" else send)


class Screen:
    """Refuse what no page should have to deal with: foreign hosts, broken encodings, oversized bodies.

    The host is checked because a hostile name that resolves to this machine (DNS rebinding) would make
    the browser treat an attacker's page and ours as one origin.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], max_bytes: int, larger: Mapping[str, int] | None = None
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.max_bytes = max_bytes
        self.larger = dict(larger or {})  # by what the path begins with

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if problem := self._problem(scope, headers):
            log.warning("refused", reason=problem.detail, status=problem.status_code)
            response = problems.answer_to_http(Request(scope, receive), problem)
            return await response(scope, receive, send)
        return await self.app(scope, self._bounded(receive, self._most(scope)), send)

    def _problem(self, scope: Scope, headers: Headers) -> HTTPException | None:
        # RFC 9112, 3.2: a request without a Host, or with several, is answered with 400.
        if len(headers.getlist("host")) != 1 or not self._is_ours(headers["host"]):
            return HTTPException(400, "host")
        if not is_clean(scope.get("raw_path", b"")) or not is_clean(scope.get("query_string", b"")):
            return HTTPException(400, "encoding")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self._most(scope):
            return HTTPException(413, "size")
        return None

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        return name is not None and ("*" in self.hosts or name in self.hosts)

    def _most(self, scope: Scope) -> int:
        allowed = (most for path, most in self.larger.items() if scope["path"].startswith(path))
        return max(allowed, default=self.max_bytes)

    def _bounded(self, receive: Receive, most: int) -> Receive:
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:  # sent in chunks, without a declared length
                raise HTTPException(413, "size")
            return message

        return bounded


class Homeward:
    """Lead browsers that use a host name of archived pages to the site's own: cookies know no ports, and what
    a page sets under one name reaches every site of that name. Probes and programs bring no cookies."""

    def __init__(self, app: ASGIApp, others: Collection[str], home: str) -> None:
        self.app = app
        self.others = frozenset(others)
        self.home = home

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.others:
            headers = Headers(scope=scope)
            navigates = headers.get("sec-fetch-mode") == "navigate"
            if navigates and host_name(headers.get("host", "")) in self.others:
                query = scope["query_string"].decode("latin-1")
                target = f"{self.home}{quote(scope['path'])}{'?' + query if query else ''}"
                return await RedirectResponse(target, 307)(scope, receive, send)
        return await self.app(scope, receive, send)


HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:/@\[\]\\]+))(?::[0-9]{0,5})?", re.IGNORECASE)


def host_name(host: str) -> str | None:
    """The name in a Host header, without the port: `[::1]:8000` and `localhost:8000`; None: it is malformed.

    `localhost:80@evil.example` begins with our name, but an address made of it leads elsewhere.
    """
    found = HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else None


def is_clean(raw: bytes) -> bool:
    """Whether the percent-decoded bytes are UTF-8 without a NUL."""
    try:
        return "\0" not in unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return False
