"""Live parts of pages: when something changes, tell the browsers that look at it.

One connection per web process listens to PostgreSQL; every browser holds one stream of server-sent
events. A stream carries only topics ("tasks changed"): the browser then fetches the part of the page
again, through the same guard as the page itself.
"""

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

import psycopg
import structlog
from fastapi import Depends, Query
from psycopg import sql
from psycopg.conninfo import make_conninfo
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from armarium.accounts.model import Identity
from armarium.accounts.sessions import Sessions
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.announce import CHANNEL
from armarium.db.database import CONNECTION_DEFAULTS
from armarium.web import cookies
from armarium.web.guard import Visitor, client_address, in_person
from armarium.web.routes import Router

log = structlog.get_logger(__name__)

BREATH_SECONDS = 15.0  # a comment line this often keeps proxies from closing a silent stream
RECONNECT_SECONDS = 1.0
GATHER_SECONDS = 0.25  # a burst of changes becomes one event per topic
MOST_STREAMS = 2000
MOST_OF_ACCOUNT = 50  # pages that one person has open
MOST_TOPICS = 40  # the overview listens to every room

router = Router()


class Hub:
    """Hands the topics that PostgreSQL announces to all open streams."""

    def __init__(self) -> None:
        self.closing = asyncio.Event()
        self._streams: dict[asyncio.Queue[str], int] = {}  # and the account of each
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def streams(self) -> int:
        return len(self._streams)

    def has_room_for(self, account: int) -> bool:
        """Streams take at most half of the files that this process may open: pages need theirs too."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_STREAMS if soft == resource.RLIM_INFINITY else min(MOST_STREAMS, soft // 2)
        own = sum(other == account for other in self._streams.values())
        return len(self._streams) < most and own < MOST_OF_ACCOUNT

    async def listen(self, url: str) -> None:
        """Listen for ever, through restarts of the database."""
        self._loop = asyncio.get_running_loop()
        while not self.closing.is_set():
            try:
                await self._listen_once(url)
            except psycopg.Error as error:
                log.info("waiting for the database", reason=str(error).splitlines()[:1])
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen_once(self, url: str) -> None:
        connection = await psycopg.AsyncConnection.connect(
            make_conninfo(url, **CONNECTION_DEFAULTS, application_name="armarium live"), autocommit=True
        )
        async with connection:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            self.tell("everything")  # changes may have passed while nobody listened
            async for notification in connection.notifies():
                self.tell(notification.payload)

    def tell(self, topic: str) -> None:
        for stream in self._streams:
            with suppress(asyncio.QueueFull):  # a stream that is this far behind fetches everything anyway
                stream.put_nowait(topic)

    def close(self) -> None:
        """End all streams, so that the server can stop without waiting for browsers; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._close)

    def _close(self) -> None:
        self.closing.set()
        self.tell("")

    async def events(self, account: int, topics: Sequence[str]) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=200)
        self._streams[queue] = account
        try:
            yield "retry: 2000\n\n"
            while not self.closing.is_set():
                for event in await self._next(queue, topics):
                    yield event
        finally:
            del self._streams[queue]

    async def _next(self, queue: asyncio.Queue[str], topics: Sequence[str]) -> list[str]:
        try:
            found = {await asyncio.wait_for(queue.get(), BREATH_SECONDS)}
        except TimeoutError:
            return [": breath\n\n"]
        if not self.closing.is_set():
            await asyncio.sleep(GATHER_SECONDS)
        while not queue.empty():
            found.add(queue.get_nowait())
        changed = topics if "everything" in found else [topic for topic in topics if topic in found]
        return [f"event: changed\ndata: {topic}\n\n" for topic in changed]


@router.get("/live", dependencies=[Depends(in_person)], include_in_schema=False)
async def live(
    request: Request, identity: Visitor, topic: Annotated[list[str], Query(max_length=MOST_TOPICS)]
) -> Response:
    hub: Hub = request.app.state.hub
    if not hub.has_room_for(identity.account.id):
        raise Unavailable(
            message(
                "Too many pages are open at the moment. Close some; this one does not show changes by itself."
            )
        )
    topics = [name for name in topic if name.isidentifier()]
    stream = _while_signed_in(request, identity, hub.events(identity.account.id, topics))
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _while_signed_in(
    request: Request, identity: Identity, events: AsyncIterator[str]
) -> AsyncIterator[str]:
    """Let the stream end with the session: signing out elsewhere, or being shut out, must end it too."""
    services: Services = request.app.state.services
    key, asked = cookies.session_key(request) or "", time.monotonic()
    async for event in events:
        if time.monotonic() - asked >= BREATH_SECONDS:  # also where so much happens that nobody takes breath
            asked = time.monotonic()
            try:
                whose = partial(services.get(Sessions).identity, key, client_address(request), renew=False)
                still = await asyncio.to_thread(whose)
            except Unavailable:
                still = identity  # the database is away: nobody can say otherwise
            if still is None:
                return
        yield event
