"""One job under one lease.

what happens                             what becomes of the folder
---------------------------------------  -------------------------------------------
crawled, sent, its end accepted          deleted
its end accepted as failed               put aside, unless nothing was crawled
the lease is lost, the collector ends    kept, and asked for again
killed at any moment                     kept, and asked for again
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import structlog

from armarium.collector.child import MODULE
from armarium.collector.crawling import CrawlFailed, Crawling, Interrupted, OrderRefused
from armarium.collector.digests import Digests
from armarium.collector.job_folder import Lease, LeaseLost, Moment, Work
from armarium.collector.pauses import Pauses
from armarium.collector.result import end_of, tail
from armarium.collector.server import Denied, Server
from armarium.collector.steering import Commands, ask
from armarium.collector.uploads import Uploads, patiently
from armarium.core.collecting import Ended, EndKind, Heartbeat, Held, JobEnd, Phase, TaskOrder
from armarium.core.errors import ArmariumError, Refused, Unavailable

# --- The end of a job here: what becomes of its folder once the server has accepted how it ended.
#
# Whoever is killed before the answer has come does not know whether that is so. The end is kept in the folder
# for that, and told again: to the same words the server gives the same answer.


def settle(work: Work, job: int, end: JobEnd) -> None:
    """The folder goes, unless a person should see what is in it."""
    if end.kind is EndKind.DONE or not work.of(job).begun:
        work.delete(job)
    else:
        work.put_aside(job)


async def tell_again(server: Server, work: Work, held: Held) -> None:
    """Where an end was told, and nobody knows whether it was accepted."""
    folder = work.of(held.job)
    if (end := folder.end) is None:
        return
    try:
        ended = await server.end(held.job, end)
    except (LeaseLost, Denied) as error:
        log.info("end was not accepted; the job is asked for again", job=held.job, reason=str(error))
        folder.forget_end()
        return
    log.info("job had ended before", job=held.job, state=ended.state)
    settle(work, held.job, end)


# --- One job under one lease.


log = structlog.get_logger(__name__)

STATUS_SECONDS = 5.0
FIRST_BEATS = 1.0  # seconds between heartbeats until the crawl runs
LONGEST_RETRY = 15.0  # seconds between two attempts to extend a lease
NOT_STORED = "not-stored"
REPORT_AGE = "report_age_seconds"  # the last word of an engine that is silent is no news
LOOK = 0.5  # seconds between two looks at the clock of the lease


@dataclass(frozen=True)
class Limits:
    """What the machine may be used for."""

    slots: int = 1
    min_free_bytes: int = 0
    engine_processes: int = 1
    hung_seconds: float = 1800.0
    engine: str = MODULE  # the module that crawls


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
        self._crawling = Crawling(self._folder, limits.engine_processes, self._lease, limits.engine)
        self._room = max(limits.min_free_bytes, 2 * task.order.limits.min_free_disk)
        self._digests = Digests(server, task, self._folder, self._lease, self._room)
        self._commands = Commands(self._folder.crawl)
        held = Held(job=task.job, attempt=task.attempt)
        self._uploads = Uploads(server, held, self._folder, self._lease)
        self._hung_seconds = limits.hung_seconds
        self._report: dict[str, Any] = {}
        self._reported = 0.0  # when the engine gave it
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
        crawling = asyncio.create_task(self._crawl())
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

    async def _crawl(self) -> dict[str, Any]:
        await self._digests.provide()
        return await self._crawling.run()

    async def _end(self, summary: dict[str, Any]) -> None:
        self.phase = Phase.UPLOADING
        await self._uploads.deliver()
        attempt, order = self._task.attempt, self._task.order
        await self._finish(lambda: end_of(attempt, summary, "", order, self._uploads.names))

    async def _fail(self, error: ArmariumError) -> None:
        """Say that it failed; what was captured is sent where that is possible, and put aside in any case."""
        self.phase = Phase.UPLOADING
        await asyncio.to_thread(self._crawling.seal)
        with suppress(Denied):
            await self._uploads.deliver()
        attempt, order = self._task.attempt, self._task.order
        final = isinstance(error, OrderRefused)
        await self._finish(
            lambda: end_of(attempt, None, str(error), order, self._uploads.stored, final=final)
        )

    async def _finish(self, ending: Callable[[], JobEnd]) -> None:
        """Tell the end until it is accepted. Files that the server turns out not to have are sent again."""
        before: set[str] = set()
        while True:
            end = ending()
            self._folder.keep_end(end)
            try:
                ended = await self._told(end)
            except Denied as denied:
                missing = set(denied.facts.get("missing") or ())
                if denied.code != NOT_STORED or missing == before:
                    raise
                before = missing
                self._uploads.forget(missing)
                with suppress(Denied):  # what is refused is missing still, and then it is said
                    await self._uploads.deliver()
            else:
                facts = {"outcome": end.outcome} if end.outcome else {"error": end.error}
                log.info("job ended", job=self.number, state=ended.state, **facts)
                return settle(self._work, self.number, end)

    async def _told(self, end: JobEnd) -> Ended:
        self._ending = True
        try:
            return await patiently(
                self._lease, self._uploads.trouble, lambda: self._server.end(self.number, end)
            )
        except Denied:
            self._ending = False
            raise

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
                self._uploads.trouble.over()  # nothing gets through: the files are no case of their own
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
            await self._ask_engine()
        if not self._report:
            return {**self._uploads.report()}
        age = round(time.monotonic() - self._reported, 1)
        return {**self._report, REPORT_AGE: age, **self._uploads.report()}

    async def _ask_engine(self) -> None:
        try:
            self._report = await ask(self._folder.crawl.control_file, "status", {}, seconds=STATUS_SECONDS)
        except Refused:
            self._crawling.answered()
        except Unavailable:  # it starts, writes its books, or hangs
            self._crawling.silent(self._hung_seconds)
        else:
            self._crawling.answered()
            self._reported = time.monotonic()
            self.phase = Phase.CRAWLING if self.phase is Phase.STARTING else self.phase


async def _ended(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
