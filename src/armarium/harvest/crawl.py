"""One crawl, put together: its folder is opened, its engine runs, its books are closed."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import armarium
from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Unavailable
from armarium.core.late import late
from armarium.harvest.engine.addresses import host_of, origin_of
from armarium.harvest.engine.changes import Changes
from armarium.harvest.engine.control import ControlServer, Verb
from armarium.harvest.engine.discovery import Discovery
from armarium.harvest.engine.engine import End, Engine
from armarium.harvest.engine.ledger import Ledger
from armarium.harvest.engine.robots import RobotsRegister, RobotsStore, patience
from armarium.harvest.engine.steering import Steering
from armarium.harvest.engine.visiting import Parts
from armarium.harvest.fetch.fetcher import Fetcher
from armarium.harvest.fetch.request import user_agent
from armarium.harvest.folder import CrawlFolder, Reserve
from armarium.harvest.frontier import Frontier, FrontierFailed
from armarium.harvest.model import Candidate
from armarium.harvest.record import JOURNAL, Recorder, adopt, journalled
from armarium.harvest.record.description import crawler_address, host_of_part
from armarium.harvest.scope import Scope

if TYPE_CHECKING:
    from armarium.harvest.closing import Books
    from armarium.harvest.engine.adoption import adopt_captures
else:
    Books = late("armarium.harvest.closing:Books")
    adopt_captures = late("armarium.harvest.engine.adoption:adopt_captures")


# --- Time that never goes back: seconds since 1970 at the start, counted on by the machine's steady clock.


def steady_clock() -> Callable[[], float]:
    """A clock that a correction of the machine's time does not disturb: pauses stay pauses."""
    begin, steady = time.time(), time.monotonic
    started = steady()
    return lambda: begin + steady() - started


# --- One crawl, put together: its folder is opened, its engine runs, its books are closed.


SOFTWARE = f"armarium/{armarium.__version__}"


class Crawl:
    """One process of a crawl, from opening to closing; one that was begun in the folder is gone on with."""

    def __init__(self, folder: CrawlFolder, order: CrawlOrder, shard: int = 0, shards: int = 1) -> None:
        self._folder = folder
        self._order = order
        folder.create()
        self.parts = _parts(folder, order, shard, shards)
        reserve = Reserve(folder.state / "reserve")
        self.engine = Engine(self.parts, folder.root, reserve, members=shards)
        self._steering = Steering(self.engine, self.parts, folder)
        self._control: ControlServer | None = None
        self._begun = self._first_begun()

    def report(self) -> dict[str, Any]:
        """What the crawl is doing."""
        return self._steering.report()

    def stop(self, reason: End) -> None:
        self.engine.stop(reason)

    async def start(self, verbs: Mapping[str, Verb] = MappingProxyType({})) -> None:
        """Be ready to crawl and to answer; `verbs` are answered beside the usual ones."""
        self._control = ControlServer(self._folder.control_file, {**self._steering.verbs(), **verbs})
        await self.parts.fetcher.start()
        await self._control.start()

    async def crawl(self) -> End:
        """Crawl until there is a reason to end."""
        parts = self.parts
        parts.ledger.event("RUNNING", "Running")
        try:
            with told_of_disk(self._folder):
                end = await self.engine.run()
                parts.recorder.close()
                return end
        finally:
            if self._control is not None:
                await self._control.close()
            await parts.fetcher.close()
            parts.recorder.abandon()

    def close(self) -> None:
        """Leave the folder as somebody else may find it."""
        self.parts.ledger.close()
        self.parts.frontier.close()

    async def run(self) -> dict[str, Any]:
        """Crawl, and close the books; the summary."""
        end = await self.crawl()
        parts = self.parts
        parts.ledger.event("ENDED", str(end))
        books = Books(self._folder, self._order, parts.ledger.statistics, [parts.frontier])
        summary = books.close(end, self._begun, self.engine.elapsed)
        self.close()
        return summary

    def _first_begun(self) -> datetime:
        frontier = self.parts.frontier
        begun = frontier.recall("begun")
        if begun is None:
            self._plant()
            frontier.remember("begun", now().isoformat())
            frontier.commit()
        return datetime.fromisoformat(str(frontier.recall("begun")))

    def _plant(self) -> None:
        """The first addresses: the seeds."""
        for seed in self._order.seeds:
            if not self.parts.frontier.is_own(seed.url):
                continue  # every process plants its own
            self.parts.discovery.candidate(Candidate(seed.url, "", "", seed.tag or seed.url))


@contextmanager
def told_of_disk(folder: CrawlFolder) -> Iterator[None]:
    """What keeps a crawl from being put in order, in words that say how to go on."""
    try:
        yield
    except (OSError, FrontierFailed) as error:
        raise Unavailable(
            f"{folder.root} cannot be written: {error}. What was captured is safe. Make room, then go "
            f"on with: armarium crawl --resume --out {folder.root}"
        ) from error


def _parts(folder: CrawlFolder, order: CrawlOrder, shard: int, shards: int) -> Parts:
    clock = steady_clock()
    frontier = Frontier(folder.frontier_file, order, shard, shards)
    positions = json.loads(str(frontier.recall("warcs") or "{}"))
    scope = Scope(order.scope, [seed.url for seed in order.seeds])
    fetcher = Fetcher(order.fetching, order.limits, order.identity, folder=folder.temporary)
    changes = Changes(frontier)
    changes.apply(scope, fetcher)
    order = changes.paced(order)
    frontier.change(order)
    _open_ranges(order, fetcher)
    captures = []
    if frontier.recall("begun"):
        journal = journalled(folder.state / JOURNAL)
        captures = list(adopt(folder.warcs, positions, part=folder.part, journal=journal))
    parts = Parts(
        order=order,
        clock=clock,
        frontier=frontier,
        fetcher=fetcher,
        scope=scope,
        discovery=Discovery(scope, frontier),
        robots=RobotsRegister(
            order.robots,
            order.identity.product,
            RobotsStore(folder.state / "robots.txt"),
            wanted=order.extraction.sitemaps,
            patience=patience(order.retries),
            settled=frontier.let_go,
        ),
        recorder=Recorder(
            order,
            folder.warcs,
            state=folder.state,
            host=host_of_part(socket.gethostname(), folder.part),
            software=SOFTWARE,
            ip=crawler_address(order.fetching.bind_address),
            user_agent=user_agent(order.identity),
        ),
        ledger=Ledger(folder, order, frontier, clock()),
        changes=changes,
    )
    if captures:
        adopt_captures(parts, captures)
    parts.robots.resume(clock(), is_captured=frontier.is_finished)
    return parts


def _open_ranges(order: CrawlOrder, fetcher: Fetcher) -> None:
    """For seeds that are addresses themselves; those with names are resolved when they are visited."""
    if not order.fetching.seeds_open_ranges:
        return
    for seed in order.seeds:
        host = host_of(origin_of(seed.url)).strip("[]")
        if (host[-1:].isdigit() or ":" in host) and not fetcher.permitted(host):
            fetcher.open_range_of(host)
