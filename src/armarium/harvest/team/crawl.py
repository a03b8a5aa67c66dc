"""A crawl of several processes, from opening to closing."""

import heapq
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.closing import Books
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier
from armarium.harvest.record import seal_rest
from armarium.harvest.reports.logs import CRAWL, NAMES, PROGRESS
from armarium.harvest.reports.statistics import Statistics
from armarium.harvest.team.coordinator import Coordinator

TIME = 24  # letters: all lines of a log begin with the time


class TeamCrawl:
    """Like a crawl of one process, to whoever runs it."""

    def __init__(self, folder: CrawlFolder, order: CrawlOrder, count: int) -> None:
        folder.create()
        self._folder = folder
        self._order = order
        self._count = count
        self._coordinator = Coordinator(folder, order, count)

    def report(self) -> dict[str, Any]:
        return self._coordinator.report()

    def stop(self, reason: End) -> None:
        self._coordinator.stop(reason)

    async def start(self) -> None:
        await self._coordinator.start()

    async def run(self) -> dict[str, Any]:
        end = await self._coordinator.run()
        seal_rest(self._folder.warcs, self._count, final=end.final)
        self._merge_logs()
        folder = self._folder
        statistics = Statistics(folder.state, [seed.url for seed in self._order.seeds])
        statistics.resume(folder.logs / CRAWL)
        with ExitStack() as opened:
            frontiers = [self._frontier(number, opened.callback) for number in range(self._count)]
            begun = min(
                datetime.fromisoformat(str(one.recall("begun") or now().isoformat())) for one in frontiers
            )
            seconds = max(float(one.recall("elapsed") or 0) for one in frontiers)
            return Books(folder, self._order, statistics, frontiers).close(end, begun, seconds)

    def _frontier(self, number: int, later: Callable[[Callable[[], None]], object]) -> Frontier:
        path = CrawlFolder(self._folder.root, number).frontier_file
        frontier = Frontier(path, self._order, number, self._count)
        later(frontier.close)
        return frontier

    def _merge_logs(self) -> None:
        """The logs of all members in one, by time. The members' own stay: a resumed crawl needs them."""
        for name in NAMES:
            paths = [CrawlFolder(self._folder.root, number).logs / name for number in range(self._count)]
            whole = self._folder.logs / name
            fresh = whole.with_suffix(".fresh")
            with ExitStack() as opened, fresh.open("wb") as file:
                sources = [_lines(path, name, opened, number) for number, path in enumerate(paths)]
                merged: Iterator[bytes] = heapq.merge(*sources, key=_time)
                file.writelines(merged)
            fresh.replace(whole)


def _time(entry: bytes) -> bytes:
    return entry[:TIME]


def _lines(path: Path, name: str, opened: ExitStack, number: int) -> Iterator[bytes]:
    """Entries of a log: lines that begin with white space belong to the one before."""
    if not path.exists():
        return
    entry = b""
    for line in opened.enter_context(path.open("rb")):
        if name == PROGRESS and number and line.lstrip().startswith(b"timestamp"):
            continue  # one legend is enough
        if entry and not line.startswith((b" ", b"\t")):
            yield entry
            entry = b""
        entry += line
    if entry:
        yield entry
