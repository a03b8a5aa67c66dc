"""What goes first in a queue: a class by the hop path, or by rules; inside it, first come, first served."""

from functools import lru_cache

from armarium.core.crawl_order import QueueOrder, Queues
from armarium.formats.url.measures import path_depth
from armarium.harvest.model import Hop
from armarium.harvest.scope.filters import FilterSet

PREREQUISITE = 0  # others wait for it
PART = 1  # redirects and embeds: a page and its parts stay together in time
FIRST = 2  # pages that a rule puts before all others
_PAGES = 3  # a seed; each link or sitemap entry on the way is one class further back
_LAST_PAGES = 250
LAST = 254  # what a rule puts behind all pages
GUESS = 255  # speculative and inferred: nobody may miss it

_BY_LAST_HOP = {
    Hop.PREREQUISITE.value: PREREQUISITE,
    Hop.REDIRECT.value: PART,
    Hop.EMBED.value: PART,
    Hop.SPECULATIVE.value: GUESS,
    Hop.INFERRED.value: GUESS,
}


@lru_cache(maxsize=4096)
def class_of(hops: str) -> int:
    """0 to 255, the lowest first."""
    special = _BY_LAST_HOP.get(hops[-1:])
    if special is not None:
        return special
    return min(_PAGES + hops.count(Hop.LINK) + hops.count(Hop.MANIFEST), _LAST_PAGES)


class Ranking:
    """The classes of one crawl, by the rules of its order."""

    def __init__(self, queues: Queues) -> None:
        self._order = queues.order
        self._first = FilterSet(queues.first)
        self._last = FilterSet(queues.last)
        self._plain = queues.order is QueueOrder.HOPS and not self._first and not self._last

    def class_of(self, url: str, hops: str) -> int:
        class_ = class_of(hops)
        if self._plain or class_ == PREREQUISITE:
            return class_
        if self._last and self._last.find(url):
            return LAST
        if class_ == PART:
            return PART
        if self._first and self._first.find(url):
            return FIRST
        if class_ == GUESS or self._order is QueueOrder.HOPS:
            return class_
        further = path_depth(url) if self._order is QueueOrder.PATH else 0
        return min(_PAGES + further, _LAST_PAGES)


# A rank puts class and arrival into one number, so that a heap compares numbers only.
_ARRIVAL_BITS = 44


def rank(class_: int, arrival: int) -> int:
    return class_ << _ARRIVAL_BITS | arrival


def class_and_arrival(rank_: int) -> tuple[int, int]:
    return rank_ >> _ARRIVAL_BITS, rank_ & ((1 << _ARRIVAL_BITS) - 1)
