"""What an operator changes while the crawl runs: budgets, and what is deleted from the queues."""

from collections.abc import Callable, Container, Iterator

from armarium.core.crawl_order import Queues
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.frontier.item import Counts, QueueState
from armarium.harvest.frontier.queue import FACTS, OwnLimits, Queue, default_budget
from armarium.harvest.frontier.register import Register
from armarium.harvest.frontier.store import Row, Store
from armarium.harvest.model import Status

EVERY_QUEUE = "*"


def set_budget(
    store: Store, register: Register, queues: Queues, pattern: str, limits: OwnLimits
) -> tuple[int, Budget]:
    """How many queues there are that the pattern fits, and the default from now on."""
    register.save()
    if pattern == EVERY_QUEUE:
        for fact, limit in zip(FACTS, limits, strict=True):
            if limit is not None:
                store.remember(fact, limit)
    ids = set(store.set_budget(pattern, *limits))
    for queue in register.in_memory():
        if queue.id in ids:
            queue.limits = _changed(queue.limits, limits)
    default = default_budget(store, queues)
    _bring_back_retired(store, register, default)
    return len(ids), default


def _changed(old: OwnLimits, new: OwnLimits) -> OwnLimits:
    return (old[0] if new[0] is None else new[0], old[1] if new[1] is None else new[1])


def _bring_back_retired(store: Store, register: Register, default: Budget) -> None:
    for row in store.retired():
        queue = Queue.of_row(row)
        if not queue.budget(default).is_spent(queue.objects, queue.bytes):
            register.revive(queue.id, queue.name, QueueState.RETIRED)


def delete(
    store: Store, register: Register, counts: Counts, found: Callable[[str], object],
    in_flight: Container[int], now: float,
) -> int:  # fmt: skip
    """Addresses for which the function finds anything; those in flight stay."""
    register.save()
    deleted = [row for row in matching(store, found) if row[2] not in in_flight]
    mime = store.name_id("")
    by_queue: dict[int, set[int]] = {}
    for queue, class_, id_, attempts, _ in deleted:
        store.dequeue(queue, class_, id_)
        store.finish((id_, queue, int(Status.DELETED), 0, attempts, int(now), mime, None))
        by_queue.setdefault(queue, set()).add(id_)
    counts.queued -= len(deleted)
    counts.count(Status.DELETED, len(deleted))
    for queue_in_memory in register.active.values():
        gone = by_queue.pop(queue_in_memory.id, None)
        if gone:
            queue_in_memory.drop(gone)
            register.changed.add(queue_in_memory)
    store.depart((len(gone), id_) for id_, gone in by_queue.items())
    return len(deleted)


def matching(store: Store, found: Callable[[str], object]) -> Iterator[Row]:
    return (row for row in store.pending() if found(row[4]))
