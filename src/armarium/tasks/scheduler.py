"""The scheduler: periodic tasks, rescue of stalled tasks, clearing away.

Several may run; the one that holds an advisory lock of the database leads, the others wait for it. The lock
lives as long as the leader's connection: if its process dies or its line breaks, PostgreSQL lets the next one
in. For a moment two may believe that they lead. That does no harm: a period is deferred once for each moment
(a unique key sees to that), and a task is rescued under its row lock.
"""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import psycopg
import structlog
from procrastinate import PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.periodic import PeriodicDeferrer, PeriodicRegistry, TaskAtTime

from armarium.tasks import upkeep
from armarium.tasks.app import Tell, build_app, unheard
from armarium.tasks.connector import conninfo, make_pool, server_is_away
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.settings import TaskSettings

# --- When periodic tasks are due.


SET_BACK = 60.0  # seconds; a clock that is corrected by less catches up soon enough


class Periods:
    """Names for each period its last moment that has passed, once.

    Moments that were missed (the machine slept, nobody led) are made up for by that one, however long ago it
    was; a kind that never ran is due at once. Whether another scheduler has deferred a moment already, the
    database knows: it takes each one only once.
    """

    def __init__(self, registry: PeriodicRegistry) -> None:
        self._periods = registry.periodic_tasks
        self._named: dict[tuple[str, str], int] = {}  # by kind
        self._latest = 0.0

    def due(self, now: float) -> Iterator[TaskAtTime]:
        if now < self._latest - SET_BACK:
            self._named.clear()  # the clock was ahead, and what is remembered has yet to come
            self._latest = now
        self._latest = max(self._latest, now)
        for key, period in self._periods.items():
            period.croniter.set_current(start_time=now)
            moment = round(period.croniter.get_prev(ret_type=float))
            if moment > self._named.get(key, 0):
                self._named[key] = moment
                yield period, moment


# --- The scheduler: periodic tasks, rescue of stalled tasks, clearing away.


log = structlog.get_logger(__name__)

LEADER_LOCK = 0x61726D_6C656164  # "arm" "lead"
TICK_SECONDS = 1.0
CLEAR_EVERY_SECONDS = 600.0
CLEAR_AGAIN_SECONDS = 1.0  # after a full portion
RECONNECT_SECONDS = 1.0


class Scheduler:
    """One scheduler in one process. `run` returns after `stop`, which may be called from any thread."""

    def __init__(self, url: str, kinds: TaskKinds, settings: TaskSettings, *, tell: Tell = unheard) -> None:
        self._url = url
        self._kinds = kinds
        self._settings = settings
        self._tell = tell
        self._stop = threading.Event()
        self._wake: Callable[[], object] | None = None
        self._woken = asyncio.Event()
        self.leading = False

    def run(self) -> None:
        asyncio.run(self._serve())

    def stop(self) -> None:
        self._stop.set()
        if self._wake is not None:
            self._wake()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        self._wake = partial(loop.call_soon_threadsafe, self._woken.set)
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self.stop)
        try:
            await self._stay()
        finally:
            self._wake = None

    async def _stay(self) -> None:
        away = False
        while not self._stop.is_set():
            try:
                await self._attend()
                away = False
            except (psycopg.Error, ConnectorException) as error:
                if not server_is_away(error):
                    raise
                if not away or self.leading:
                    log.warning("scheduler lost the database, waiting", reason=str(error).strip())
                away = True
            finally:
                self.leading = False
            await self._pause(RECONNECT_SECONDS)

    async def _attend(self) -> None:
        """Live as long as one connection does: wait for the lead, then lead."""
        async with (
            await psycopg.AsyncConnection.connect(
                conninfo(self._url, "armarium scheduler"), autocommit=True
            ) as connection,
            make_pool(self._url, "armarium scheduler", size=1) as pool,
        ):
            duties = Duties(connection, self._settings)
            while not self._stop.is_set() and not await self._takes_the_lead(connection):
                await self._pause(TICK_SECONDS)
            app = build_app(self._kinds, PsycopgConnector())
            await app.open_async(pool)
            deferrer = PeriodicDeferrer(app.periodic_registry)
            # Made anew for each lead: it remembers moments that it has named but failed to defer.
            periods = Periods(app.periodic_registry)
            while not self._stop.is_set():
                await deferrer.defer_jobs(periods.due(time.time()))
                await duties.attend_to()
                await self._pause(TICK_SECONDS)

    async def _takes_the_lead(self, connection: psycopg.AsyncConnection[Any]) -> bool:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [LEADER_LOCK])
        row = await cursor.fetchone()
        self.leading = bool(row and row[0])
        self._tell("Leads." if self.leading else "Stands by: another scheduler leads.")
        if self.leading:
            log.info("scheduler leads")
        return self.leading

    async def _pause(self, seconds: float) -> None:
        if not self._stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)


@dataclass
class Duties:
    """What is due now, among the things that are done every so often."""

    connection: psycopg.AsyncConnection[Any]
    settings: TaskSettings
    awake: float = float("-inf")  # since when we have been looking without a gap; monotonic clock
    seen: datetime | None = None  # when we last looked; clock of the database
    rescued: float = float("-inf")
    clear_at: float = float("-inf")

    async def attend_to(self) -> None:
        now, seen = time.monotonic(), await self._look()
        # While the database is away, or the machine sleeps, nobody can send a heartbeat. Afterwards every
        # living worker gets the time to do so before we believe it dead, or its tasks would run twice.
        if self.seen is None or not self._follows(seen):
            self.awake = now
        self.seen = seen
        believable = now - self.awake >= self.settings.stalled_after_seconds
        if believable and now - self.rescued >= self.settings.heartbeat_seconds:
            self.rescued = now
            # Judged by when we looked: we may have been put to sleep again since.
            for task in await upkeep.rescue(self.connection, self.settings, seen):
                log.warning("task lost its worker", task=task.name, task_id=task.task_id, status=task.status)
        await self._clear(now)

    async def _look(self) -> datetime:
        cursor = await self.connection.execute("SELECT clock_timestamp()")
        row = await cursor.fetchone()
        assert row is not None
        moment: datetime = row[0]
        return moment

    def _follows(self, seen: datetime) -> bool:
        """Whether a tick has passed since we last looked, and not a sleep, nor an hour set back.

        The monotonic clock cannot tell: on Linux it stands still while the machine sleeps.
        """
        assert self.seen is not None
        passed = (seen - self.seen).total_seconds()
        return 0 <= passed <= TICK_SECONDS + self.settings.stalled_after_seconds / 3

    async def _clear(self, now: float) -> None:
        if now >= self.clear_at:
            cleared = await upkeep.clear(self.connection, self.settings)
            full = cleared >= upkeep.CLEARED_AT_ONCE
            self.clear_at = now + (CLEAR_AGAIN_SECONDS if full else CLEAR_EVERY_SECONDS)
            if cleared:
                log.info("old tasks cleared away", tasks=cleared)
