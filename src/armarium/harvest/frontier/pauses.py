"""How long a queue, a server and a failed address rest. Nothing here knows the time or keeps anything."""

from armarium.core.crawl_order import Politeness, Retries
from armarium.harvest.model import Hop, Status

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
