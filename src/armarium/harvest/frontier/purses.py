"""What queues may spend: one amount for all of them, and what single ones have of their own.

A queue gets its own limits from the order when it comes into being, and keeps them in its row. What an
operator says while the crawl runs is the later word, and stronger than the order.
"""

from armarium.core.crawl_order import Queues
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.frontier.store import Store

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
