"""Running a crawl from a terminal: its folder locked, its loop, signals, and what is shown meanwhile."""

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvloop
from rich.console import Console
from rich.live import Live

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.view import drawn, line
from armarium.terminal.output import complain

DRAWN_EVERY = 0.5  # seconds, in a terminal
LINE_EVERY = 20.0  # seconds, elsewhere


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person at the terminal wants beside the crawl itself."""

    quiet: bool = False
    processes: int = 1


def run_crawl(folder: CrawlFolder, order: CrawlOrder, wishes: Wishes) -> dict[str, Any]:
    """Crawl to the end, or until interrupted; the summary."""
    with folder.locked():
        if not folder.begun:
            folder.write_order(order)
        crawl = Crawl(folder, order)
        return uvloop.run(_run(crawl, wishes))


async def _run(crawl: Crawl, wishes: Wishes) -> dict[str, Any]:
    await crawl.start()
    _stop_on_signals(crawl)
    shown = asyncio.create_task(_show(crawl.report, quiet=wishes.quiet))
    try:
        return await crawl.run()
    finally:
        shown.cancel()
        with suppress(asyncio.CancelledError):
            await shown


def _stop_on_signals(crawl: Crawl) -> None:
    """The first signal ends the crawl in order; the second one is the operator's last word."""
    loop = asyncio.get_running_loop()

    def interrupted(number: signal.Signals) -> None:
        complain("The crawl stops: downloads under way get 30 seconds. Once more to stop at once.")
        crawl.engine.stop(End.INTERRUPTED)
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
