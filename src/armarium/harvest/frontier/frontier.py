"""The frontier: what is to be fetched, in which order, and when.

Events in, decisions out: it neither fetches nor asks the time. Every `now` is in seconds since 1970, given by
the caller. Nothing is on disk for good before `commit`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.frontier import changes, enquiry
from armarium.harvest.frontier.dispatch import Dispatch
from armarium.harvest.frontier.intake import Intake, Ranking
from armarium.harvest.frontier.item import Fate, Item, Outgoing, QueueReport, QueueState, ServerReport
from armarium.harvest.frontier.queue import default_budget
from armarium.harvest.frontier.queue_names import Naming, Routes, port_of
from armarium.harvest.frontier.register import Register
from armarium.harvest.frontier.rotation import Rotation
from armarium.harvest.frontier.seen import ELSEWHERE, Seen, key_of
from armarium.harvest.frontier.servers import BLOCKED_AFTER, Outcome
from armarium.harvest.frontier.sources import Left, Purse, Shelf, Sources
from armarium.harvest.frontier.store import Store
from armarium.harvest.model import Candidate

CHECKPOINT = "frontier.sqlite"


class Frontier:
    """One crawl's queues; or, with `shards`, the part of them that this process owns."""

    def __init__(self, path: Path, order: CrawlOrder, shard: int = 0, shards: int = 1) -> None:
        self.shard, self.shards = shard, shards
        store = self._store = Store(path)
        self._sources = Sources(Shelf(store), order, shared=shards > 1)
        self.counts = store.load_counts()
        self.counts.waiting = store.count("waiting")
        self._seen = Seen(store)
        self._register = Register(store, order.queues)
        self._rotation = Rotation(order.queues.parallel_server, store.read_server)
        self._naming = Naming(order, self._register)
        self._routes = Routes(shard, shards, self._naming, store)
        self._intake = Intake(
            store, self._seen, self._naming, self._register, self._rotation, self.counts,
            Ranking(order.queues),
        )  # fmt: skip
        self._dispatch = Dispatch(
            order, store, self._naming, self._register, self._rotation, self._intake, self.counts,
            default_budget(store, order.queues), self._sources,
        )  # fmt: skip
        self._rejections = enquiry.Rejections(store)
        self.commit()

    # --- addresses come in

    def add(self, candidate: Candidate, *, rule: str = "", force: bool = False) -> bool:
        """False if it was seen before; with `force`, only if it is queued already. Raises `InvalidUrl`."""
        key = self._seen.new_key(candidate.url)
        if key is None:
            return force and self._add_again(candidate)
        candidate = self._sources.owned(candidate)
        if self.shards > 1:
            shard = self._routes.of(candidate.url)
            if shard != self.shard:
                self._intake.send(candidate, key, shard)
                return True
        self._intake.add(candidate, rule, key)
        return True

    def is_own(self, url: str) -> bool:
        """Whether this process has the queue of an address."""
        return self.shards == 1 or self._routes.of(url) == self.shard

    def incoming(self, candidates: Iterable[Candidate]) -> int:
        """Addresses that other processes found and this one owns; how many of them are new."""
        return sum(self._receive(candidate) for candidate in candidates)

    def _receive(self, candidate: Candidate) -> bool:
        """An address that is ours unless its queue has moved on; it may have been sent away from here before
        its server was known to be ours."""
        url = candidate.url
        if self._routes.receive(url) == self.shard and self._seen.find(url) == ELSEWHERE:
            self._intake.add(self._sources.owned(candidate), "", key_of(url))
            return True
        return self.add(candidate)

    def hand_over(self, item: Item, address: str, now: float) -> bool:
        """The item's server is known: True if another process asks that server, and gets the whole queue."""
        if self.shards == 1:
            return False
        owner = self._routes.of_server(item.url, address)
        if owner == self.shard:
            self._routes.settle(item.url)
            return False
        self._routes.set(item.url, owner)
        self._dispatch.hand_over(item, owner, now)
        return True

    @property
    def unsent(self) -> int:
        """Addresses that no other process has confirmed yet."""
        return self._store.count("outbox")

    def outgoing(self, limit: int) -> list[Outgoing]:
        """Addresses for other processes, the oldest first, until they are `delivered`."""
        return [Outgoing(id_, shard, Candidate(*rest)) for id_, shard, *rest in self._store.outgoing(limit)]

    def delivered(self, ids: Iterable[int]) -> None:
        self._store.delivered(ids)

    def reject(self, candidate: Candidate, rule: str, status: int) -> None:
        """Remembers, for a while, what the scope turned away, and why."""
        self._rejections.add(candidate, rule, status)

    def _add_again(self, candidate: Candidate) -> bool:
        id_ = self._seen.find(candidate.url)
        outcome = self._store.outcome(id_) if id_ else None
        if not id_ or outcome is None:
            return False
        self._intake.add_again(candidate, id_, outcome[0])
        return True

    # --- items go out and come back

    def next(self, now: float) -> Item | None:
        """An item whose queue and server are both ready; it is in flight until one of the methods below."""
        return self._dispatch.next(now)

    def wake(self) -> float | None:
        """When something may become ready; None: only after something in flight is back, or never."""
        return self._dispatch.wake()

    def server(self, item: Item, address: str, now: float) -> bool:
        """The item's server is known: True if it may be asked now; False: the item was put back to wait."""
        return self._dispatch.server(item, address, now)

    def finish(
        self, item: Item, status: int, size: int, *, duration: float, now: float,
        retry_after: float | None = None, crawl_delay: float | None = None, mime: str = "", digest: str = "",
        novel_bytes: int = 0, aside: bool = False,
    ) -> None:  # fmt: skip
        """The end of an item: budgets are charged, queue and server pause.

        `aside`: whatever trouble the server has there, the caller waits with what it concerns; all else of
        the server need not.
        """
        port = port_of(item.url)
        outcome = Outcome(int(status), size, duration, retry_after, crawl_delay, mime, digest, port, aside)
        self._dispatch.finish(item, outcome, now)
        self.counts.novel_bytes += novel_bytes

    def retry(
        self, item: Item, status: int, now: float, retry_after: float | None = None, *, wait: float = 0.0,
        absent: bool = False,
    ) -> bool:  # fmt: skip
        """Another attempt later; False if there were enough: then the item has to be finished.

        `retry_after` is what the server asks for, and holds for all that leads to it; `wait` for the item.
        `absent`: a name server said that there is no such name.
        """
        outcome = Outcome(int(status), retry_after=retry_after, port=port_of(item.url))
        # Of others' answers a member does not know; and while nobody waits for a planned job, name servers
        # that are away for some minutes must not cost it all of its seeds.
        planned = self._dispatch.order.harvest.job is not None and not absent
        heard = self.shards > 1 or planned or self.counts.succeeded > 0
        return self._dispatch.retry(item, outcome, now, wait, absent=absent, heard=heard)

    def settle(
        self, candidate: Candidate, status: int, size: int, *, now: float, mime: str = "", digest: str = ""
    ) -> bool:
        """An address that was captured before the process was killed; False if it was finished already."""
        self._receive(candidate)
        id_ = self._seen.find(candidate.url)
        if not id_ or self._store.outcome(id_) is not None:
            return False
        outcome = Outcome(int(status), size, mime=mime, digest=digest)
        return self._dispatch.settle(id_, candidate, outcome, now)

    def is_finished(self, url: str) -> bool:
        """Whether an address of this process is done with."""
        id_ = self._seen.find(url)
        return bool(id_) and self._store.outcome(id_ or 0) is not None

    def put_back(self, item: Item, now: float = 0.0) -> None:
        """As if it had never been taken."""
        self._dispatch.put_back(item, now)

    # --- others go on meanwhile

    def step_aside(self, item: Item) -> None:
        """The server keeps silent: others of the queue need not wait for this item, though it is in flight.

        Only where a queue is a host: they lead to other ports of it, for the caller holds back those for
        the same. Whatever else leads to the server's address waits, as ever.
        """
        self._dispatch.step_aside(item)

    def hold_back(self, item: Item, origin: str, now: float) -> bool:
        """As if it had never been taken, until its origin is `let_go`; False if too many are held back."""
        return self._dispatch.hold_back(item, origin, now)

    def let_go(self, origin: str) -> None:
        """What was held back for the sake of this origin may be taken again."""
        self._dispatch.let_go(origin, origin)

    # --- on disk

    def commit(self) -> None:
        self._save()
        self._store.commit()

    def checkpoint(self, folder: Path) -> Path:
        """A copy of the whole, as of now, that can be opened like the original."""
        self.commit()
        path = folder / CHECKPOINT
        self._store.copy_to(path)
        return path

    def close(self) -> None:
        """What was not committed is lost, as if the process had been killed."""
        self._store.close()

    def remember(self, name: str, value: str | int) -> None:
        """Kept with the next commit, for the engine: counters, positions in WARC files."""
        self._store.remember(f"engine.{name}", value)

    def recall(self, name: str) -> str | int | None:
        return self._store.recall(f"engine.{name}")

    def _save(self) -> None:
        self._register.save()
        self._sources.save()
        for server in self._rotation.changed:
            self._store.save_server(server.row())
        self._rotation.changed.clear()
        self._rotation.forget_idle_servers()
        self._store.save_counts(self.counts)

    # --- questions and changes

    def queue_states(self) -> dict[QueueState, int]:
        return self._register.states()

    def look_up(self, url: str) -> Fate | None:
        """What became of an address, and why; raises `InvalidUrl`."""
        return enquiry.look_up(url, self._store, self._naming, self._dispatch.flights)

    def biggest(self, number: int, by: str = "queued") -> list[QueueReport]:
        """The queues with the most, `by` queued, finished, bytes, objects, added or failed."""
        self._save()
        return self._store.reports(by, number, self._dispatch.budget)

    def left_by_source(self) -> Iterator[Left]:
        """What waits in queues, by the tag of the seeds that led to it."""
        self._save()
        return self._sources.shelf.left()

    def shelved_by_source(self) -> Iterator[Left]:
        """What was left because a source had spent its budget."""
        return self._sources.shelf.shelved()

    def allow_sources(self, allowed: Mapping[str, int]) -> None:
        """How many objects of each source this process may have collected."""
        for tag, objects in allowed.items():
            purse = self.purses[tag]
            purse.allowed = objects
            self._dispatch.bring_from_shelf(purse)

    @property
    def purses(self) -> Mapping[str, Purse]:
        """What sources with a budget of their own have spent, and what is left on the shelf for each."""
        return self._sources.purses

    def blocked_servers(self) -> list[ServerReport]:
        """Servers that seem to keep us out; they are tried seldom."""
        self._save()
        return self._store.refusing(BLOCKED_AFTER)

    def set_budget(self, queues: str, *, objects: int | None = None, bytes_: int | None = None) -> int:
        """For the source or queue so named, or those a pattern with `*` fits: None leaves a limit alone, -1
        lifts it. What a source may have, its queue may not refuse.

        `*` alone is for queues to come, too. A retired queue that may spend again is back in the rotation.
        """
        raised = self._sources.set_budget(queues, (objects, bytes_))
        for purse in raised:
            self._dispatch.bring_from_shelf(purse)
        if raised and queues != changes.EVERY_QUEUE:
            objects, bytes_ = (None if limit is None else -1 for limit in (objects, bytes_))
        number, self._dispatch.budget = changes.set_budget(
            self._store, self._register, self._dispatch.order.queues, queues, (objects, bytes_)
        )
        return len(raised) + number

    def matching(self, found: Callable[[str], object]) -> Iterator[str]:
        """Addresses that are queued, for which the function finds anything."""
        return (row[4] for row in changes.matching(self._store, found))

    def delete(self, found: Callable[[str], object], *, now: float) -> int:
        """Takes addresses that are queued, and for which the function finds anything, out of the crawl."""
        flights = self._dispatch.flights
        return changes.delete(self._store, self._register, self.counts, found, flights, now)

    def change(self, order: CrawlOrder) -> None:
        """Other politeness, retries or limits from now on; what a queue is made by cannot change."""
        self._dispatch.order = order
        self._register.order = order.queues
        self._rotation.parallel_server = order.queues.parallel_server
        self._dispatch.budget = default_budget(self._store, order.queues)
