"""How long a queue, a server and a failed address rest. Nothing here knows the time or keeps anything."""

import re
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from armarium.core.crawl_order import Politeness, Retries
from armarium.core.late import late
from armarium.formats.http import HttpHead
from armarium.harvest.frontier.budget import is_success
from armarium.harvest.frontier.queue import Queue
from armarium.harvest.model import Hop, Status

if TYPE_CHECKING:
    from armarium.formats.text.dates import parse_date
else:
    parse_date = late("armarium.formats.text.dates:parse_date")


SLOW_DOWN = frozenset({429, 503})
REFUSALS = SLOW_DOWN | {403, Status.CONNECT_FAILED}
BLOCKED_AFTER = 20
"""Refusals in a row after which a server is taken to keep us out."""
_UNREACHED = frozenset({Status.DNS_FAILED, Status.CONNECT_FAILED, Status.ROBOTS_PREREQUISITE_FAILED})
_BLOCKED_PAUSE = 900.0
_LEAST_BACK_OFF = 5.0
_NAMES_ASKED_AGAIN = 30.0  # seconds: earlier, what the resolver remembers would be told again
_MOST_DOUBLINGS = 32  # 2 ** 32 times anything is over every limit, and still a float


def queue_pause(politeness: Politeness, duration: float, crawl_delay: float | None = None) -> float:
    """After a download that took so long."""
    pause = politeness.delay_factor * duration
    pause = min(max(pause, politeness.min_delay), politeness.max_delay)
    if crawl_delay is not None:
        pause = max(pause, min(crawl_delay, politeness.max_crawl_delay))
    return pause


def server_pause(politeness: Politeness) -> float:
    """The least time between downloads from one address, whatever the queues."""
    return politeness.min_delay if politeness.server_min_delay is None else politeness.server_min_delay


def back_off(politeness: Politeness, in_a_row: int, retry_after: float | None = None) -> float:
    """After so many answers 429 or 503 in a row; also what the server itself asks for, within the limit."""
    pause = max(retry_after or 0.0, 0.0)
    if in_a_row:
        first = max(politeness.min_delay * 2, _LEAST_BACK_OFF)
        pause = max(pause, first * 2.0 ** min(in_a_row - 1, _MOST_DOUBLINGS))
    return min(pause, politeness.max_retry_after)


def blocked_pause(politeness: Politeness, refusals: int) -> float:
    """A server that refuses everything is tried seldom."""
    return min(_BLOCKED_PAUSE, politeness.max_retry_after) if refusals >= BLOCKED_AFTER else 0.0


def transfer_time(politeness: Politeness, size: int) -> float:
    """How long a download of so many bytes should have taken by the cap on bandwidth."""
    return size / politeness.max_bytes_per_second if politeness.max_bytes_per_second else 0.0


def tries(
    retries: Retries, hops: str, status: int, *, absent: bool, answered: bool, heard: bool = True
) -> int:
    """How often an address is asked for that fails so.

    What cannot be reached is given up by class, guesses first: else a crawl waits at its end, for as long as
    all attempts take, for hosts that were never there. `absent`: a name server says that there is no such
    name; without an answer of one, the trouble may be on our side. `answered`: its queue had one. `heard`:
    anybody at all has answered; else the names of seeds are mistyped, or there is no network.
    """
    if status not in _UNREACHED:
        return retries.attempts
    way = _way(hops)
    if is_unheard_name(hops, status, heard=heard):
        return min(retries.attempts, 2 if absent else 3)
    if way in (Hop.SPECULATIVE, Hop.INFERRED):
        return retries.attempts if answered and not absent else 1
    if not absent or not way:  # a seed is what the crawl is for
        return retries.attempts
    return 1 if way == Hop.EMBED else min(retries.attempts, 2)


def is_unheard_name(hops: str, status: int, *, heard: bool) -> bool:
    """Whether a seed's name does not resolve in a crawl that nobody has answered yet."""
    return not heard and status == Status.DNS_FAILED and not _way(hops)


def _way(hops: str) -> str:
    """How an address was found, redirects aside; empty: it is a seed."""
    return hops.rstrip(Hop.REDIRECT + Hop.PREREQUISITE)[-1:]


def retry_pause(
    retries: Retries, attempts: int, retry_after: float | None, politeness: Politeness, *, soon: bool = False
) -> float:
    """Before the next attempt, after so many. `soon`: nobody but name servers is asked, and people wait."""
    asked = min(max(retry_after or 0.0, 0.0), politeness.max_retry_after)
    delay = min(retries.delay, _NAMES_ASKED_AGAIN) if soon else retries.delay
    return max(delay * 2.0 ** min(max(attempts - 1, 0), _MOST_DOUBLINGS), asked)


# --- What a server asks of us in the head of its answer.


DELAY = re.compile(r"\d{1,9}")


def retry_after(head: HttpHead | None, asked: datetime) -> float | None:
    """Seconds to wait, by Retry-After (RFC 9110, 10.2.3: a count of seconds, or a date)."""
    if head is None or head.fields.get_bytes("retry-after") is None:
        return None
    value = (head.fields.get("retry-after") or "").strip()
    if DELAY.fullmatch(value):
        return float(value)
    moment = parse_date(value)
    if moment is None:
        return None
    # A server's clock may be wrong; what it meant is the time between its own two dates.
    told = parse_date(head.fields.get("date") or "") or asked
    return max((moment - told).total_seconds(), 0.0)


# --- What came of an item that was out.


class Outcome(NamedTuple):
    status: int
    size: int = 0
    duration: float = 0.0
    retry_after: float | None = None
    crawl_delay: float | None = None
    mime: str = ""
    digest: str = ""
    port: str = ""
    aside: bool = False  # the server's trouble is that of one origin, which waits by itself; others need not


# --- A server, known by its address: the pace it is asked at, whatever the queues that lead to it.


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
