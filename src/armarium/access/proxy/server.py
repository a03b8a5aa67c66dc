"""The proxy's server: who may come in, and the way of a connection from its first byte to its last."""

import asyncio
import socket
from collections import Counter
from dataclasses import dataclass

import structlog

from armarium.access.proxy.answering import Answering
from armarium.access.proxy.archived import Replays
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.commands import Recordings
from armarium.access.proxy.connection import (
    Answer,
    Broken,
    Conversation,
    Line,
    Malformed,
    Patience,
    Plain,
    Request,
    Secured,
)
from armarium.access.proxy.identity import NoWords, Words
from armarium.access.proxy.request import (
    Credentials,
    ProxyRequest,
    Tunnel,
    credentials_of,
    is_to_the_proxy_itself,
    tunnel_of,
    url_of,
)
from armarium.access.requests.site import Site
from armarium.access.requests.threads import Threads
from armarium.core.errors import Refused
from armarium.core.message import message

log = structlog.get_logger("armarium.access.proxy")

BACKLOG = 256


@dataclass(frozen=True)
class Limits:
    connections: int = 1_000
    per_address: int = 400  # a reading room behind one address, with some dozens for each browser


class Proxy:
    """`serve` it in an event loop. It listens, and never opens a connection itself."""

    def __init__(
        self,
        site: Site,
        replay: Replays,
        authority: Authority,
        *,
        words: Words | None = None,
        recordings: Recordings | None = None,
        limits: Limits | None = None,
        patience: Patience | None = None,
        banner: bool = True,
    ) -> None:
        self.authority = authority
        self._answering = Answering(site, replay, authority, words or NoWords(), recordings, banner=banner)
        self._threads = Threads(site.settings.threads)
        self._limits = limits or Limits()
        self._patience = patience or Patience()
        self._inside: Counter[str] = Counter()

    async def serve(self, listening: socket.socket) -> None:
        """Until it is cancelled. Answers that are under way then are cut."""
        tasks: set[asyncio.Task[None]] = set()

        async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None, "a callback of asyncio's streams runs as a task"
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            await self._visited(reader, writer)

        server = await asyncio.start_server(visited, sock=listening, backlog=BACKLOG)
        try:
            await server.serve_forever()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._threads.close()

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        address = str(peer[0]).removeprefix("::ffff:") if peer else ""
        if not self._enters(address):
            log.warning("connection refused: too many are open")
            writer.transport.abort()
            return
        try:
            line = Plain(reader, writer)
            await self._talk(line, address)
            await line.hang_up()
        except (Broken, TimeoutError):
            pass  # the client has gone
        except Exception:  # outermost loop: one connection ends, the proxy goes on
            log.exception("failed")
        finally:
            self._inside[address] -= 1
            if not self._inside[address]:
                del self._inside[address]
            writer.close()

    def _enters(self, address: str) -> bool:
        if self._inside.total() >= self._limits.connections:
            return False
        if self._inside[address] >= self._limits.per_address:
            return False
        self._inside[address] += 1
        return True

    async def _talk(self, line: Line, address: str, tunnel: Tunnel | None = None) -> None:
        conversation = Conversation(line, self._threads, self._patience)
        goes_on = True
        while goes_on:
            try:
                request = await conversation.request()
            except Malformed as error:
                await conversation.answer(self._answering.malformed(error.status), last=True)
                return
            if request is None:
                return
            if request.method == "CONNECT":
                answer = await self._tunnelled(conversation, request, address, tunnel)
                if answer is None:
                    return
            else:
                answer = await self._answer(request, address, tunnel)
            goes_on = await conversation.answer(answer)

    async def _tunnelled(
        self, conversation: Conversation, request: Request, address: str, outer: Tunnel | None
    ) -> Answer | None:
        """Lead the rest of the conversation through a tunnel; an answer says why not."""
        if outer is not None:
            return await self._refused(Refused(message("A tunnel inside a tunnel leads nowhere.")))
        try:
            tunnel = tunnel_of(request, _credentials(request))
        except Refused as error:
            return await self._refused(error)
        refusal = await self._threads.run(lambda: self._answering.refusal(tunnel, address))
        if refusal is not None:
            return refusal
        context = await self._threads.run(lambda: self.authority.context(tunnel.host))
        await conversation.accept_tunnel()
        line = Secured(conversation.line, context)
        async with asyncio.timeout(self._patience.handshake):
            await line.shake_hands(conversation.left_over)
        await self._talk(line, address, tunnel)
        return None

    async def _answer(self, request: Request, address: str, tunnel: Tunnel | None) -> Answer:
        if tunnel is None and is_to_the_proxy_itself(request):
            return await self._threads.run(self._answering.direct)
        try:
            url = url_of(request, tunnel)
        except Refused as error:
            return await self._refused(error)
        credentials = _credentials(request) if tunnel is None else tunnel.credentials
        asked = ProxyRequest(
            request.method, url, request.headers, request.body, address, credentials, tunnel is not None
        )
        return await self._threads.run(lambda: self._answering.answer(asked))

    async def _refused(self, error: Refused) -> Answer:
        return await self._threads.run(lambda: self._answering.refused(error))


def _credentials(request: Request) -> Credentials:
    return credentials_of(request.headers.get("proxy-authorization", ""))
