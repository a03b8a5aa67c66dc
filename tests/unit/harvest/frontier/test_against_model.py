"""The frontier beside a model of a few dictionaries, through any sequence of events, kills included."""

import copy
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from armarium.core.crawl_order import CrawlOrder, Politeness, QueueBy, Queues, Retries
from armarium.harvest.frontier import Frontier, Item, Whereabouts
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.model import Candidate, Status

ADDRESSES = {"a.one.example": "192.0.2.1", "b.one.example": "192.0.2.1", "two.example": "192.0.2.2"}
URLS = [f"http://{host}/{number}" for host in [*ADDRESSES, "nowhere.example"] for number in range(8)]
HOPS = ["", "L", "LL", "LE", "LX", "P", "LR"]


@dataclass
class Model:
    queued: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    attempts: dict[str, int] = field(default_factory=dict)
    wake: dict[str, float] = field(default_factory=dict)  # of hosts and addresses
    spent: dict[str, int] = field(default_factory=dict)  # objects, by host


class FrontierBesideModel(RuleBasedStateMachine):
    @initialize(
        by=st.sampled_from(QueueBy), active=st.sampled_from([1, 2, 100]), replenish=st.integers(1, 3),
        parallel=st.integers(1, 2), delay=st.sampled_from([0.0, 2.0]), budget=st.sampled_from([None, 3]),
    )  # fmt: skip
    def begin(
        self, by: QueueBy, active: int, replenish: int, parallel: int, delay: float, budget: int | None
    ) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.order = CrawlOrder(
            queues=Queues(by=by, active=active, replenish=replenish, parallel=parallel, max_objects=budget),
            politeness=Politeness(delay_factor=0, min_delay=delay, max_delay=delay),
            retries=Retries(attempts=3, delay=5),
        )
        self.now = 1_800_000_000.0
        self.model, self.saved = Model(), Model()
        self.out: dict[str, Item] = {}
        self.aside: set[str] = set()  # they are out, too, or were
        self.held: dict[str, str] = {}  # by address: why
        self.open()

    def open(self) -> None:
        self.frontier = Frontier(Path(self.folder.name) / "frontier.sqlite", self.order)

    @rule(url=st.sampled_from(URLS), hops=st.sampled_from(HOPS))
    def an_address_is_found(self, url: str, hops: str) -> None:
        known = url in self.model.queued or url in self.model.finished
        assert self.frontier.add(Candidate(url, hops, "", "seed")) is not known
        if not known:
            self.model.queued.add(url)

    @rule(url=st.sampled_from(URLS))
    def an_address_is_wanted_again(self, url: str) -> None:
        waits = url in self.model.queued
        assert self.frontier.add(Candidate(url, "", "", "seed"), force=True) is not waits
        if not waits:
            self.model.finished.discard(url)
            self.model.queued.add(url)
            self.model.attempts.pop(url, None)

    @rule(url=st.sampled_from(URLS))
    def a_capture_is_adopted(self, url: str) -> None:
        if url in self.out:
            return
        done = url in self.model.finished
        assert self.frontier.settle(Candidate(url, "L", "", "seed"), 200, 5, now=self.now) is not done
        if not done:
            self.model.queued.discard(url)
            self.model.finished.add(url)
            self.model.spent[host_of(url)] = self.model.spent.get(host_of(url), 0) + 1

    @rule()
    def the_next_one_goes_out(self) -> None:
        item = self.frontier.next(self.now)
        if item is None:
            return
        host = host_of(item.url)
        assert item.url in self.model.queued
        assert item.url not in self.out
        assert item.attempts == self.model.attempts.get(item.url, 0)
        assert self.now >= self.model.wake.get(host, 0), "the queue's pause is not over"
        busy = [url for url in self.out if host_of(url) == host]
        assert len(set(busy) - self.aside) < self.order.queues.parallel
        forgotten = self.order.queues.active < len(ADDRESSES)  # a queue may have left the rotation since
        assert self.held.pop(item.url, None) is None or forgotten
        if self.order.queues.max_objects is not None:
            assert self.model.spent.get(host, 0) + len(busy) < self.order.queues.max_objects
        address = ADDRESSES.get(host, "")
        if address and not self.frontier.server(item, address, self.now):
            return
        self.out[item.url] = item
        self.aside.discard(item.url)
        at_server = {url for url in self.out if address and ADDRESSES.get(host_of(url)) == address}
        own = {url for url in self.aside if host_of(url) == host}
        assert len(at_server - own) <= self.order.queues.parallel_server, "of others, all count"
        assert self.now >= self.model.wake.get(address, 0), "the server's pause is not over"

    @precondition(lambda self: self.out)
    @rule(data=st.data(), status=st.sampled_from([200, 404, Status.CONNECT_FAILED, Status.ROBOTS_PRECLUDED]))
    def one_is_finished(self, data: st.DataObject, status: int) -> None:
        url = data.draw(st.sampled_from(sorted(self.out)))
        self.frontier.finish(self.out.pop(url), status, 10, duration=1, now=self.now)
        self.model.queued.remove(url)
        self.model.finished.add(url)
        if status != Status.ROBOTS_PRECLUDED:
            self.model.spent[host_of(url)] = self.model.spent.get(host_of(url), 0) + 1
            self.pause(url)

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def one_is_to_be_tried_again(self, data: st.DataObject) -> None:
        url = data.draw(st.sampled_from(sorted(self.out)))
        attempts = self.model.attempts.get(url, 0) + 1
        again = self.frontier.retry(self.out[url], Status.CONNECTION_LOST, self.now)
        assert again is (attempts < self.order.retries.attempts)
        if again:
            del self.out[url]
            self.model.attempts[url] = attempts
            self.pause(url)

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def one_is_put_back(self, data: st.DataObject) -> None:
        self.frontier.put_back(self.out.pop(data.draw(st.sampled_from(sorted(self.out)))), self.now)

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def one_steps_aside(self, data: st.DataObject) -> None:
        url = data.draw(st.sampled_from(sorted(self.out)))
        self.frontier.step_aside(self.out[url])
        if self.order.queues.by is QueueBy.HOST:
            self.aside.add(url)

    @precondition(lambda self: self.out)
    @rule(data=st.data(), why=st.sampled_from("xy"))
    def one_is_held_back(self, data: st.DataObject, why: str) -> None:
        url = data.draw(st.sampled_from(sorted(self.out)))
        origin = f"http://{host_of(url)}:{why}"
        assert self.frontier.hold_back(self.out.pop(url), origin, self.now)
        self.held[url] = origin

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def some_are_let_go(self, data: st.DataObject) -> None:
        origin = data.draw(st.sampled_from(sorted(self.held.values())))
        self.frontier.let_go(origin)
        self.held = {url: why for url, why in self.held.items() if why != origin}

    def pause(self, url: str) -> None:
        host = host_of(url)
        self.model.wake[host] = self.now + self.order.politeness.min_delay
        self.model.wake[ADDRESSES.get(host, "nowhere")] = self.now + self.order.politeness.min_delay

    @rule(pattern=st.sampled_from(["/[0-3]$", "two"]))
    def some_are_deleted(self, pattern: str) -> None:
        gone = [url for url in self.model.queued if self.frontier.look_up(url).state == "queued"]  # type: ignore[union-attr]
        gone = [url for url in gone if ("two" in url if pattern == "two" else url[-1] in "0123")]
        assert self.frontier.delete(re.compile(pattern).search, now=self.now) == len(gone)
        self.model.queued.difference_update(gone)
        self.model.finished.update(gone)

    @rule(seconds=st.sampled_from([0.5, 3.0, 30.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def it_commits(self) -> None:
        self.frontier.commit()
        fates = [self.frontier.look_up(url) for url in self.model.queued]
        waiting = sum(fate is not None and fate.state is Whereabouts.WAITING for fate in fates)
        assert self.frontier.counts.waiting == waiting
        self.saved = copy.deepcopy(self.model)

    @rule()
    def it_is_killed_and_opened_again(self) -> None:
        self.frontier.close()
        self.model = copy.deepcopy(self.saved)
        self.out.clear()
        self.aside.clear()
        self.held.clear()
        self.open()

    @invariant()
    def the_counts_agree(self) -> None:
        counts = self.frontier.counts
        assert counts.queued == len(self.model.queued)
        assert counts.finished == len(self.model.finished)
        assert counts.discovered == counts.queued + counts.finished
        assert counts.in_flight == len(self.out)
        assert all(number >= 0 for number in self.frontier.queue_states().values())

    def teardown(self) -> None:
        """With the budget lifted, everything that is queued comes out, each once."""
        if not hasattr(self, "frontier"):
            return
        self.frontier.set_budget("*", objects=-1)
        for item in self.out.values():
            self.frontier.put_back(item, self.now)
        for origin in self.held.values():
            self.frontier.let_go(origin)
        left = set(self.model.queued)
        while (next_one := self.come(left)) is not None:
            left.remove(next_one.url)
            self.frontier.finish(next_one, 200, 0, duration=0, now=self.now)
        assert not left
        assert self.frontier.counts.queued == 0
        self.frontier.close()
        self.folder.cleanup()

    def come(self, left: set[str]) -> Item | None:
        for _ in range(200):
            item = self.frontier.next(self.now)
            if item is not None:
                address = ADDRESSES.get(host_of(item.url), "192.0.2.9")
                if self.frontier.server(item, address, self.now):
                    return item
                continue
            wake = self.frontier.wake()
            if wake is None:
                return None
            self.now = max(self.now, wake)
        raise AssertionError(f"The frontier went round in circles with {left} left.")


TestFrontierBesideModel = FrontierBesideModel.TestCase
TestFrontierBesideModel.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
