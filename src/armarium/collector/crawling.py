"""The crawl of a job: its engine started, started again where it fails, and ended."""

import asyncio
import time
from typing import Any

import structlog

from armarium.collector.child import MODULE, REFUSED, EngineProcess
from armarium.collector.job_folder import JobFolder, Lease
from armarium.collector.pauses import Pauses
from armarium.core.errors import ArmariumError
from armarium.formats.warc.folder import recover
from armarium.harvest.record.companion import index_whole

log = structlog.get_logger(__name__)

MOST_CRASHES = 5  # in a row
SETTLED = 600.0  # seconds for which an engine has answered, that make earlier crashes forgotten


class CrawlFailed(ArmariumError):  # noqa: N818  (reads as what happened)
    """The order cannot be crawled, here or anywhere, or the engine fails again and again."""


class OrderRefused(CrawlFailed):
    """What the order names is not there, or does not fit: it would be refused again."""


class Interrupted(ArmariumError):  # noqa: N818
    """The collector ends; the crawl can be gone on with."""


class Crawling:
    """Keeps the engine of a job running until the crawl has come to its end."""

    def __init__(self, folder: JobFolder, processes: int, lease: Lease, module: str = MODULE) -> None:
        self._folder = folder
        self._processes = processes
        self._module = module  # the engine's
        self._lease = lease
        self._engine: EngineProcess | None = None
        self._heard = 0.0  # of the engine: when it answered last, or was started
        self._hung = ""  # why it was killed
        self._interrupted = False

    def extended(self) -> None:
        """The lease was extended."""
        if self._engine is not None:
            self._engine.extend(self._lease.until)

    def answered(self) -> None:
        """The engine has just answered: it lives."""
        self._heard = time.monotonic()

    def silent(self, most: float) -> None:
        """The engine does not answer. After so many seconds without a word it hangs, and is killed."""
        seconds = time.monotonic() - self._heard
        if self._engine is not None and not self._hung and seconds >= most:
            self._hung = f"It did not answer for {seconds:.0f} seconds, and was killed."
            self._engine.kill()

    def interrupt(self) -> None:
        """End in order; what was crawled stays."""
        self._interrupted = True
        if self._engine is not None:
            self._engine.interrupt()

    async def run(self) -> dict[str, Any]:
        """The summary."""
        crashes, pauses = 0, Pauses()
        while (summary := self._folder.crawl.final_summary()) is None:
            if self._interrupted:
                raise Interrupted("The collector was told to end.")
            began = time.monotonic()
            code, words = await self._one_life()
            if self._is_over():
                continue
            self._lease.check()
            if code == REFUSED:
                raise OrderRefused(words)
            crashes = 1 if self._heard - began > SETTLED else crashes + 1
            log.error("engine ended by itself", exit=code, reason=words, crashes=crashes)
            if crashes >= MOST_CRASHES:
                raise CrawlFailed(f"The engine failed {crashes} times in a row, at last with: {words}")
            await asyncio.sleep(pauses.next())
        return summary

    def _is_over(self) -> bool:
        return self._interrupted or self._folder.crawl.final_summary() is not None

    async def _one_life(self) -> tuple[int, str]:
        engine = await EngineProcess.start(self._folder, self._processes, self._lease.until, self._module)
        self._engine, self._hung = engine, ""
        self.answered()
        log.info("engine started", engine_pid=engine.pid, folder=str(self._folder.root))
        try:
            return await engine.wait(), self._hung or engine.last_words()
        finally:
            self._engine = None
            engine.kill()  # with its members, whatever they still do
            await engine.wait()  # whoever comes next finds nobody in the folder

    def seal(self) -> None:
        """Finish what a failed engine left open, so that it can be sent."""
        if self._folder.crawl.warcs.exists():
            recover(self._folder.crawl.warcs, index_whole)
