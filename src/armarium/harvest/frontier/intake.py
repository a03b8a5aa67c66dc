"""Addresses come in: seen or new, ours or another process's, and into their queue."""

from functools import lru_cache

from armarium.core.crawl_order import QueueOrder, Queues
from armarium.formats.url.measures import path_depth
from armarium.harvest.frontier.item import Counts, Item
from armarium.harvest.frontier.queue import Queue
from armarium.harvest.frontier.queue_names import Naming
from armarium.harvest.frontier.register import Register
from armarium.harvest.frontier.rotation import Rotation
from armarium.harvest.frontier.seen import Seen
from armarium.harvest.frontier.store import Store
from armarium.harvest.model import Candidate, Hop
from armarium.harvest.scope.filters import FilterSet

# --- What goes first in a queue: a class by the hop path, or by rules; inside it, first come, first served.


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


# --- The way in.


_ITEMS_IN_MEMORY = 100_000  # over all queues in rotation
_FEWEST, _MOST = 16, 400  # of one queue


class Intake:
    def __init__(
        self, store: Store, seen: Seen, naming: Naming, register: Register, rotation: Rotation,
        counts: Counts, ranking: Ranking,
    ) -> None:  # fmt: skip
        self._store = store
        self._seen = seen
        self._naming = naming
        self._register = register
        self._rotation = rotation
        self._counts = counts
        self._ranking = ranking
        self._last_id = store.last_url()
        self._via: tuple[str, int | str] = ("", "")

    def add(self, candidate: Candidate, rule: str, key: bytes) -> None:
        """A new address of this process."""
        self._last_id = id_ = self._last_id + 1
        url, hops, via, source, context = candidate
        name_id = self._store.name_id
        self._store.add_url(
            (id_, url, hops, self._via_of(via), name_id(source), name_id(context), name_id(rule)), key
        )
        self._seen.add(key, id_)
        self._counts.discovered += 1
        self._queue_up(id_, candidate)

    def add_again(self, candidate: Candidate, id_: int, status: int) -> None:
        """An address that was finished: it keeps the first account of how it was found."""
        self._store.forget_outcome(id_)
        self._counts.uncount(status)
        self._queue_up(id_, candidate)

    def send(self, candidate: Candidate, key: bytes, shard: int) -> None:
        self._store.send(key, (shard, *candidate))
        self._seen.add(key, 0)

    def _queue_up(self, id_: int, candidate: Candidate) -> None:
        url, hops, via, source, context = candidate
        class_ = self._ranking.class_of(url, hops)
        name = self._naming.queue_of(url)
        self._counts.queued += 1
        queue = self._register.find(name)
        if queue is None:
            self._store.enqueue(self._register.arrive(name), class_, id_, 0)
            return
        self._store.enqueue(queue.id, class_, id_, 0)
        queue.queued += 1
        queue.added += 1
        place = rank(class_, id_)
        if queue.wants(place, self.batch()):
            queue.push(Item(id_, url, hops, via, source, context, 0, name, place))
        self.enlist(queue)

    def keep(self, queue: Queue, item: Item) -> None:
        """A pending item that its queue has counted already: in memory, if it is among the first."""
        if queue.wants(item.rank, self.batch()):
            queue.push(item)

    def enlist(self, queue: Queue) -> None:
        self._register.changed.add(queue)
        if not queue.scheduled:
            self._rotation.enlist(queue)

    def batch(self) -> int:
        """How many items of one queue are in memory, about."""
        return max(_FEWEST, min(_MOST, _ITEMS_IN_MEMORY // (len(self._register.active) + 1)))

    def _via_of(self, via: str) -> int | str:
        """The id if it is known; links of one page come one after another, so the last one is kept."""
        if via != self._via[0]:
            self._via = (via, (via and self._seen.find(via)) or via)
        return self._via[1]
