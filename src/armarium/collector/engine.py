"""The child process that crawls: `python -m armarium.collector.engine FOLDER PROCESSES`.

Its standard input is the line to the collector: it says until when the lease holds. When that moment has
come, or the collector is gone, the process ends on the spot, and with it those that share the crawl. Nothing
is lost by that: a crawl can be killed at any moment and gone on with. Before the first word it does nothing.
"""

import asyncio
import os
import select
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import uvloop

from armarium.collector.child import REFUSED, TRY_AGAIN, paused_file
from armarium.collector.job_folder import Moment
from armarium.collector.steering import ask
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import ArmariumError
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.running import Running, try_order
from armarium.harvest.team.crawl import TeamCrawl
from armarium.logs import configure_without_settings
from armarium.terminal.output import complain

LOOK = 0.25  # seconds
ANOTHER_ENDS = 60.0  # seconds that the engine of a killed collector gets to notice it
PAUSED = "by the operator"
NICE = 5  # beside the site, on a machine that has both


class LeaseLine:
    """Reads the line to the collector, and ends the process when it has to."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""
        self._until: Moment | None = None

    def wait_for_first(self) -> None:
        while self._until is None:
            self._read(None)

    def watch(self) -> None:
        """From now on, in a thread; and when a frozen process goes on, before it does anything else."""
        signal.signal(signal.SIGCONT, self._thawed)
        threading.Thread(target=self._watch, name="lease", daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._read(LOOK)
            self._check()

    def _thawed(self, _number: int, _frame: FrameType | None) -> None:
        self._check()

    def _check(self) -> None:
        if self._until is not None and self._until.left() <= 0:
            complain("The lease is over. The crawl stops on the spot; it can be gone on with.")
            _die()

    def _read(self, timeout: float | None) -> None:
        ready, _, _ = select.select([self._descriptor], [], [], timeout)
        if not ready:
            return
        if not (found := os.read(self._descriptor, 4096)):
            _die()  # the collector is gone
        *lines, self._unread = (self._unread + found).split(b"\n")
        if lines:
            self._until = Moment.read(lines[-1])


def _die() -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with those that share the crawl
    os._exit(1)


def main(root: str, processes: str) -> int:
    configure_without_settings(process="engine")
    os.nice(NICE)
    line = LeaseLine(sys.stdin.fileno())
    line.wait_for_first()
    line.watch()
    folder = CrawlFolder(Path(root))
    try:
        with folder.locked(patience=ANOTHER_ENDS):
            return _crawled(folder, int(processes))
    except ArmariumError as error:
        complain(str(error))
        return TRY_AGAIN


def _crawled(folder: CrawlFolder, processes: int) -> int:
    try:
        order = folder.read_order()
        if not folder.processes:
            try_order(order)
    except ArmariumError as error:
        complain(str(error))
        return REFUSED
    uvloop.run(_run(opened(folder, order, processes), folder))
    return 0


def opened(folder: CrawlFolder, order: CrawlOrder, processes: int) -> Running:
    """The crawl, by as many processes as began it: each has its own part of the queues."""
    count = folder.processes or processes
    folder.keep_processes(count)
    return Crawl(folder, order) if count == 1 else TeamCrawl(folder, order, count)


async def _run(crawl: Running, folder: CrawlFolder) -> None:
    def interrupted() -> None:
        # Whoever ends us has little patience: visits under way are as if never begun.
        if isinstance(crawl, Crawl):
            crawl.engine.stop_at_once()
        crawl.stop(End.INTERRUPTED)

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, interrupted)
    paused = paused_file(folder).exists()
    if paused and isinstance(crawl, Crawl):
        crawl.engine.pause(PAUSED)
    await crawl.start()
    if paused and not isinstance(crawl, Crawl):
        await ask(folder.control_file, "pause", {"reason": PAUSED}, seconds=ANOTHER_ENDS)
    await crawl.run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
