"""The loop of a collector: with a free slot it asks for work, and sees each job through."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from armarium.collector.job import Fate, Job, Limits
from armarium.collector.job_folder import Work
from armarium.collector.lease import LeaseLost, Moment
from armarium.collector.machine import described
from armarium.collector.patience import Pauses
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
class Collector:
    server: Server
    work: Work
    limits: Limits
    _running: dict[int, _Running] = field(default_factory=dict)
    _stirred: asyncio.Event = field(default_factory=asyncio.Event)
    _after_faults: Pauses = field(default_factory=lambda: Pauses(first=10.0, longest=600.0))
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
        while held := self.work.held():
            try:
                request = LeaseRequest(machine=self._machine(), held=tuple(held))
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
        await self._bury()
        machine = self._machine()
        free = self.limits.slots - len(self._running)
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
            self._put_aside([Held(job=task.job, attempt=0)])  # of a job that begins anew: not ours to mix in
        folder.take(task)
        log.info("job taken", job=task.job, attempt=task.attempt, resumed=task.resume)
        job = self._job(task, until)
        life = asyncio.create_task(job.run(), name=f"job {task.job}")
        life.add_done_callback(lambda _: self._stirred.set())
        self._running[task.job] = _Running(job, life)

    def _job(self, task: TaskOrder, until: Moment) -> Job:
        return Job(self.server, self.work, task, until, self.limits)

    async def _bury(self) -> None:
        """Forget the jobs that have ended. One that met a fault is not asked for again at once."""
        for number, running in list(self._running.items()):
            if not running.life.done():
                continue
            del self._running[number]
            try:
                running.life.result()
                self._after_faults.reset()
            except (ArmariumError, OSError) as error:
                pause = self._after_faults.next()
                log.error(  # noqa: TRY400  (the disk, or the server: no fault of ours)
                    "job left; the folder is kept", job=number, reason=str(error), pause_seconds=round(pause)
                )
                await self._pause(pause)

    def _idle(self) -> list[Held]:
        return [held for held in self.work.held() if held.job not in self._running]

    def _machine(self) -> Machine:
        limits = self.limits
        return described(
            self.work, slots=limits.slots, jobs=self._running, min_free_bytes=limits.min_free_bytes
        )

    def _put_aside(self, abandoned: Iterable[Held]) -> None:
        for held in abandoned:
            if held.job in self._running:
                continue
            if aside := self.work.put_aside(held.job):
                log.warning("folder put aside: another has the job now", job=held.job, folder=str(aside))

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
