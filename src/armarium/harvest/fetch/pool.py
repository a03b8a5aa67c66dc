"""Connections that wait for further requests, and how new ones are opened."""

import asyncio
import ssl
from typing import NamedTuple

from armarium.core.crawl_order import Fetching
from armarium.harvest.fetch.connection import Connection
from armarium.harvest.fetch.proxy import Proxy, Tunnel, lead
from armarium.harvest.fetch.tls import Ladder, Rung, TlsRefused, facts_of, reason_of

IDLE_SECONDS = 20.0  # longer than the usual pause between two requests; most servers wait less
SWEEP_SECONDS = 5.0


class Place(NamedTuple):
    """What a connection leads to. The name is part of it: behind TLS the server was told it."""

    scheme: str
    host: str
    port: int
    address: str


class Pool:
    """Keeps at most `most` idle connections, each for at most `IDLE_SECONDS`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int) -> None:
        self._loop = loop
        self._most = most
        self._waiting: dict[Place, list[Connection]] = {}
        self._count = 0
        self._sweeper = loop.call_later(SWEEP_SECONDS, self._sweep)

    def __len__(self) -> int:
        return self._count

    def take(self, place: Place) -> Connection | None:
        """The connection used last: the one most likely to be open still."""
        waiting = self._waiting.get(place)
        while waiting:
            connection = waiting.pop()
            self._count -= 1
            if not waiting:
                del self._waiting[place]
            if connection.is_open:
                return connection
        return None

    def give(self, place: Place, connection: Connection) -> None:
        if self._count >= self._most:
            self._drop_oldest()
        connection.idle_since = self._loop.time()
        self._waiting.setdefault(place, []).append(connection)
        self._count += 1

    def close(self) -> None:
        self._sweeper.cancel()
        for waiting in self._waiting.values():
            for connection in waiting:
                connection.close()
        self._waiting.clear()
        self._count = 0

    def _drop_oldest(self) -> None:
        place = next(iter(self._waiting))  # of the place that has waited longest, more or less
        self._waiting[place].pop(0).close()
        self._count -= 1
        if not self._waiting[place]:
            del self._waiting[place]

    def _sweep(self) -> None:
        self._sweeper = self._loop.call_later(SWEEP_SECONDS, self._sweep)
        oldest = self._loop.time() - IDLE_SECONDS
        for place, waiting in list(self._waiting.items()):
            fresh = []
            for connection in waiting:
                if connection.is_open and connection.idle_since > oldest:
                    fresh.append(connection)
                else:
                    connection.close()
            self._count -= len(waiting) - len(fresh)
            if fresh:
                self._waiting[place] = fresh
            else:
                del self._waiting[place]


# --- Opens connections, by address and never by name: directly or through a proxy, with TLS or without.


# What ends a handshake: OpenSSL says no, or the other side hangs up.
HANDSHAKE_ERRORS = (ssl.SSLError, ConnectionResetError, ConnectionAbortedError, BrokenPipeError, EOFError)


class Opener:
    def __init__(self, order: Fetching, proxy: Proxy | None) -> None:
        """Raises OSError if the file of authorities cannot be read."""
        self._order = order
        self._proxy = proxy
        self._ladder = Ladder(order.tls, order.tls_authorities)
        self._local = (order.bind_address, 0) if order.bind_address else None

    async def open(self, place: Place) -> Connection:
        """Raises OSError (`TimeoutError`, `TlsRefused` and `ProxyRefused` included)."""
        if place.scheme == "http":
            return await self._open(place, None)
        number, problem = self._ladder.start(place.host, place.port)
        while True:
            try:
                connection = await self._open(place, self._ladder[number])
            except HANDSHAKE_ERRORS as error:
                failure = error if isinstance(error, OSError) else ConnectionResetError(str(error))
                problem = problem or reason_of(failure)
                if not self._ladder.may_go_on(number, failure):
                    raise TlsRefused(f"TLS with {place.host}: {problem}") from error
                number += 1
                continue
            except ValueError as error:  # a name that TLS cannot be told: too long, a dot in front
                raise TlsRefused(f"TLS with {place.host[:80]}: {error}") from error
            self._ladder.remember(place.host, place.port, number, problem)
            transport = connection.transport
            assert transport is not None
            connection.tls = facts_of(transport, problem)
            return connection

    async def _open(self, place: Place, rung: Rung | None) -> Connection:
        loop = asyncio.get_running_loop()
        connection = Connection(loop, self._order.silence_seconds)
        connection.reached = place.address
        async with asyncio.timeout(self._order.connect_seconds):
            if self._proxy is None:
                await self._directly(connection, place, rung)
            else:
                await self._through_proxy(self._proxy, connection, place, rung)
        return connection

    async def _directly(self, connection: Connection, place: Place, rung: Rung | None) -> None:
        loop = asyncio.get_running_loop()
        address, port = place.address, place.port
        if rung is None:
            await loop.create_connection(lambda: connection, address, port, local_addr=self._local)
        else:
            await loop.create_connection(
                lambda: connection,
                address,
                port,
                local_addr=self._local,
                ssl=rung.context,
                server_hostname=place.host.rstrip(".") if rung.sends_name else "",
            )
        connection.address, connection.port = address, port

    async def _through_proxy(
        self, proxy: Proxy, connection: Connection, place: Place, rung: Rung | None
    ) -> None:
        loop = asyncio.get_running_loop()
        _, tunnel = await loop.create_connection(Tunnel, proxy.host, proxy.port, local_addr=self._local)
        transport = tunnel.transport
        assert transport is not None
        connection.address, connection.port = place.address, place.port
        try:
            if rung is not None:
                await lead(proxy, tunnel, place.address, place.port)
                secured = await loop.start_tls(
                    transport,
                    connection,
                    rung.context,
                    server_hostname=place.host.rstrip(".") if rung.sends_name else "",
                )
                assert secured is not None
                connection.connection_made(secured)
                return
            if proxy.scheme == "socks5":
                await lead(proxy, tunnel, place.address, place.port)
            else:
                # The proxy itself is asked for the page.
                connection.address, connection.port = transport.get_extra_info("peername")[:2]
            transport.set_protocol(connection)
            connection.connection_made(transport)
        except BaseException:  # cancelled by the time-out, refused: the proxy must not be left hanging
            transport.abort()
            raise
