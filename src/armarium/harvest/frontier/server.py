"""A server, known by its address: the pace it is asked at, whatever the queues that lead to it."""

from collections import deque
from typing import Any

from armarium.core.crawl_order import Politeness
from armarium.harvest.frontier.budget import is_success
from armarium.harvest.frontier.outcome import Outcome
from armarium.harvest.frontier.pauses import (
    REFUSALS,
    SLOW_DOWN,
    back_off,
    blocked_pause,
    server_pause,
    transfer_time,
)
from armarium.harvest.frontier.queue import Queue
from armarium.harvest.model import Status


class Server:
    __slots__ = (
        "address", "in_flight", "last_status", "paid_until", "queues", "refusals", "refused_port",
        "slow_downs", "timed", "wake",
    )  # fmt: skip

    def __init__(self, address: str) -> None:
        self.address = address
        self.wake = 0.0
        self.in_flight = 0
        self.slow_downs = 0  # 429 and 503 in a row
        self.refusals = 0  # in a row
        self.refused_port = ""  # where the first of them was; empty: not known
        self.last_status = 0
        self.paid_until = 0.0  # when the bytes received so far should have been received by the cap
        self.queues: deque[Queue] = deque()  # they wait for it, the first come first
        self.timed = False

    @classmethod
    def of_row(cls, row: tuple[Any, ...]) -> "Server":
        server = cls(row[0])
        (server.wake, server.slow_downs, server.refusals, server.last_status) = row[1:]
        return server

    def row(self) -> tuple[Any, ...]:
        return (self.address, self.wake, self.slow_downs, self.refusals, self.last_status)

    def is_idle(self) -> bool:
        return not (self.in_flight or self.queues or self.timed)

    def is_free(self, now: float, parallel: int) -> bool:
        return self.wake <= now and self.in_flight < parallel

    def rest(self, politeness: Politeness, outcome: Outcome, now: float) -> float:
        """Takes note of an answer; how long the queue has to hold back, too."""
        status, size, duration, asked = outcome[:4]
        self.last_status = status
        self._count(status, outcome.port, aside=outcome.aside)
        hold = 0.0
        if (self.refusals or asked is not None) and not outcome.aside:
            hold = back_off(politeness, self.slow_downs if status in SLOW_DOWN else 0, asked)
            hold = max(hold, blocked_pause(politeness, self.refusals))
        if politeness.max_bytes_per_second:
            self.paid_until = max(self.paid_until, now - duration) + transfer_time(politeness, size)
        self.wake = max(self.wake, now + max(server_pause(politeness), hold), self.paid_until)
        return hold

    def _count(self, status: int, port: str, *, aside: bool) -> None:
        if status in REFUSALS:
            if not self.refusals or not self.refused_port:
                self.refused_port = port
            elif status == Status.CONNECT_FAILED and port != self.refused_port:
                return  # nobody listens at one more port: the server does not keep us out
            self.refusals += 1
            self.slow_downs += status in SLOW_DOWN and not aside
            if is_success(status) and status not in SLOW_DOWN:
                self.slow_downs = 0
        elif is_success(status):
            self.refusals = self.slow_downs = 0
