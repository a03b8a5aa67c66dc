"""What the archive has of a job's sites already: the engine refers to it instead of storing it once more.

It saves room, and nothing else depends on it: where it cannot be had, the job is crawled without.
"""

import asyncio
import os
import shutil
from pathlib import Path

import structlog

from armarium.collector.job_folder import JobFolder, Lease
from armarium.collector.pauses import Pauses
from armarium.collector.server import Denied, Server
from armarium.core.collecting import TaskOrder
from armarium.core.crawl_order import CrawlOrder, Recording
from armarium.core.errors import Unavailable

log = structlog.get_logger(__name__)

ATTEMPTS = 3


class _NoRoom(OSError):  # noqa: N818  (reads as what happened)
    """The crawl needs the disk more."""


class Digests:
    """Of one job. `room`: bytes that should stay free on the disk."""

    def __init__(self, server: Server, task: TaskOrder, folder: JobFolder, lease: Lease, room: int) -> None:
        self._server = server
        self._task = task
        self._folder = folder
        self._lease = lease
        self._room = room

    async def provide(self) -> None:
        """Get the index, if the order has a use for it and none is here, and name it in the order.

        A crawl that has begun without goes on without: what it has seen it would not look up again.
        """
        file = self._folder.digests
        if not is_wanted(self._task.order.recording):
            return
        if not file.exists() and not self._folder.begun:
            await self._get(file)
        if file.exists() and file.stat().st_size:
            self._folder.crawl.write_order(_with_digests(self._task.order, file.absolute()))

    async def _get(self, file: Path) -> None:
        pauses, reason = Pauses(), ""
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(pauses.next())
            self._lease.check()
            try:
                await self._received(file)
            except Unavailable as error:
                reason = str(error)
            except (Denied, OSError) as error:
                reason = str(error)
                break
            else:
                log.info("index for de-duplication is here", job=self._task.job)
                return
        log.warning("crawling without an index for de-duplication", job=self._task.job, reason=reason)

    async def _received(self, file: Path) -> None:
        """Whole or not at all; empty where the archive has nothing."""
        fresh = file.with_suffix(".fresh")
        end = b"\n"
        try:
            with fresh.open("wb") as opened:
                async for piece in self._server.digests(self._task.job, self._task.attempt):
                    self._check_room(len(piece))
                    opened.write(piece)
                    end = piece[-1:] or end
                if end != b"\n":
                    raise Unavailable("The index for de-duplication ends in the middle of a line.")
                opened.flush()
                await asyncio.to_thread(os.fsync, opened.fileno())
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)

    def _check_room(self, coming: int) -> None:
        if shutil.disk_usage(self._folder.root).free - coming < self._room:
            raise _NoRoom("There is not enough room on the disk for it.")


def _with_digests(order: CrawlOrder, file: Path) -> CrawlOrder:
    recording = order.recording
    named = recording.model_copy(update={"digest_index": (*recording.digest_index, str(file))})
    return order.model_copy(update={"recording": named})


def is_wanted(recording: Recording) -> bool:
    return recording.duplicates != "none" or recording.conditional_requests
