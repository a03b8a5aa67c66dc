"""A connection to PostgreSQL that outlives the server being away.

procrastinate's worker ends at the first failed query: it stops its heartbeats, waits for its tasks and
leaves. In an archive a restart of the database must not cost the hours that a running task has already
worked, so this connector waits for the server instead of failing, and the worker does not notice.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, LiteralString, TypeVar

import psycopg
import structlog
from procrastinate import PsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from armarium.db.database import says_server_is_away

log = structlog.get_logger(__name__)

T = TypeVar("T")

FIRST_PAUSE = 0.1  # seconds
LONGEST_PAUSE = 1.0
# Short, so that nobody sleeps in a pool's own ever longer pauses when the server is back.
WAIT_FOR_CONNECTION = 1.0  # seconds
RECONNECT_ATTEMPTS = 2.0
LINE = {
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}


def conninfo(url: str, application: str) -> str:
    return make_conninfo(url, application_name=application, **LINE)


def make_pool(url: str, application: str, size: int) -> AsyncConnectionPool:
    return AsyncConnectionPool(
        conninfo(url, application),
        min_size=1,
        max_size=size,
        open=False,
        check=AsyncConnectionPool.check_connection,
        name=application,
        timeout=WAIT_FOR_CONNECTION,
        reconnect_timeout=RECONNECT_ATTEMPTS,
    )


def server_is_away(error: BaseException | None) -> bool:
    """Whether the same query may succeed later; also true while a standby is being promoted."""
    if isinstance(error, ConnectorException):
        error = error.__cause__
    if isinstance(error, (psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)):
        return True
    return isinstance(error, psycopg.Error) and says_server_is_away(error)


class PatientConnector(PsycopgConnector):
    """Asks again until the server answers, or until `give_up_at` (of the monotonic clock) has passed.

    A query may have been done although its answer was lost. Whoever asks through this connector must bear
    its being done twice; see `TaskManager` for the two that would not.
    """

    give_up_at: float | None = None
    _away = False  # so that the many who wait at once write one line into the log

    async def patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        pause = FIRST_PAUSE
        while True:
            try:
                answer = await ask()
            except ConnectorException as error:
                if not server_is_away(error) or self._is_out_of_patience():
                    raise
                if not self._away:
                    log.warning("database away, waiting", reason=str(error.__cause__).strip())
                self._away = True
            else:
                if self._away:
                    log.info("database back")
                self._away = False
                return answer
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _is_out_of_patience(self) -> bool:
        return self.give_up_at is not None and time.monotonic() >= self.give_up_at

    async def once(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = await super().execute_query_all_async(query, **arguments)
        return rows

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        ask = super().execute_query_async
        await self.patiently(lambda: ask(query, **arguments))

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
        ask = super().execute_query_one_async
        return await self.patiently(lambda: ask(query, **arguments))

    async def execute_query_all_async(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        return await self.patiently(lambda: self.once(query, **arguments))

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        listen = super().listen_notify
        names = list(channels)
        await self.patiently(lambda: listen(on_notification=on_notification, channels=names))
