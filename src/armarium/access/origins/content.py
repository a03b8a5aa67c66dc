"""The origin of the content: archived bytes, and nothing of ours but what lies below `/-/`.

Plain ASGI and one thread for each request: a page has a hundred parts, and each of them comes through here.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armarium.access.memento.timegate import APPLIED, PREFERENCES, preference, preferred
from armarium.access.replay import own_addresses
from armarium.access.replay.engine import Replay
from armarium.access.replay.model import RAW_MODS, Field, ReplayRequest, Reply
from armarium.access.replay.own_addresses import Statics
from armarium.access.requests.site import Caller, Site
from armarium.access.requests.threads import Gone, RequestWork, Threads, WorkLimit, current_work
from armarium.access.rewrite.archival_addresses import Archival, Asked, NotArchival, parse_archival
from armarium.core.errors import ArmariumError, NotFound, Refused
from armarium.core.message import message
from armarium.formats.cdx.requests import LONGEST_BODY
from armarium.formats.url import InvalidUrl, resolve

log = structlog.get_logger("armarium.access.content")

OWN = "/-/"
STATIC = "/-/static/"
PAUSE = 0.01  # seconds
BODY_SECONDS = 20  # for what is sent to arrive
TAKING_SECONDS = 60  # for one piece to be taken
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True)
class Arrival:
    """A request on the origin of the content."""

    method: str
    path: str  # as it came, percent-encoded
    query: str
    headers: Mapping[str, str]  # names in lower case
    address: str
    body: bytes

    @property
    def rest(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def document(self) -> bool:
        """Whether a window of its own was led here."""
        return self.headers.get("sec-fetch-dest") == "document"

    @property
    def page(self) -> bool:
        return self.headers.get("sec-fetch-dest", "document") in {"document", "iframe", "frame"}

    @cached_property
    def cookies(self) -> dict[str, str]:
        given = self.headers.get("cookie")
        return cookie_parser(given) if given else {}


class Content:
    """`ticket_pages` answers `/-/enter` and `/-/leave`; None where there are no readers to tell apart."""

    def __init__(
        self, site: Site, replay: Replay, threads: Threads, ticket_pages: ASGIApp | None = None
    ) -> None:
        self._site = site
        self._replay = replay
        self._threads = threads
        self._ticket_pages = ticket_pages
        self._statics = Statics(site.settings, replay.guards)
        self._work_limit = WorkLimit()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["raw_path"].decode("latin-1").partition("?")[0]
        if path.startswith(OWN):
            own = self._own(path, scope["query_string"].decode("latin-1"))
            if own is None and self._ticket_pages is not None:
                await self._ticket_pages(scope, receive, self._guarded(send))
                return
            await self._send(own or _nothing_here(self._replay), scope, send)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                arrival = _arrival(scope, path, await _body(scope, receive))
        except TimeoutError:
            headers = [*self._replay.guards.of_own_page, ("Connection", "close")]
            await self._send(Reply(408, headers), scope, send)
            return
        with self._work_limit.one(receive) as work:
            await self._send(await self._replied(arrival), scope, send, work)

    async def _replied(self, arrival: Arrival) -> Reply:
        try:
            return await self._threads.run(lambda: self._answer(arrival))
        except Exception:  # outermost loop: whatever went wrong, the reader gets an answer and we get the log
            log.exception("failed", method=arrival.method)
            fault = ArmariumError(
                message("The error has been logged. If it happens again, tell the library.")
            )
            return self._notice(fault, arrival)

    def _own(self, path: str, query: str) -> Reply | None:
        if path.startswith(STATIC):
            return self._statics.get(path.removeprefix(STATIC))
        if path == own_addresses.ADDRESS:
            return own_addresses.choose(self._site.settings, self._replay.guards, query)
        return None

    def _answer(self, arrival: Arrival) -> Reply:
        if "service-worker" in arrival.headers:
            # A service worker would answer in our place, for every archive page of this browser.
            return Reply(403, [*self._replay.guards.of_own_page, ("Content-Type", "text/plain")])
        if arrival.rest == "/" and "referer" not in arrival.headers:
            return Reply(302, [*self._replay.guards.of_own_page, ("Location", self._site.settings.reading)])
        collection, _, rest = arrival.path.removeprefix("/").partition("/")
        rest = f"{rest}?{arrival.query}" if arrival.query else rest
        try:
            current_work().go_on(long=False)  # there may have been no thread for it until now
            asked = parse_archival(rest)
            guest = self._site.readers.of(_asking(arrival))
            view = self._site.view(unquote(collection), guest.reader)
        except (ArmariumError, NotArchival) as error:
            return self._strayed(arrival) or self._notice(_in_words(error), arrival)
        if (elsewhere := self._elsewhere(collection, asked, arrival)) is not None:
            return elsewhere
        assert isinstance(asked, Archival), "all others are elsewhere"
        wanted = preferred(arrival.headers.get("prefer", "")) if asked.mod in PREFERENCES.values() else ""
        request = ReplayRequest(
            view,
            asked.url,
            asked.timestamp,
            wanted or asked.mod,
            arrival.method,
            arrival.headers,
            arrival.body,
            spread_days=own_addresses.chosen_days(arrival.cookies.get(own_addresses.COOKIE)),
            language=guest.language,
        )
        reply = self._replay.answer(request)
        applied = [(APPLIED, preference(wanted))] if wanted and reply.found else []
        return replace(reply, headers=[*reply.headers, *applied])

    def _elsewhere(self, collection: str, asked: Archival | Asked, arrival: Arrival) -> Reply | None:
        """Pages of ours, and archived pages without the frame around them, belong to the readers' origin."""
        if isinstance(asked, Archival) and asked.mod:
            if not arrival.document or asked.mod in RAW_MODS:
                return None
            asked = Archival(asked.timestamp, "", asked.url)
        address = f"{self._site.settings.reading}/{collection}/{asked}"
        return Reply(302, [*self._replay.guards.of_own_page, ("Location", address)])

    def _strayed(self, arrival: Arrival) -> Reply | None:
        home = home_of(self._site.settings.content, arrival.rest, arrival.headers.get("referer", ""))
        if home is None:
            return None
        return Reply(307, [*self._replay.guards.of_own_page, ("Location", home)])

    def _notice(self, error: ArmariumError, arrival: Arrival) -> Reply:
        wishes = arrival.headers.get("accept-language", "")
        return self._replay.notices.without_view(error, document=arrival.page, wishes=wishes)

    def _guarded(self, send: Send) -> Send:
        """No answer of this origin goes without a policy: a page that frames it could use its window."""
        fields = _raw(self._replay.guards.of_own_page)

        async def furnished(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                missing = [field for field in fields if field[0].lower() not in known]
                message = {**message, "headers": [*message["headers"], *missing]}
            await send(message)

        return furnished

    async def _send(self, reply: Reply, scope: Scope, send: Send, work: RequestWork | None = None) -> None:
        await send({"type": "http.response.start", "status": reply.status, "headers": _raw(reply.headers)})
        quiet = scope["method"] == "HEAD"
        if isinstance(reply.body, bytes):
            await send({"type": "http.response.body", "body": b"" if quiet else reply.body})
            return
        try:
            async for piece in self._threads.pieces(reply.body):
                if work is not None and work.gone:
                    return  # nobody takes the rest
                if not piece:
                    await asyncio.sleep(PAUSE)  # it is still on its way there; others want their turn
                    continue
                async with asyncio.timeout(TAKING_SECONDS):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except (TimeoutError, Gone):
            log.debug("not taken")  # what is open behind it is closed; the server closes the connection


def _arrival(scope: Scope, path: str, body: bytes) -> Arrival:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    client = scope.get("client")
    address = client[0].removeprefix("::ffff:") if client else ""
    return Arrival(scope["method"], path, scope["query_string"].decode("latin-1"), headers, address, body)


def _asking(arrival: Arrival) -> Caller:
    return Caller(arrival.cookies, arrival.headers, arrival.address, content=True)


def _in_words(error: ArmariumError | NotArchival) -> ArmariumError:
    if isinstance(error, ArmariumError):
        return error
    return Refused(message("There is no address of a page in this address."))


def _nothing_here(replay: Replay) -> Reply:
    told = NotFound(message("There is nothing at this address. It may have been mistyped."))
    return replay.notices.without_view(told, document=False, wishes="")


def _raw(headers: list[Field]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]


async def _body(scope: Scope, receive: Receive) -> bytes:
    """Of what is sent, no more than a key can be made of; the rest is passed over."""
    if scope["method"] not in WITH_BODY:
        return b""
    body = b""
    while True:
        said: Any = await receive()
        if said["type"] != "http.request":
            return body
        if len(body) < LONGEST_BODY:
            body += said.get("body", b"")
        if not said.get("more_body"):
            return body[:LONGEST_BODY]


# Requests that left the archive's addresses: `/a.css` instead of `/all/2020…cs_/http://example.com/a.css`.
# A script may put an address together that no rewriting sees. Inside our origin it still comes to us, and the
# page from which it comes (Referer) says whose it was.


def home_of(content: str, path: str, referrer: str) -> str | None:
    """Where such a request belongs, as a path of the content's origin; None where that cannot be told.

    `path` is the path with its query, as it came.
    """
    if not referrer.startswith(f"{content}/"):
        return None
    parts = urlsplit(referrer)
    collection, _, rest = parts.path.lstrip("/").partition("/")
    try:
        page = parse_archival(f"{rest}?{parts.query}" if parts.query else rest)
        if not isinstance(page, Archival) or not page.mod or page.url.startswith(f"{content}/"):
            return None
        meant = resolve(page.url, path)
    except (InvalidUrl, NotArchival):
        return None
    return f"/{collection}/{page.timestamp}{page.mod}/{meant}"
