"""The loop: as many visits at the same time as the order allows, and what has to happen in between."""

import asyncio
import enum
import errno
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path

from armarium.core.collecting import BUDGET_SPENT
from armarium.core.crawl_order import Limits
from armarium.formats.url import registered_domain
from armarium.harvest.engine.addresses import host_of, origin_of
from armarium.harvest.engine.ledger import UnderWay
from armarium.harvest.engine.visiting import Parts, Visitor, commit
from armarium.harvest.folder import INTERRUPTED, SIZE, Reserve
from armarium.harvest.frontier import FrontierFailed, QueueState
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.scope.filters import FilterSet
from armarium.harvest.traps import TrapSuspicion
from armarium.logs import LateLogger

log = LateLogger(__name__)

TICK = 0.25  # seconds
COMMIT = 1.0  # seconds between commits, unless the disk is slow
SHARE_OF_COMMITS = 20  # a commit that takes t seconds is followed by at least this many t without one
DISK_LOOK = 5.0
PROGRESS = 20.0  # Heritrix writes a line of progress every 20 seconds
MARK = 1.0
LOW_DISK = "The disk is nearly full"
DISK_FULL = "The disk is full"
DISK_FAILED = "The disk does not take what is recorded"
WAITS_FOR_ROOM = (LOW_DISK, DISK_FULL)
LAST_WAIT = 30.0  # seconds that visits under way get when a crawl is ended


class State(enum.StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    ENDING = "ending"


class End(enum.StrEnum):
    """Why a crawl ended, in Heritrix's words."""

    FINISHED = "Finished"
    TIME = "Finished - Timelimit hit"
    BYTES = "Finished - Maximum amount of data limit hit"
    OBJECTS = "Finished - Maximum number of documents limit hit"
    OPERATOR = "Finished - Ended by operator"
    BUDGET = BUDGET_SPENT  # that it shares with other crawls: Heritrix has no word for it
    NO_RESPONSE = "Finished - No response received"
    INACTIVE = "Finished - No queue active"
    INTERRUPTED = INTERRUPTED  # by a signal: it can be resumed
    ABNORMAL = "Finished - Abnormal exit from crawling"

    @property
    def final(self) -> bool:
        """Whether there is nothing to resume."""
        return self is not End.INTERRUPTED


def reached(
    limits: Limits, objects: int, volume: int, elapsed: float, silent: float, inactive: float
) -> End | None:
    """The limit that ends a crawl, if one does."""
    checks = (
        (End.OBJECTS, objects, limits.max_objects),
        (End.BYTES, volume, limits.max_bytes),
        (End.TIME, elapsed, limits.max_seconds),
        (End.NO_RESPONSE, silent, limits.no_response_seconds),
        (End.INACTIVE, inactive, limits.inactivity_seconds),
    )
    return next((end for end, value, most in checks if most is not None and value >= most), None)


class Engine:
    """Runs one crawl, or one part of a crawl that several processes share."""

    def __init__(self, parts: Parts, disk: Path, reserve: Reserve, *, members: int = 1) -> None:
        self._parts = parts
        self._reserve = reserve
        self._unsafe = True  # whether anything was done since the last commit
        self._lost: FrontierFailed | None = None  # what the frontier knew beyond its last commit is lost
        self._visitor = Visitor(parts, contain=self._contain, commit=self.commit)
        self._disk = disk
        self._alone = members == 1  # nobody else can give us addresses: an empty frontier is the end
        self._connections = max(parts.order.fetching.connections // members, 1)
        self._limits = parts.order.limits
        most, share = self._limits.max_objects, self._limits.share
        # Objects that may be captured. A member of a team waits for its part, which the coordinator divides.
        divided = not self._alone and (most is not None or share.max_objects is not None)
        self._allowed = 0 if divided else most
        self.share = Budget(share.max_objects, share.max_bytes)
        if not self._alone:
            self.share = Budget(bytes=None if share.max_bytes is None else 0)
        self._committed: asyncio.Future[None] | None = None  # somebody waits for the next commit
        self._visits: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._last_wait = LAST_WAIT
        self.end: End | None = None
        self.state = State.RUNNING
        self.pause_reason = ""
        self._elapsed_before = float(parts.frontier.recall("elapsed") or 0)
        self._begun = self._response = self._activity = parts.clock()
        now = self._begun
        self._due: dict[Callable[[], float], float] = {
            self._commit: now + COMMIT,
            self._progress: now + PROGRESS,
            self._mark: now,
            self._look_at_disk: now,
        }

    @property
    def elapsed(self) -> float:
        """Seconds of crawling, those before an interruption included."""
        return self._elapsed_before + self._parts.clock() - self._begun

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do and nothing being done."""
        frontier = self._parts.frontier
        if self._visits:
            return False
        # Queues that spent their budget keep what is left in them, and never come to it.
        over = (QueueState.RETIRED, QueueState.EXHAUSTED)
        return not frontier.counts.queued or all(
            state in over for state, count in frontier.queue_states().items() if count
        )

    @property
    def busy(self) -> int:
        return len(self._visits)

    async def run(self) -> End:
        """Crawl until there is a reason to end. Raises what keeps it from being put in order."""
        self._reserve.take()
        self._look_at_disk()
        self._dispatch()
        while self.end is None:
            await asyncio.sleep(TICK)
            async with self._parts.writing:  # a commit in the middle of a capture would cut it off
                self._tick()
        self._reserve.release()
        await self._wind_up()
        return self.end

    def stir(self) -> None:
        """Something new may be ready."""
        asyncio.get_running_loop().call_soon(self._dispatch)

    def allow(self, objects: int) -> int:
        """How many objects may be captured in all; how many are, counting the visits under way."""
        self._allowed = objects
        self.stir()
        return max(self._parts.ledger.objects + len(self._visits), objects)

    def allow_bytes(self, most: int) -> int:
        """The same for bytes: visits under way may bring more, nobody knows how much."""
        self.give(Budget(bytes=most))
        return max(self._parts.ledger.bytes, most)

    def give(self, share: Budget) -> None:
        """What the crawl may collect of a budget that it shares with others."""
        self.share = share
        self.stir()

    @property
    def waits(self) -> bool:
        """Whether there is more to fetch than its share allows."""
        ledger = self._parts.ledger
        return (
            self.state is State.RUNNING
            and self.share.is_spent(ledger.objects, ledger.bytes)
            and not self._visits
            and not self.idle
        )

    async def next_commit(self) -> None:
        """Wait until all that was done so far is safe."""
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._committed)

    @property
    def silent(self) -> float:
        """Seconds since anything was received."""
        return self._parts.clock() - max(self._response, self._parts.ledger.last_response)

    @property
    def inactive(self) -> float:
        """Seconds since any visit was under way."""
        return 0.0 if self._visits else self._parts.clock() - self._activity

    def stop(self, reason: End) -> None:
        """End the crawl: visits under way are finished, no new one begins."""
        if self.end is None:
            self.end = reason
            self.state = State.ENDING

    def stop_at_once(self) -> None:
        """Whoever runs the crawl is gone: visits under way are as if never begun."""
        self._last_wait = 0.0
        self.stop(End.INTERRUPTED)

    def pause(self, reason: str = "") -> None:
        if self.state is State.RUNNING:
            self.state, self.pause_reason = State.PAUSED, reason

    def resume(self) -> None:
        if self.state is State.PAUSED:
            self._reserve.take()
            self.state, self.pause_reason = State.RUNNING, ""
            self._response = self._activity = self._parts.clock()
            self._dispatch()

    def commit(self) -> None:
        """Make what was done so far safe."""
        if self._lost is not None:
            raise self._lost
        try:
            commit(self._parts, self.elapsed)
        except FrontierFailed as fault:
            self._lost = fault
            raise
        self._unsafe = False
        committed, self._committed = self._committed, None
        if committed is not None and not committed.done():
            committed.set_result(None)

    # Visits ---------------------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Begin visits until there are enough, or nothing is ready. Timers call it: it raises nothing."""
        with self._minding_disk():
            self._begin_visits()

    def _begin_visits(self) -> None:
        frontier, clock = self._parts.frontier, self._parts.clock
        loop = asyncio.get_running_loop()
        while self.state is State.RUNNING and len(self._visits) < self._connections and not self._full():
            item = frontier.next(clock())
            if item is None:
                self._wake_later(loop)
                return
            begun = self._parts.ledger.began(item, clock())
            visit = loop.create_task(self._visitor.visit(item))
            self._visits.add(visit)
            visit.add_done_callback(partial(self._visited, begun))

    def _visited(self, begun: UnderWay, visit: "asyncio.Task[None]") -> None:
        parts, item = self._parts, begun.item
        self._visits.discard(visit)
        self._unsafe = True
        with self._minding_disk():
            if visit.cancelled():
                parts.frontier.put_back(item, parts.clock())
            elif isinstance(fault := visit.exception(), OSError):
                # What a server or the network does is no fault: it is our own disk. Nothing is recorded now.
                parts.frontier.put_back(item, parts.clock())
                raise fault
            elif isinstance(fault, FrontierFailed):
                raise fault
            elif fault is not None:
                # A fault of ours: this address is given up, the crawl goes on, the log has the whole story.
                log.error("visit failed", url=item.url, exc_info=fault)
                self._visitor.failed(item, fault)
        parts.ledger.left(begun)
        self._dispatch()

    def _contain(self, trap: TrapSuspicion) -> None:
        """Keep the crawl out of what looks like a trap; people can see it, and let it in again."""
        add_filter(self._parts, trap.filter, domain=trap.host, why=f"trap: {trap.kind}")

    def _full(self) -> bool:
        """Whether the visits under way may already fill the limit."""
        most, ledger = self._allowed, self._parts.ledger
        under_way = ledger.objects + len(self._visits)
        return Budget(most).is_spent(under_way, 0) or self.share.is_spent(under_way, ledger.bytes)

    def _wake_later(self, loop: asyncio.AbstractEventLoop) -> None:
        when = self._parts.frontier.wake()
        if when is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(max(when - self._parts.clock(), 0.001), self._dispatch)

    # In between -----------------------------------------------------------------------------------------

    def _tick(self) -> None:
        now = self._parts.clock()
        with self._minding_disk():
            for chore, when in self._due.items():
                if now >= when:
                    self._due[chore] = now + chore()
        if self.state is State.RUNNING:
            with self._minding_disk():
                self._check_limits(now)
            self._dispatch()
        elif self.pause_reason.startswith(WAITS_FOR_ROOM) and self.elapsed >= (
            self._limits.max_seconds or inf
        ):
            self.stop(End.TIME)  # nobody may come to make room

    def _commit(self) -> float:
        begun = time.monotonic()
        # A crawl that waits for room and is safe has nothing to write, and others may take the last of it.
        if self._unsafe or not self.pause_reason.startswith(WAITS_FOR_ROOM):
            self.commit()
        return max(COMMIT, SHARE_OF_COMMITS * (time.monotonic() - begun))

    def _progress(self) -> float:
        parts = self._parts
        queues = parts.frontier.queue_states()
        used = sum(count for state, count in queues.items() if state is not QueueState.EXHAUSTED)
        deepest = max((queue.queued for queue in parts.frontier.biggest(1)), default=0)
        depths = deepest, parts.frontier.counts.queued // max(used, 1)
        parts.ledger.progress(parts.frontier.counts, self.elapsed, depths, self._connections)
        return PROGRESS

    def _mark(self) -> float:
        self._parts.ledger.mark(self._parts.clock())
        return MARK

    def _look_at_disk(self) -> float:
        free = shutil.disk_usage(self._disk).free
        least = self._limits.min_free_disk
        if free < least and self.state is State.RUNNING:
            self.pause(f"{LOW_DISK}: {free:,} bytes are free, {least:,} are wanted")
            self._parts.ledger.logs.alert("WARNING", f"The crawl is paused. {self.pause_reason}")
        elif free >= max(least, 2 * SIZE) and self.pause_reason.startswith(WAITS_FOR_ROOM):
            self.commit()
            self.resume()
            self._parts.ledger.event("RUNNING", "Running: there is room again")
        return DISK_LOOK

    @contextmanager
    def _minding_disk(self) -> Iterator[None]:
        try:
            yield
        except (OSError, FrontierFailed) as fault:
            self._disk_failed(fault)

    def _disk_failed(self, fault: OSError | FrontierFailed) -> None:
        """Pause without needing any room; with what the reserve gives, what there is can be made safe."""
        self._reserve.release()
        if isinstance(fault, FrontierFailed):
            self._lost = fault
            self.stop(End.INTERRUPTED)  # from its folder it can be gone on with, and from its files
        elif self.state is State.RUNNING:
            words = DISK_FULL if fault.errno == errno.ENOSPC else DISK_FAILED
            self.pause(f"{words}: {fault}")
            self._parts.ledger.logs.alert("SEVERE", f"The crawl is paused. {self.pause_reason}")

    def _check_limits(self, now: float) -> None:
        waits = self.waits
        if self._visits or waits:
            self._activity = now
        if waits:
            self._response = now  # nothing is received because nothing is asked for
        if not self._alone:
            return  # the coordinator knows the sums
        ledger = self._parts.ledger
        reason = reached(self._limits, ledger.objects, ledger.bytes, self.elapsed, self.silent, self.inactive)
        if reason is not None:
            self.stop(reason)
        elif self.idle:
            self.stop(End.FINISHED)

    async def _wind_up(self) -> None:
        """Let the visits under way come to their end, for a while; the others are as if never begun."""
        if self._timer is not None:
            self._timer.cancel()
        if self._visits:
            _, late = await asyncio.wait(self._visits, timeout=self._last_wait)
            for visit in late:
                visit.cancel()
            if late:
                await asyncio.wait(late)
        self.commit()


def add_filter(parts: Parts, pattern: str, *, accept: bool = False, domain: str = "", why: str = "") -> int:
    """From now on; how many addresses it took out of the queues. Raises `BadFilter`."""
    parts.scope.add_filter(pattern, accept=accept, domain=domain)
    queued = 0
    if not accept:
        queued = parts.frontier.delete(found_by(parts, pattern, domain), now=parts.clock())
    parts.changes.filtered(pattern, accept=accept, domain=domain, queued=queued, why=why)
    parts.discovery.forget()
    return queued


def found_by(parts: Parts, pattern: str, domain: str) -> Callable[[str], bool]:
    """Whether a filter finds an address; raises `BadFilter`."""
    filters = FilterSet((pattern,))
    registries = parts.order.scope.registries
    domain = domain.removeprefix("www.")

    def found(url: str) -> bool:
        if not filters.find(url) or parts.robots.is_awaited(url):
            return False  # a robots.txt that others wait for is no page to be kept out
        host = host_of(origin_of(url)).removeprefix("www.")
        return not domain or domain in (host, registered_domain(host, registries))

    return found
