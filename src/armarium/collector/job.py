"""One job under one lease.

what happens                             what becomes of the folder
---------------------------------------  -------------------------------------------
crawled, sent, its end accepted          deleted
its end accepted as failed               put aside, unless nothing was crawled
the lease is lost, the collector ends    kept, and asked for again
killed at any moment                     kept, and asked for again
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import structlog

from armarium.collector.asking import ask
from armarium.collector.crawl_log import tail
from armarium.collector.crawling import CrawlFailed, Crawling, Interrupted
from armarium.collector.job_folder import Work
from armarium.collector.lease import Lease, LeaseLost, Moment
from armarium.collector.patience import Pauses
from armarium.collector.result import end_of
from armarium.collector.server import Denied, Server
from armarium.collector.steering import Commands
from armarium.collector.uploads import Uploads, patiently
from armarium.core.collecting import Ended, EndKind, Heartbeat, Held, JobEnd, Phase, TaskOrder
from armarium.core.errors import ArmariumError, Unavailable

log = structlog.get_logger(__name__)

STATUS_SECONDS = 5.0
FIRST_BEATS = 1.0  # seconds between heartbeats until the crawl runs
LONGEST_RETRY = 15.0  # seconds between two attempts to extend a lease
NOT_STORED = "not-stored"
LOOK = 0.5  # seconds between two looks at the clock of the lease


@dataclass(frozen=True)
class Limits:
    """What the machine may be used for."""

    slots: int = 1
    min_free_bytes: int = 0
    engine_processes: int = 1


class Fate(StrEnum):
    """What became of a job here."""

    ENDED = "ended"
    LOST = "lost"
    KEPT = "kept"


class Job:
    def __init__(self, server: Server, work: Work, task: TaskOrder, until: Moment, limits: Limits) -> None:
        self.number = task.job
        self.phase = Phase.STARTING
        self._server = server
        self._work = work
        self._task = task
        self._folder = work.of(task.job)
        self._lease = Lease(until)
        self._crawling = Crawling(self._folder, limits.engine_processes, self._lease)
        self._room = max(limits.min_free_bytes, 2 * task.order.limits.min_free_disk)
        self._commands = Commands(self._folder.crawl)
        held = Held(job=task.job, attempt=task.attempt)
        self._uploads = Uploads(server, held, self._folder, self._lease)
        self._report: dict[str, Any] = {}
        self._ending = False  # the end was told, and perhaps accepted

    def interrupt(self) -> None:
        """The collector ends: so does the crawl, in order."""
        self._crawling.interrupt()

    async def run(self) -> Fate:
        """Until the job has ended, or is no longer ours."""
        parts = [self._work_through(), self._beat(), self._watch_lease()]
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except LeaseLost as error:
            log.warning("lease lost; the folder is kept", job=self.number, reason=str(error))
            return Fate.LOST
        except Interrupted:
            log.info("job interrupted; the folder is kept", job=self.number)
            return Fate.KEPT
        finally:
            self._commands.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return Fate.ENDED

    async def give_back(self) -> None:
        """Somebody else may have the job; what was crawled of it is put aside."""
        end = JobEnd(attempt=self._task.attempt, kind=EndKind.RETURNED)
        ended = await self._told(end)
        aside = self._work.put_aside(self.number)
        log.info("job given back", job=self.number, state=ended.state, folder=str(aside))

    # The work -------------------------------------------------------------------------------------------

    async def _work_through(self) -> None:
        following = asyncio.create_task(self._uploads.follow(self._room))
        crawling = asyncio.create_task(self._crawling.run())
        try:
            done, _ = await asyncio.wait({following, crawling}, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                part.result()
            await self._end(summary=crawling.result())
        except (CrawlFailed, Denied) as error:
            log.error("job failed", job=self.number, reason=str(error))  # noqa: TRY400  (no fault of ours)
            await _ended(following, crawling)
            await self._fail(error)
        finally:
            await _ended(following, crawling)

    async def _end(self, summary: dict[str, Any]) -> None:
        self.phase = Phase.UPLOADING
        await self._uploads.send_all()
        end = end_of(self._task.attempt, summary, "", self._task.order, self._uploads.names)
        try:
            ended = await self._told(end)
        except Denied as denied:
            if denied.code != NOT_STORED:
                raise
            self._uploads.forget(denied.facts.get("missing") or ())
            await self._uploads.send_all()
            ended = await self._told(end)
        self._work.delete(self.number)
        log.info("job ended", job=self.number, state=ended.state, outcome=end.outcome)

    async def _fail(self, error: ArmariumError) -> None:
        """Say that it failed; what was captured is sent where that is possible, and put aside in any case."""
        self.phase = Phase.UPLOADING
        self._crawling.seal()
        with suppress(Denied):
            await self._uploads.send_all()
        end = end_of(self._task.attempt, None, str(error), self._task.order, self._uploads.stored)
        ended = await self._told(end)
        log.info("job ended", job=self.number, state=ended.state, error=end.error)
        if self._crawling.begun:
            self._work.put_aside(self.number)
        else:
            self._work.delete(self.number)

    async def _told(self, end: JobEnd) -> Ended:
        self._ending = True
        return await patiently(self._lease, lambda: self._server.end(self.number, end))

    # The lease ------------------------------------------------------------------------------------------

    async def _watch_lease(self) -> None:
        while True:
            self._lease.check()
            await asyncio.sleep(LOOK)

    async def _beat(self) -> None:
        """Extend the lease, for ever: progress goes up, commands come down."""
        pauses = Pauses(longest=LONGEST_RETRY)
        while True:
            answers = self._commands.answers()
            beat = Heartbeat(
                attempt=self._task.attempt,
                phase=self.phase,
                report=await self._asked_report(),
                tail=await asyncio.to_thread(tail, self._folder.crawl.logs),
                answers=answers,
            )
            self._lease.check()
            try:
                answer, until = await self._server.beat(self.number, beat)
            except LeaseLost:
                if not self._ending:
                    raise
                await asyncio.sleep(pauses.next())  # its end was accepted; the answer is on its way
                continue
            except (Unavailable, Denied) as error:
                pause = pauses.next()
                log.warning("no heartbeat", job=self.number, pause_seconds=round(pause, 1), reason=str(error))
                await asyncio.sleep(pause)
                continue
            pauses.reset()
            self._lease.extend(until)
            self._crawling.extended()
            self._commands.delivered(answers)
            self._commands.take(answer.commands)
            starting = self.phase is Phase.STARTING  # people wait to see that something happens
            await asyncio.sleep(min(answer.beat_seconds, FIRST_BEATS) if starting else answer.beat_seconds)

    async def _asked_report(self) -> dict[str, Any]:
        if self.phase is not Phase.UPLOADING:
            with suppress(ArmariumError):  # while it starts, or writes its books
                control = self._folder.crawl.control_file
                self._report = await ask(control, "status", {}, seconds=STATUS_SECONDS)
                self.phase = Phase.CRAWLING if self.phase is Phase.STARTING else self.phase
        return self._report


async def _ended(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
