"""Carries a request to a server and brings the answer: over which connection, and how it ended."""

import asyncio
import time
from typing import NamedTuple

from armarium.core.crawl_order import Fetching, Limits
from armarium.harvest.fetch.answer import Answer
from armarium.harvest.fetch.connection import Connection
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.fetch.pool import Opener, Place, Pool
from armarium.harvest.fetch.proxy import Proxy
from armarium.harvest.fetch.request import Target, as_recorded
from armarium.harvest.model import Status

REPEATABLE = frozenset({"GET", "HEAD"})  # a request that may go out twice if a connection dies under it

REQUEST_TIMEOUT = 408
WITHOUT_STATUS_LINE = "HTTP/0.9"


class Errand(NamedTuple):
    """A request to be carried, and where to."""

    target: Target
    addresses: tuple[str, ...]  # all of them allowed
    method: str
    request: bytes
    limit: int | None  # bytes of the body


class Carrier:
    """Used inside one event loop."""

    def __init__(self, order: Fetching, limits: Limits, proxy: Proxy | None) -> None:
        self._order = order
        self._limits = limits
        self._opener = Opener(order, proxy)
        self._pool = Pool(asyncio.get_running_loop(), order.connections)

    def close(self) -> None:
        self._pool.close()

    @property
    def idle(self) -> int:
        """Connections that wait."""
        return len(self._pool)

    async def carry(self, errand: Errand, exchange: Exchange) -> None:
        """Fill in the exchange. Raises OSError only when our own disk does not take the answer."""
        answer = self._new_answer(errand, exchange)
        connection = self._waiting(errand) if errand.method in REPEATABLE else None
        exchange.reused = connection is not None
        if connection is None or not await self._talk(exchange, connection, errand, answer):
            exchange.reused = False
            exchange.response.clear()
            connection = await self._open(exchange, errand)
            if connection is None:
                return
            answer = self._new_answer(errand, exchange)
            await self._talk(exchange, connection, errand, answer)
        self._conclude(exchange, connection, answer)
        if answer.allows_another and connection.is_open:
            self._pool.give(_place(errand.target, connection.reached), connection)
        else:
            connection.close()

    def _new_answer(self, errand: Errand, exchange: Exchange) -> Answer:
        limit = self._limits.max_download_bytes
        if errand.limit is not None:
            limit = errand.limit if limit is None else min(limit, errand.limit)
        return Answer(errand.method, exchange.response, self._order.max_head_bytes, limit)

    def _waiting(self, errand: Errand) -> Connection | None:
        for address in errand.addresses:
            connection = self._pool.take(_place(errand.target, address))
            if connection is not None:
                return connection
        return None

    async def _open(self, exchange: Exchange, errand: Errand) -> Connection | None:
        port = errand.target.origin.port
        for address in errand.addresses:
            exchange.address, exchange.port = address, port
            try:
                return await self._opener.open(_place(errand.target, address))
            except TimeoutError:
                seconds = self._order.connect_seconds
                exchange.error = f"{address} port {port} gave no connection within {seconds:g} s."
            except OSError as error:
                exchange.error = f"No connection to {address} port {port}: {error}"
        exchange.status = Status.CONNECT_FAILED
        return None

    async def _talk(self, exchange: Exchange, connection: Connection, errand: Errand, answer: Answer) -> bool:
        """False if a connection that had waited turned out to be closed: another one is worth a try."""
        exchange.request = as_recorded(errand.request)
        exchange.address, exchange.port, exchange.tls = connection.address, connection.port, connection.tls
        began = time.monotonic()
        try:
            await connection.ask(errand.request, answer, self._limits.max_download_seconds)
        except BaseException:  # cancelled, or our disk is full: the connection is in the middle of an answer
            connection.close()
            exchange.response.close()
            raise
        if not connection.first_byte:
            return not exchange.reused or connection.timed_out
        exchange.first_byte = connection.first_byte - began
        if exchange.reused and answer.head is not None and answer.head.status == REQUEST_TIMEOUT:
            connection.close()  # the farewell of a server that tired of waiting, and no answer to us
            return False
        return True

    def _conclude(self, exchange: Exchange, connection: Connection, answer: Answer) -> None:
        head = exchange.head = answer.head
        exchange.truncated, exchange.head_truncated = answer.truncated, answer.head_truncated
        exchange.surplus = answer.surplus
        if head is not None and head.version == WITHOUT_STATUS_LINE:
            # A head without any, which some devices send, is read by browsers as a good answer.
            exchange.status = head.status or 200
        elif head is not None and head.status is not None and head.status >= 100:
            exchange.status = head.status
        elif head is not None:
            exchange.status = Status.CONNECTION_LOST
            line = head.raw.lstrip().splitlines()[0][:60]
            exchange.error = f"The answer has no status that could be recorded; it begins with {line!r}."
        elif connection.timed_out:
            exchange.status = Status.TIMEOUT
            exchange.error = f"No answer: silence for {self._order.silence_seconds:g} s, or the time was up."
        elif answer.head_truncated:
            exchange.status = Status.CONNECTION_LOST
            exchange.error = f"No answer in the first {self._order.max_head_bytes} bytes that were sent."
        elif connection.spoke_unasked:
            exchange.status = Status.CONNECTION_LOST
            exchange.error = f"The server spoke before it was asked: {connection.spoke_unasked!r}."
        elif not answer.begun:
            exchange.status = Status.CONNECTION_LOST
            exchange.error = "The server closed the connection without an answer."
        else:
            exchange.status = Status.CONNECTION_LOST
            exchange.error = f"The answer is not HTTP; it begins with {answer.received[:60]!r}."


def _place(target: Target, address: str) -> Place:
    origin = target.origin
    return Place(origin.scheme, origin.host, origin.port, address)
