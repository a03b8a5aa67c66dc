"""Who may be asked now: queues that are ready, timers, and servers with queues before their door.

A server that many queues share lets in as many as it has room for, the first come first: waking all of them
each time would cost more with each host of the address.
"""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

from armarium.harvest.frontier.queue import Queue
from armarium.harvest.frontier.servers import Server

_SERVERS_IN_MEMORY = 20_000


class Rotation:
    def __init__(self, parallel_server: int, read_server: Callable[[str], tuple[Any, ...] | None]) -> None:
        self.ready: deque[Queue] = deque()
        self.servers: dict[str, Server] = {}
        self.changed: set[Server] = set()  # since they were last saved
        self.parallel_server = parallel_server
        self._read_server = read_server
        self._timers: list[tuple[float, int, Queue | Server]] = []
        self._number = 0

    def server(self, address: str) -> Server:
        server = self.servers.get(address)
        if server is None:
            row = self._read_server(address)
            server = self.servers[address] = Server.of_row(row) if row else Server(address)
        return server

    def forget_idle_servers(self) -> None:
        """They are on disk; only those in use need memory."""
        if len(self.servers) > _SERVERS_IN_MEMORY:
            self.servers = {key: one for key, one in self.servers.items() if not one.is_idle()}

    def enlist(self, queue: Queue) -> None:
        """To be tried as soon as possible, unless somebody holds it already."""
        if not queue.scheduled:
            queue.scheduled = True
            queue.snoozed = False
            self.ready.append(queue)

    def snooze(self, queue: Queue) -> None:
        queue.scheduled = queue.snoozed = True
        self._set_timer(queue.wake, queue)

    def line_up(self, queue: Queue, server: Server, now: float) -> None:
        """Before the server's door."""
        queue.scheduled = queue.snoozed = True
        server.queues.append(queue)
        if server.wake > now:
            self._time(server)

    def let_in(self, server: Server, now: float) -> None:
        """As many queues as the server has room for."""
        if not server.queues:
            return
        if server.wake > now:
            self._time(server)
            return
        for _ in range(min(len(server.queues), self.parallel_server - server.in_flight)):
            queue = server.queues.popleft()
            queue.snoozed = False
            self.ready.append(queue)

    def fire(self, now: float) -> None:
        """Timers that are due."""
        timers = self._timers
        while timers and timers[0][0] <= now:
            sleeper = heapq.heappop(timers)[2]
            if isinstance(sleeper, Queue):
                sleeper.snoozed = False
                self.ready.append(sleeper)
            else:
                sleeper.timed = False
                self.let_in(sleeper, now)

    def wake(self) -> float | None:
        if self.ready:
            return 0.0
        return self._timers[0][0] if self._timers else None

    def _time(self, server: Server) -> None:
        if not server.timed:
            server.timed = True
            self._set_timer(server.wake, server)

    def _set_timer(self, when: float, sleeper: Queue | Server) -> None:
        self._number += 1
        heapq.heappush(self._timers, (when, self._number, sleeper))
