"""Connections that wait for another request to the same server."""

import asyncio
from typing import NamedTuple

from armarium.harvest.fetch.connection import Connection

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
