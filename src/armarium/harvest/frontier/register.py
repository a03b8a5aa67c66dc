"""All queues by name: those in rotation are in memory, the others are a row on disk.

A queue that has just run empty stays at hand for a while, because the next page often fills it again.
"""

from collections.abc import Iterator
from itertools import chain

from armarium.core.crawl_order import Queues
from armarium.harvest.frontier.item import QueueState
from armarium.harvest.frontier.queue import Queue, own_limits
from armarium.harvest.frontier.store import Store

_AT_HAND = 5_000
_KNOWN = 100_000
_ACTIVATED_AT_ONCE = 200

_States = dict[QueueState, int]


class Register:
    def __init__(self, store: Store, order: Queues) -> None:
        self.order = order
        self.active: dict[str, Queue] = {}
        self.changed: set[Queue] = set()
        self._empty: dict[str, Queue] = {}
        self._known: dict[str, tuple[int, str]] = {}  # id and state of queues that are not in memory
        self._store = store
        store.calm()
        self._turn = store.last_turn()
        found = store.queues_by_state()
        self._tally: _States = {
            state: found.get(state, 0)
            for state in (QueueState.INACTIVE, QueueState.RETIRED, QueueState.EXHAUSTED, QueueState.SNOOZED)
        }

    @property
    def has_inactive(self) -> bool:
        return self._tally[QueueState.INACTIVE] > 0

    @property
    def has_room(self) -> bool:
        return len(self.active) < self.order.active

    def states(self) -> _States:
        snoozed = sum(queue.snoozed for queue in self.active.values())
        return {
            **self._tally,
            QueueState.READY: len(self.active) - snoozed,
            QueueState.SNOOZED: self._tally[QueueState.SNOOZED] + snoozed,
        }

    def in_memory(self) -> Iterator[Queue]:
        return chain(self.active.values(), self._empty.values())

    # --- finding

    def find(self, name: str, *, at_once: bool = False) -> Queue | None:
        """The queue, brought into rotation if there is room or it must be; None: it has to wait its turn."""
        queue = self.active.get(name)
        if queue is not None:
            return queue
        room = at_once or (self.has_room and not self.has_inactive)
        if room and name in self._empty:
            self._tally[QueueState.EXHAUSTED] -= 1
            return self._enter(self._empty.pop(name))
        id_, state = self._look_up(name)
        if not room or (state == QueueState.RETIRED and not at_once):
            return None
        if state:
            self._tally[QueueState(state)] -= 1
            return self._enter(Queue.of_row(self._store.read_queue(id_)))
        return self._enter(Queue(id_, name, own_limits(self._store, self.order, name)))

    def arrive(self, name: str) -> int:
        """One more address for a queue that `find` did not give; its id."""
        waiting_empty = self._empty.pop(name, None)
        if waiting_empty is not None:
            self._known[name] = (waiting_empty.id, QueueState.EXHAUSTED)
        id_, state = self._look_up(name)
        if state not in (QueueState.INACTIVE, QueueState.RETIRED):
            self._line_up(id_, name, state)
        self._store.arrive(id_)
        return id_

    def by_id(self, id_: int) -> str:
        """The name."""
        return self._store.queue_name(id_)

    def _look_up(self, name: str) -> tuple[int, str]:
        """Id and state; the state is empty for a queue that did not exist."""
        known = self._known.get(name)
        if known is not None:
            return known
        row = self._store.find_queue(name)
        if row is None:
            limits = own_limits(self._store, self.order, name)
            return self._know(name, self._store.new_queue(name, QueueState.EXHAUSTED, limits), "")
        return self._know(name, row[0], row[1])

    def merged_into(self, name: str) -> str:
        """The name of the queue that took this one's place, or the same."""
        if name in self.active or name in self._known or name in self._empty:
            return name
        row = self._store.find_queue(name)
        return name if row is None or row[2] is None else self.by_id(row[2])

    def _know(self, name: str, id_: int, state: str) -> tuple[int, str]:
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[name] = (id_, state)
        return id_, state

    # --- coming and going

    def _enter(self, queue: Queue) -> Queue:
        queue.balance = self.order.replenish
        queue.heap.clear()
        queue.held.clear()
        queue.cursor = -1
        self._known.pop(queue.name, None)
        self.active[queue.name] = queue
        self._store.save_queue(
            queue.id, queue.row(QueueState.READY)
        )  # or it would be taken for inactive again
        return queue

    def activate(self) -> list[Queue]:
        """Some of the inactive ones, in turn, as far as there is room."""
        room = min(self.order.active - len(self.active), _ACTIVATED_AT_ONCE)
        queues = [Queue.of_row(row) for row in self._store.next_inactive(room)]
        self._tally[QueueState.INACTIVE] -= len(queues)
        return [self._enter(queue) for queue in queues]

    def leave(self, queue: Queue, state: QueueState) -> None:
        """Out of the rotation; nothing of it may be in flight."""
        del self.active[queue.name]
        self.changed.discard(queue)
        self._tally[state] += 1
        self._turn += 1
        self._store.save_queue(queue.id, queue.row(state, self._turn))
        if state is QueueState.EXHAUSTED:
            self._empty[queue.name] = queue
            if len(self._empty) > _AT_HAND:
                oldest = next(iter(self._empty))
                del self._empty[oldest]
        else:
            self._know(queue.name, queue.id, state)

    def _line_up(self, id_: int, name: str, state: str) -> None:
        self._turn += 1
        if state:
            self._tally[QueueState(state)] -= 1
        self._tally[QueueState.INACTIVE] += 1
        self._store.revive(id_, self._turn)
        self._know(name, id_, QueueState.INACTIVE)

    def end_of_wait(self, name: str) -> None:
        """An address of a queue that `find` did not give may be tried again."""
        id_, state = self._look_up(name)
        if state not in (QueueState.INACTIVE, QueueState.RETIRED):
            self._line_up(id_, name, state)
        self._store.end_wait(id_)

    def absorb(self, old: Queue, new: Queue) -> None:
        """Everything of one queue is the other's now; what is in memory of the two is read anew."""
        for count in (
            "queued",
            "waiting",
            "in_flight",
            "aside",
            "added",
            "finished",
            "failed",
            "objects",
            "bytes",
        ):
            setattr(new, count, getattr(new, count) + getattr(old, count))
            setattr(old, count, 0)
        new.wake = max(new.wake, old.wake)
        new.heap.clear()
        new.held.clear()
        old.held.clear()
        new.cursor = -1
        old.gone = True
        del self.active[old.name]
        self.changed.discard(old)
        self.changed.add(new)
        self._store.save_queue(old.id, old.row(QueueState.EXHAUSTED))

    def revive(self, id_: int, name: str, state: QueueState) -> None:
        """A queue on disk has work again."""
        self._line_up(id_, name, state)

    def save(self) -> None:
        """The rows of those in rotation."""
        for queue in self.changed:
            state = QueueState.SNOOZED if queue.snoozed else QueueState.READY
            self._store.save_queue(queue.id, queue.row(state))
        self.changed.clear()
