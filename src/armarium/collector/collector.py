"""The loop of a collector: with a free slot it asks for work, and sees each job through."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from armarium.collector.identity import described
from armarium.collector.job import Fate, Job, Limits, tell_again
from armarium.collector.job_folder import LeaseLost, Moment, Work
from armarium.collector.pauses import Pauses
from armarium.collector.server import Denied, Server
from armarium.core.collecting import Held, LeaseRequest, Machine, TaskOrder
from armarium.core.errors import ArmariumError, Unavailable

log = structlog.get_logger(__name__)

LAST_WAIT = 6.0  # seconds that engines get when the collector ends: its own supervisor waits little longer
SHORTEST_WAIT = 0.2  # seconds between two requests, whatever the server says


@dataclass
class _Running:
    job: Job
    life: "asyncio.Task[Fate]"


@dataclass
class _Fault:
    """Of a job that could not be worked on: its folder is left alone for a while. The others go on."""

    pauses: Pauses = field(default_factory=lambda: Pauses(first=10.0, longest=600.0))
    until: float = 0.0

    @property
    def rests(self) -> bool:
        return time.monotonic() < self.until


@dataclass
class Collector:
    server: Server
    work: Work
    limits: Limits
    _running: dict[int, _Running] = field(default_factory=dict)
    _stirred: asyncio.Event = field(default_factory=asyncio.Event)
    _faults: dict[int, _Fault] = field(default_factory=dict)
    _unsettled: set[int] = field(default_factory=set)  # nobody knows whether their ends were accepted
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """End: crawls are interrupted, and asked for again at the next start."""
        self._stopping.set()

    async def run(self, *, drain: bool = False) -> None:
        """Collect; or, to `drain`, give back all that is held, and end."""
        asking = asyncio.create_task(self._drain() if drain else self._keep_asking())
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                asking.result()
        finally:
            asking.cancel()  # what the server gives just now, it gives again
            stopped.cancel()
            await asyncio.gather(asking, stopped, return_exceptions=True)
            await self._end_jobs()

    async def _keep_asking(self) -> None:
        pauses = Pauses()
        while True:
            try:
                wait = await self._ask()
                pauses.reset()
            except (Unavailable, Denied, OSError) as error:
                wait = pauses.next()
                log.warning("no work can be had", pause_seconds=round(wait, 1), reason=str(error))
            await self._pause(wait)

    async def _drain(self) -> None:
        pauses = Pauses()
        self._put_unreadable_aside()
        while self.work.held():
            try:
                await self._settle_ended()
                request = LeaseRequest(machine=self._machine(), held=tuple(self._idle()))
                answer, task, until = await self.server.lease(request)
                self._put_aside(answer.abandon)
                if task is not None:
                    await self._job(task, until).give_back()
                    pauses.reset()
                    continue
                wait = answer.wait_seconds
            except (Unavailable, Denied, LeaseLost) as error:
                wait = pauses.next()
                log.warning("not given back yet", pause_seconds=round(wait, 1), reason=str(error))
            await self._pause(wait)

    async def _ask(self) -> float:
        """Ask for work once; the seconds until the next time."""
        self._bury()
        self._put_unreadable_aside()
        await self._settle_ended()
        machine = self._machine()
        free = self.limits.slots - len(machine.jobs)
        request = LeaseRequest(
            machine=machine,
            free_slots=0 if machine.trouble else max(free, 0),
            held=tuple(self._idle()) if free > 0 else (),
        )
        answer, task, until = await self.server.lease(request)
        self._put_aside(answer.abandon)
        if task is None:
            log.debug("no work", reason=answer.reason)
            return answer.wait_seconds
        if task.job not in self._running:
            self._begin(task, until)
        return 0.0

    def _begin(self, task: TaskOrder, until: Moment) -> None:
        folder = self.work.of(task.job)
        if not task.resume and folder.root.exists():
            self._put_one_aside(task.job, "the job begins anew")  # not ours to mix in
        folder.take(task)
        log.info("job taken", job=task.job, attempt=task.attempt, resumed=task.resume)
        job = self._job(task, until)
        life = asyncio.create_task(job.run(), name=f"job {task.job}")
        life.add_done_callback(lambda _: self._stirred.set())
        self._running[task.job] = _Running(job, life)

    def _job(self, task: TaskOrder, until: Moment) -> Job:
        return Job(self.server, self.work, task, until, self.limits)

    def _bury(self) -> None:
        """Forget the jobs that have ended. One that met a fault is not asked for again at once."""
        for number, running in list(self._running.items()):
            if not running.life.done():
                continue
            del self._running[number]
            life = running.life
            if error := asyncio.CancelledError() if life.cancelled() else life.exception():
                self._note_fault(number, error)
            else:
                self._faults.pop(number, None)

    def _note_fault(self, number: int, error: BaseException) -> None:
        """Whatever it was: a fault at one job must not end the others."""
        fault = self._faults.setdefault(number, _Fault())
        pause = fault.pauses.next()
        fault.until = time.monotonic() + pause
        known = isinstance(error, ArmariumError | OSError)  # the server, or the disk: no fault of ours
        log.error(
            "job left; the folder is kept",
            job=number,
            reason=f"{type(error).__name__}: {error}",
            pause_seconds=round(pause),
            exc_info=None if known else error,
        )

    async def _settle_ended(self) -> None:
        """Learn of ends that were told, and perhaps accepted, what became of them."""
        self._unsettled.clear()
        for held in self._idle():
            try:
                await tell_again(self.server, self.work, held)
            except Unavailable as error:
                self._unsettled.add(held.job)
                log.warning("end not told yet", job=held.job, reason=str(error))

    def _at_work(self) -> list[int]:
        """Jobs that are ours, also those left alone just now: unnamed, the server would give them anew."""
        resting = {number for number, fault in self._faults.items() if fault.rests}
        return sorted({*self._running, *resting, *self._unsettled})

    def _idle(self) -> list[Held]:
        at_work = self._at_work()
        return [held for held in self.work.held() if held.job not in at_work]

    def _machine(self) -> Machine:
        limits = self.limits
        return described(
            self.work, slots=limits.slots, jobs=self._at_work(), min_free_bytes=limits.min_free_bytes
        )

    def _put_unreadable_aside(self) -> None:
        for job in self.work.unreadable():
            self._put_one_aside(job, "its task.json cannot be read")

    def _put_aside(self, abandoned: Iterable[Held]) -> None:
        for held in abandoned:
            self._put_one_aside(held.job, "another has the job now, or it has ended")

    def _put_one_aside(self, job: int, reason: str) -> None:
        if job in self._running:
            return
        self._faults.pop(job, None)
        if aside := self.work.put_aside(job):
            log.warning("folder put aside", job=job, folder=str(aside), reason=reason)

    async def _pause(self, seconds: float) -> None:
        """Until it is time, or a job ends."""
        self._stirred.clear()
        if any(running.life.done() for running in self._running.values()):
            return
        try:
            async with asyncio.timeout(max(seconds, SHORTEST_WAIT)):
                await self._stirred.wait()
        except TimeoutError:
            pass

    async def _end_jobs(self) -> None:
        lives = [running.life for running in self._running.values()]
        for running in self._running.values():
            running.job.interrupt()
        if lives:
            _, late = await asyncio.wait(lives, timeout=LAST_WAIT)
            for life in late:
                life.cancel()
            await asyncio.gather(*lives, return_exceptions=True)
