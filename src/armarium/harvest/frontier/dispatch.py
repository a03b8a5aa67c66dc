"""Items go out, one after another, as queues and servers permit; and come back with what became of them."""

from armarium.core.crawl_order import CrawlOrder, QueueBy
from armarium.harvest.frontier.budget import Budget, cost, is_disregarded, is_success
from armarium.harvest.frontier.intake import Intake, class_and_arrival, rank
from armarium.harvest.frontier.item import Counts, Item, QueueState
from armarium.harvest.frontier.queue import Queue
from armarium.harvest.frontier.queue_names import Naming
from armarium.harvest.frontier.register import Register
from armarium.harvest.frontier.rotation import Rotation
from armarium.harvest.frontier.seen import key_of
from armarium.harvest.frontier.servers import (
    SLOW_DOWN,
    Outcome,
    Server,
    back_off,
    is_unheard_name,
    queue_pause,
    retry_pause,
    tries,
)
from armarium.harvest.frontier.sources import Purse, Sources
from armarium.harvest.frontier.store import Store
from armarium.harvest.model import Candidate, Status


class Flight:
    __slots__ = ("aside", "purse", "queue", "server")

    def __init__(self, queue: Queue, server: Server | None, purse: Purse | None) -> None:
        self.purse = purse  # None: nobody pays for it
        self.queue = queue
        self.server = server  # None: not known yet
        self.aside = False  # others of its queue need not wait for it


_DUE_AT_ONCE = 1000
_MOST_ASIDE = 4  # of one queue: each is a connection more to its host
_MOST_HELD = 1000  # of one queue: they are in memory
_LOOK_AGAIN = 1.0  # seconds
# Nobody but name servers was asked: nobody has to rest from them.
_UNASKED = (Status.DNS_SUCCESS, Status.DNS_FAILED, Status.ROBOTS_PREREQUISITE_FAILED)


class Dispatch:
    def __init__(
        self, order: CrawlOrder, store: Store, naming: Naming, register: Register, rotation: Rotation,
        intake: Intake, counts: Counts, budget: Budget, sources: Sources,
    ) -> None:  # fmt: skip
        self.order = order
        self.budget = budget  # of a queue that has none of its own
        self.flights: dict[int, Flight] = {}
        self._store = store
        self._naming = naming
        self._register = register
        self._rotation = rotation
        self._intake = intake
        self._counts = counts
        self._sources = sources
        self._next_due = store.next_due()

    # --- out

    def next(self, now: float) -> Item | None:
        if self._next_due is not None and self._next_due <= now:
            self._bring_back(now)
        self._rotation.fire(now)
        ready = self._rotation.ready
        while True:
            if self._register.has_inactive and self._register.has_room:
                for queue in self._register.activate():
                    self._rotation.enlist(queue)
            if not ready:
                return None
            queue = ready.popleft()
            queue.scheduled = False
            item = self._take(queue, now)
            if item is not None:
                return item
            if queue.address:
                # It may have come from before the server's door and left its place unused.
                self._rotation.let_in(self._rotation.server(queue.address), now)

    def wake(self) -> float | None:
        times = [time for time in (self._rotation.wake(), self._next_due) if time is not None]
        return min(times, default=None)

    def _take(self, queue: Queue, now: float) -> Item | None:
        if queue.gone or queue.places >= self.order.queues.parallel:
            return None  # `_land` enlists it again
        if queue.wake > now:
            self._rotation.snooze(queue)
            return None
        if not self._may_go_on(queue) or not self._has_payable(queue):
            return None
        server = self._server_ahead(queue)
        if server is not None and not server.is_free(now, self._room(queue, server)):
            self._wait_for(server, queue, now)
            return None
        item = queue.pop()
        queue.in_flight += 1
        queue.balance -= 1
        self._counts.in_flight += 1
        if server is not None:
            server.in_flight += 1
        purse = self._sources.purse(item.source, item.hops)
        if purse is not None:
            purse.in_flight += 1
        self.flights[item.id] = Flight(queue, server, purse)
        if queue.places < self.order.queues.parallel:
            self._rotation.enlist(queue)
        return item

    def _wait_for(self, server: Server, queue: Queue, now: float) -> None:
        if queue.aside:  # before the door it would wait for the silence of its own item
            queue.wake = max(server.wake, now + _LOOK_AGAIN)
            self._rotation.snooze(queue)
        else:
            self._rotation.line_up(queue, server, now)

    def _room(self, queue: Queue, server: Server) -> int:
        """How many may ask the server at once: for a queue, its own that stepped aside come on top."""
        room = self.order.queues.parallel_server
        if queue.aside:
            flights = self.flights.values()
            room += sum(one.aside and one.queue is queue and one.server is server for one in flights)
        return room

    def _may_go_on(self, queue: Queue) -> bool:
        """Budget and turn; a queue that may not leaves the rotation once nothing of it is in flight."""
        if not queue.heap and not queue.available:
            if queue.held:
                return False  # `let_go` enlists it again
            self._leave(queue, QueueState.SNOOZED if queue.waiting else QueueState.EXHAUSTED)
            return False
        if not queue.budget(self.budget).allows(queue.objects, queue.bytes, queue.in_flight):
            self._leave(queue, QueueState.RETIRED)
            return False
        if queue.balance > 0:
            return True
        if self._register.has_inactive and not queue.aside:
            self._leave(queue, QueueState.INACTIVE)
            return False
        queue.balance = self.order.queues.replenish
        return True

    def _has_payable(self, queue: Queue) -> bool:
        """Whether the first item may be taken; those whose source has no room for them are put aside."""
        while queue.heap or (queue.available and self._refill(queue)):
            item = queue.heap[0][1]
            purse = self._sources.purse(item.source, item.hops)
            if purse is None or purse.has_room:
                return True
            self._put_aside(queue, queue.pop(), purse)
        return self._may_go_on(queue)  # it may not: nothing is left in it

    def _put_aside(self, queue: Queue, item: Item, purse: Purse) -> None:
        class_, _ = class_and_arrival(item.rank)
        self._store.dequeue(queue.id, class_, item.id)
        self._sources.shelf.put(purse.tag, class_, item.id, queue.id, item.attempts)
        purse.shelved += 1
        queue.queued -= 1
        self._register.changed.add(queue)

    def bring_from_shelf(self, purse: Purse) -> None:
        """As many as there is room for go back into their queues."""
        room = purse.room(purse.shelved)
        rows = self._sources.shelf.take(purse.tag, room) if room else []
        purse.shelved -= len(rows)
        for class_, id_, queue_id, attempts in rows:
            name = self._register.by_id(queue_id)
            self._store.enqueue(queue_id, class_, id_, attempts)
            queue = self._register.find(name)
            if queue is None:
                self._register.arrive(name)
                continue
            queue.queued += 1
            self._intake.keep(queue, self._item(id_, class_, attempts, name))
            self._intake.enlist(queue)

    def _item(self, id_: int, class_: int, attempts: int, queue: str) -> Item:
        url, hops, via, source, context, _ = self._store.url_row(id_)
        text = self._store.text
        place = rank(class_, id_)
        return Item(id_, url, hops, via or "", text(source), text(context), attempts, queue, place)

    def _leave(self, queue: Queue, state: QueueState) -> None:
        if not queue.in_flight:
            self._register.leave(queue, state)

    def _refill(self, queue: Queue) -> bool:
        """The next items from disk."""
        limit = self._intake.batch()
        text = self._store.text
        while not queue.heap and queue.available:
            class_, arrival = class_and_arrival(queue.cursor) if queue.cursor >= 0 else (-1, 0)
            rows = self._store.load(queue.id, class_, arrival, limit)
            if not rows:
                raise RuntimeError(
                    f"The frontier counts {queue.available} items too many in queue {queue.name}."
                )
            for class_, id_, attempts, url, hops, via, source, context in rows:
                rank_ = rank(class_, id_)
                queue.cursor = max(queue.cursor, rank_)
                if id_ not in self.flights and id_ not in queue.held:
                    queue.push(
                        Item(
                            id_,
                            url,
                            hops,
                            via or "",
                            text(source),
                            text(context),
                            attempts,
                            queue.name,
                            rank_,
                        )
                    )
        return bool(queue.heap)

    def _server_ahead(self, queue: Queue) -> Server | None:
        """The server to which the first item leads, if that is known."""
        if self._naming.by is QueueBy.DOMAIN:
            queue.address = self._naming.address_of(queue.heap[0][1].url)
        return self._rotation.server(queue.address) if queue.address else None

    # --- the server becomes known

    def server(self, item: Item, address: str, now: float) -> bool:
        flight = self._flight(item)
        if flight.server is not None and flight.server.address == address:
            return True
        if flight.server is not None:
            self._leave_server(flight.server, now)
            flight.server = None
        self._naming.learn(item.url, address)
        if self._naming.by is QueueBy.ADDRESS and flight.queue.name != address:
            self._move(flight.queue, address)
        flight.queue.address = address
        self._register.changed.add(flight.queue)
        server = self._rotation.server(address)
        queue, limits = flight.queue, self.order.queues
        fits = queue.places <= limits.parallel and queue.wake <= now
        affordable = queue.budget(self.budget).allows(queue.objects, queue.bytes, queue.in_flight - 1)
        if fits and affordable and server.is_free(now, self._room(queue, server)):
            server.in_flight += 1
            flight.server = server
            return True
        self.put_back(item, now)
        return False

    def _move(self, old: Queue, address: str) -> None:
        """The queue of a host becomes part of the queue of its server's address."""
        new = self._register.find(address, at_once=True)
        assert new is not None
        self._store.merge(old.id, new.id)
        self._sources.shelf.move(old.id, new.id)
        self._register.absorb(old, new)
        for flight in self.flights.values():
            if flight.queue is old:
                flight.queue = new
        self._rotation.enlist(new)

    # --- back

    def finish(self, item: Item, outcome: Outcome, now: float) -> None:
        flight = self._land(item, outcome, now)
        class_, _ = class_and_arrival(item.rank)
        self._store.dequeue(flight.queue.id, class_, item.id)
        self._book(flight.queue, item.id, item.attempts, outcome, now)
        if flight.purse is not None:
            self._sources.charge(flight.purse, outcome.status, outcome.size)
        self._release(flight, now)

    def settle(self, id_: int, candidate: Candidate, outcome: Outcome, now: float) -> bool:
        """Finish an address that is pending or waiting, without handing it out; False if it is neither."""
        queue = self._register.find(self._naming.queue_of(candidate.url), at_once=True)
        assert queue is not None
        self._take_from_shelf(queue, id_)
        place = self._store.place_in(queue.id, id_)
        if place is None:
            return False
        purse = self._sources.purse(self._sources.owned(candidate).source, candidate.hops)
        if purse is not None:
            self._sources.charge(purse, outcome.status, outcome.size)
        class_, attempts, waits = place
        if waits:
            self._store.stop_waiting(id_)
            queue.waiting -= 1
            self._counts.waiting -= 1
        else:
            self._store.dequeue(queue.id, class_, id_)
            queue.forget(id_)
        self._book(queue, id_, attempts, outcome, now)
        self._intake.enlist(queue)
        return True

    def _take_from_shelf(self, queue: Queue, id_: int) -> None:
        found = self._sources.shelf.remove(id_) if self._sources else None
        if found is not None:
            class_, attempts, source = found
            self._sources.purses[source].shelved -= 1
            self._store.enqueue(queue.id, class_, id_, attempts)
            queue.queued += 1

    def _book(self, queue: Queue, id_: int, attempts: int, outcome: Outcome, now: float) -> None:
        """Count and charge an address that is finished."""
        counts, status = self._counts, outcome.status
        mime = self._store.name_id(outcome.mime)
        self._store.finish(
            (id_, queue.id, status, outcome.size, attempts, int(now), mime, outcome.digest or None)
        )
        queue.queued -= 1
        queue.finished += 1
        queue.objects += cost(status, self.order.queues.error_penalty)
        counts.queued -= 1
        counts.count(status)
        if is_success(status):
            counts.bytes += outcome.size
            queue.bytes += outcome.size
        elif not is_disregarded(status):
            queue.failed += 1

    def retry(
        self, item: Item, outcome: Outcome, now: float, wait: float, *, absent: bool, heard: bool
    ) -> bool:
        queue, retries, status = self._flight(item).queue, self.order.retries, outcome.status
        answered = queue.finished > queue.failed
        most = tries(retries, item.hops, status, absent=absent, answered=answered, heard=heard)
        if item.attempts + 1 >= most:
            return False
        flight = self._land(item, outcome, now)
        item.attempts += 1
        soon = is_unheard_name(item.hops, status, heard=heard)
        asked = outcome.retry_after
        pause = max(retry_pause(retries, item.attempts, asked, self.order.politeness, soon=soon), wait)
        class_, _ = class_and_arrival(item.rank)
        if pause <= 0:
            self._store.enqueue(queue.id, class_, item.id, item.attempts)
            self._intake.keep(queue, item)
        else:
            self._store.dequeue(queue.id, class_, item.id)
            self._store.wait((now + pause, item.id, queue.id, class_, item.attempts))
            queue.waiting += 1
            self._counts.waiting += 1
            self._next_due = min(self._next_due or now + pause, now + pause)
        self._release(flight, now)
        return True

    def hand_over(self, item: Item, shard: int, now: float) -> None:
        """Everything that is left in the item's queue goes to another process."""
        flight = self._land(item, None, now)
        queue = flight.queue
        left = self._store.left_in(queue.id)
        text = self._store.text
        for class_, id_, url, hops, via, source, context in left:
            self._store.dequeue(queue.id, class_, id_)
            self._store.stop_waiting(id_)
            self._intake.send(
                Candidate(url, hops, via or "", text(source), text(context)), key_of(url), shard
            )
        queue.heap.clear()
        queue.held.clear()
        queue.queued -= len(left)
        self._counts.waiting -= queue.waiting
        queue.waiting = 0
        self._counts.queued -= len(left)
        self._counts.discovered -= len(left)
        self._release(flight, now)

    def put_back(self, item: Item, now: float) -> None:
        flight = self._land(item, None, now)
        self._intake.keep(flight.queue, item)
        flight.queue.balance += 1
        self._release(flight, now)

    # --- others go on meanwhile

    def step_aside(self, item: Item) -> None:
        flight = self._flight(item)
        queue, server = flight.queue, flight.server
        if self._naming.by is not QueueBy.HOST or flight.aside or queue.aside >= _MOST_ASIDE:
            return
        flight.aside = True
        queue.aside += 1
        if server is not None and queue in server.queues:
            server.queues.remove(queue)
            queue.scheduled = False
        self._rotation.enlist(queue)

    def hold_back(self, item: Item, why: str, now: float) -> bool:
        queue = self._flight(item).queue
        if len(queue.held) >= _MOST_HELD:
            return False
        flight = self._land(item, None, now)
        queue.held[item.id] = (why, item)
        queue.balance += 1
        self._release(flight, now)
        return True

    def let_go(self, url: str, why: str) -> None:
        queue = self._register.active.get(self._naming.queue_of(url))
        if queue is None:
            return
        for item in [item for reason, item in queue.held.values() if reason == why]:
            del queue.held[item.id]
            self._intake.keep(queue, item)
        self._rotation.enlist(queue)

    def _flight(self, item: Item) -> Flight:
        flight = self.flights.get(item.id)
        if flight is None:
            raise ValueError(
                f"{item.url} (id {item.id}) is not in flight: it was finished or put back already."
            )
        return flight

    def _land(self, item: Item, outcome: Outcome | None, now: float) -> Flight:
        flight = self._flight(item)
        del self.flights[item.id]
        flight.queue.in_flight -= 1
        flight.queue.aside -= flight.aside
        if flight.purse is not None:
            flight.purse.in_flight -= 1
        self._counts.in_flight -= 1
        if outcome is not None and not is_disregarded(outcome.status) and outcome.status not in _UNASKED:
            self._rest(flight, outcome, now)
        return flight

    def _rest(self, flight: Flight, outcome: Outcome, now: float) -> None:
        """Pauses of the queue and of the server."""
        politeness, status = self.order.politeness, outcome.status
        # Of trouble that stands aside, only what was answered was work for the server.
        duration = 0.0 if outcome.aside and not is_success(status) else outcome.duration
        pause = queue_pause(politeness, duration, outcome.crawl_delay)
        if flight.server is None:
            hold = back_off(politeness, int(status in SLOW_DOWN), outcome.retry_after)
        else:
            hold = flight.server.rest(politeness, outcome, now)
            self._rotation.changed.add(flight.server)
        flight.queue.wake = max(flight.queue.wake, now + max(pause, hold))

    def _release(self, flight: Flight, now: float) -> None:
        """Queue and server may be used again."""
        if flight.server is not None:
            self._leave_server(flight.server, now)  # first, or the queue would overtake those before the door
        self._register.changed.add(flight.queue)
        self._rotation.enlist(flight.queue)
        if flight.purse is not None and flight.purse.shelved:
            self.bring_from_shelf(flight.purse)

    def _leave_server(self, server: Server, now: float) -> None:
        server.in_flight -= 1
        if server.queues:
            self._rotation.let_in(server, now)

    def _bring_back(self, now: float) -> None:
        """What has waited long enough for its next attempt."""
        for id_, queue_id, class_, attempts in self._store.take_due(now, _DUE_AT_ONCE):
            name = self._register.by_id(queue_id)
            self._store.enqueue(queue_id, class_, id_, attempts)
            self._counts.waiting -= 1
            queue = self._register.find(name)
            if queue is None:
                self._register.end_of_wait(name)
                continue
            queue.waiting -= 1
            self._intake.keep(queue, self._item(id_, class_, attempts, name))
            self._intake.enlist(queue)
        self._next_due = self._store.next_due()
