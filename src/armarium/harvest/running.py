"""Running a crawl from a terminal: its folder locked, its loop, signals, and what is shown meanwhile."""

import asyncio
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import uvloop

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Refused
from armarium.core.late import imported, late
from armarium.formats.warc.writer import Naming
from armarium.harvest.crawl import Crawl, told_of_disk
from armarium.harvest.engine.engine import End
from armarium.harvest.fetch.fetcher import Fetcher
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.record.duplicates import Duplicates
from armarium.harvest.scope import Scope
from armarium.logs import configure_without_settings
from armarium.terminal.output import complain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

    from armarium.harvest.view import drawn, line
else:
    Console, Live = late("rich.console:Console"), late("rich.live:Live")
    drawn, line = late("armarium.harvest.view:drawn"), late("armarium.harvest.view:line")


# --- An order is tried before it is begun: what it names must be there, and fit.


def try_order(order: CrawlOrder) -> None:
    """Raises `Refused` with what cannot be used. Nothing is fetched, and nothing is left behind."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            _try(order, Path(folder))
    except (ValueError, OSError) as error:
        raise Refused(f"The order cannot be used: {error}") from None


def _try(order: CrawlOrder, folder: Path) -> None:
    Scope(order.scope, [seed.url for seed in order.seeds])
    values = (*order.recording.values.items(), ("host", "host"))
    Naming(order.recording.template, values).name(now(), 0)
    asyncio.run(_try_fetcher(Fetcher(order.fetching, order.limits, order.identity, folder=folder)))
    for index in order.recording.digest_index:
        with Path(index).open("rb") as file:
            file.read(1)
    Duplicates(order.recording.model_copy(update={"digest_index": ()}), folder).close()


async def _try_fetcher(fetcher: Fetcher) -> None:
    await fetcher.start()
    await fetcher.close()


# --- Running a crawl from a terminal: its folder locked, its loop, signals, and what is shown meanwhile.


DRAWN_EVERY = 0.5  # seconds, in a terminal
LINE_EVERY = 20.0  # seconds, elsewhere
TEAM = "armarium.harvest.team.crawl:TeamCrawl"  # imported only where several processes share a crawl


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person at the terminal wants beside the crawl itself."""

    quiet: bool = False
    processes: int | None = None  # None: as many as began the crawl, or one


def run_crawl(folder: CrawlFolder, order: CrawlOrder, wishes: Wishes) -> dict[str, Any]:
    """Crawl to the end, or until interrupted; the summary."""
    configure_without_settings(process="crawl")
    with folder.locked():
        if not folder.begun:
            try_order(order)
            folder.keep_processes(wishes.processes or 1)
            folder.write_order(order)
        elif (summary := folder.final_summary()) is not None:
            return summary  # there is nothing left to do
        count = _processes(folder, wishes.processes)
        with told_of_disk(folder):
            crawl: Running = Crawl(folder, order) if count == 1 else _team(folder, order, count)
            return uvloop.run(_run(crawl, wishes))


class Running(Protocol):
    """A crawl of one process or of several."""

    def report(self) -> dict[str, Any]: ...
    def stop(self, reason: End) -> None: ...
    async def start(self) -> None: ...
    async def run(self) -> dict[str, Any]: ...


def _team(folder: CrawlFolder, order: CrawlOrder, count: int) -> Running:
    made = imported(TEAM)
    configure_without_settings(process="crawl")  # once more, for the loggers that came with it
    crawl: Running = made(folder, order, count)
    return crawl


def _processes(folder: CrawlFolder, wanted: int | None) -> int:
    """A crawl is resumed by as many processes as began it: each has its own part of the queues."""
    begun = folder.processes
    if begun and wanted not in (None, begun):
        raise Refused(f"This crawl was begun with {begun} processes, and can only be resumed with as many.")
    return begun or wanted or 1


async def _run(crawl: Running, wishes: Wishes) -> dict[str, Any]:
    await crawl.start()
    _stop_on_signals(crawl)
    shown = asyncio.create_task(_show(crawl.report, quiet=wishes.quiet))
    try:
        return await crawl.run()
    finally:
        shown.cancel()
        with suppress(asyncio.CancelledError):
            await shown


def _stop_on_signals(crawl: Running) -> None:
    """The first signal ends the crawl in order; the second one is the operator's last word."""
    loop = asyncio.get_running_loop()

    def interrupted(number: signal.Signals) -> None:
        complain("The crawl stops: downloads under way get 30 seconds. Once more to stop at once.")
        crawl.stop(End.INTERRUPTED)
        loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted, number)


async def _show(report: Callable[[], dict[str, Any]], *, quiet: bool) -> None:
    if quiet:
        return
    if not sys.stderr.isatty():
        while True:
            await asyncio.sleep(LINE_EVERY)
            complain(line(report()))
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        while True:
            live.update(drawn(report()), refresh=True)
            await asyncio.sleep(DRAWN_EVERY)
