"""A queue in rotation: its first items, its purse and its pace.

The items in memory are always the first of those on disk: whatever is ranked up to `cursor` is in the heap
or in flight, whatever comes after is only on disk.
"""

import heapq
from typing import Any

from armarium.core.crawl_order import Queues
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.frontier.item import Item, QueueState
from armarium.harvest.frontier.store import Store

# --- What queues may spend: one amount for all of them, and what single ones have of their own.
#
# A queue gets its own limits from the order when it comes into being, and keeps them in its row. What an
# operator says while the crawl runs is the later word, and stronger than the order.


OwnLimits = tuple[int | None, int | None]  # objects and bytes; None: as all queues, -1: no limit

NO_OWN_LIMITS: OwnLimits = (None, None)
FACTS = ("budget.objects", "budget.bytes")  # what an operator set for all


def default_budget(store: Store, queues: Queues) -> Budget:
    """Of a queue that has none of its own: what an operator set for all, else the order's."""
    limits = (queues.max_objects, queues.max_bytes)
    changed = [store.recall(fact) for fact in FACTS]
    objects, bytes_ = (
        whole if own is None else None if int(own) < 0 else int(own)
        for own, whole in zip(changed, limits, strict=True)
    )
    return Budget(objects, bytes_)


def own_limits(store: Store, queues: Queues, name: str) -> OwnLimits:
    """With which a new queue begins."""
    budget = queues.budgets.get(name)
    if budget is None:
        return NO_OWN_LIMITS
    objects, bytes_ = (
        limit if store.recall(fact) is None else None
        for fact, limit in zip(FACTS, (budget.max_objects, budget.max_bytes), strict=True)
    )
    return objects, bytes_


# --- The queue itself.


class Queue:
    __slots__ = (
        "added", "address", "aside", "balance", "bytes", "cursor", "failed", "finished", "gone", "heap",
        "held", "id", "in_flight", "limits", "name", "objects", "queued", "scheduled", "snoozed", "waiting",
        "wake",
    )  # fmt: skip

    def __init__(self, id_: int, name: str, limits: OwnLimits = NO_OWN_LIMITS) -> None:
        self.id = id_
        self.name = name
        self.heap: list[tuple[int, Item]] = []
        self.cursor = -1
        self.queued = 0  # pending, in flight and waiting
        self.waiting = 0
        self.held: dict[int, tuple[str, Item]] = {}  # pending items that must not be taken now, and why
        self.in_flight = 0
        self.aside = 0  # of those in flight, as many take no place
        self.added = 0
        self.finished = 0
        self.failed = 0
        self.objects = 0  # spent
        self.bytes = 0
        self.limits = limits
        self.balance = 0  # objects until another queue has its turn
        self.wake = 0.0
        self.address = ""  # of its server, once known
        self.scheduled = False  # somebody holds it: the ready ones, a timer or a server
        self.snoozed = False  # and that is a timer or a server
        self.gone = False  # merged into another

    @classmethod
    def of_row(cls, row: tuple[Any, ...]) -> "Queue":
        queue = cls(row[0], row[1])
        (queue.queued, queue.waiting, queue.added, queue.finished, queue.failed) = row[3:8]
        (queue.objects, queue.bytes) = row[8:10]
        queue.limits = (row[10], row[11])
        (queue.wake, queue.address) = row[12:14]
        return queue

    def row(self, state: QueueState, turn: int = 0) -> tuple[Any, ...]:
        return (
            state.value, turn, self.queued, self.waiting, self.added, self.finished, self.failed,
            self.objects, self.bytes, *self.limits, self.wake, self.address,
        )  # fmt: skip

    def budget(self, default: Budget) -> Budget:
        """-1 among its own limits: none."""
        if self.limits == NO_OWN_LIMITS:
            return default
        objects, bytes_ = (
            whole if own is None else None if own < 0 else own
            for own, whole in zip(self.limits, default, strict=True)
        )
        return Budget(objects, bytes_)

    @property
    def available(self) -> int:
        """Items that could be taken, in memory or on disk."""
        return self.queued - self.in_flight - self.waiting - len(self.held)

    @property
    def places(self) -> int:
        """That are taken."""
        return self.in_flight - self.aside

    def wants(self, rank: int, limit: int) -> bool:
        """Whether an item that is on disk, and already counted, must or may come into memory too."""
        size = len(self.heap)
        if rank <= self.cursor:
            if size > 4 * limit:
                self._trim(limit)
            return rank <= self.cursor
        return size < limit and size >= self.available - 1

    def push(self, item: Item) -> None:
        heapq.heappush(self.heap, (item.rank, item))
        self.cursor = max(self.cursor, item.rank)

    def pop(self) -> Item:
        return heapq.heappop(self.heap)[1]

    def drop(self, ids: set[int]) -> None:
        """Pending items, in memory or only on disk, that are out of the crawl."""
        self.heap = [entry for entry in self.heap if entry[1].id not in ids]
        heapq.heapify(self.heap)
        self.held = {id_: entry for id_, entry in self.held.items() if id_ not in ids}
        self.queued -= len(ids)
        self.finished += len(ids)

    def forget(self, id_: int) -> None:
        """An item that was settled without being taken."""
        self.held.pop(id_, None)
        kept = [entry for entry in self.heap if entry[1].id != id_]
        if len(kept) < len(self.heap):
            self.heap = kept
            heapq.heapify(self.heap)

    def _trim(self, limit: int) -> None:
        """Thousands of embeds may push in before everything else; the rest of them stays on disk."""
        self.heap = heapq.nsmallest(limit, self.heap)
        self.cursor = self.heap[-1][0]
