"""Connections to PostgreSQL: a pool, transactions, and one answer when the server is away."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from armarium.core.errors import DatabaseAway, Misconfigured
from armarium.core.message import Message, message

STATEMENT_TIMEOUT = timedelta(minutes=10)  # a statement that runs longer has lost its reader long ago
IDLE_IN_TRANSACTION_TIMEOUT = timedelta(minutes=5)  # a transaction left open keeps rows from being cleaned
POOL_TIMEOUT = timedelta(seconds=10)

# What libpq is told where the URL says nothing. Keep-alives find a machine that went away without a word.
CONNECTION_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "client_encoding": "utf8",
}

# SQLSTATEs of PostgreSQL (appendix A of its manual) that say: the server is away, not: the question is wrong.
CONNECTION_EXCEPTIONS = "08"  # the class: the line broke
SERVER_AWAY = {
    "57P01",  # admin_shutdown: terminated by the administrator, or the server is being stopped
    "57P02",  # crash_shutdown: another process of the server crashed
    "57P03",  # cannot_connect_now: starting up, shutting down, in recovery
    "53300",  # too_many_connections
}
OUT_OF_ROOM = {
    "53000",  # insufficient_resources
    "53100",  # disk_full
    "53200",  # out_of_memory
}
#: Of two transactions that wait for each other, or saw each other's rows, PostgreSQL ends one: nothing of it
#: was done, and done again it succeeds.
ENDED_FOR_ANOTHER = {
    "40001",  # serialization_failure
    "40P01",  # deadlock_detected
}
OUT_OF_ROOM_SECONDS = 30.0  # so long after a write that failed for it the database counts as not usable

log = structlog.get_logger(__name__)


class Database:
    """One PostgreSQL database as one process sees it.

    After the server was stopped and started again, the next transaction finds it by itself: every
    connection is tried before it is lent, and one dead connection empties the pool.
    """

    def __init__(self, url: str, *, application: str, pool_size: int = 5) -> None:
        self.url = url
        self._conninfo = _complete(url, application)
        self._engine = create_engine(
            "postgresql+psycopg://",
            hide_parameters=True,  # an error in the log must not repeat a password's hash
            pool_pre_ping=True,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=POOL_TIMEOUT.total_seconds(),
        )
        event.listen(self._engine, "do_connect", self._connect)
        self._away = False
        self._out_of_room_until = 0.0

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction, committed at the end, rolled back by any exception.

        Raises `DatabaseAway` if the server is away. If it went away during the commit, nobody can know
        whether the commit was done: what must not happen twice needs a key that refuses the second time.
        """
        try:
            with self._engine.begin() as connection:
                yield connection
        except PoolExhausted as error:
            raise DatabaseAway(
                message("All database connections of this process are in use. Try again in a moment.")
            ) from error
        except (DBAPIError, psycopg.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if isinstance(cause, psycopg.Error) and cause.sqlstate in ENDED_FOR_ANOTHER:
                log.warning("transaction ended for another", reason=str(cause))
                raise DatabaseAway(
                    message("Somebody else changed the same thing at this moment. Try again.")
                ) from error
            if not isinstance(cause, psycopg.Error) or not says_server_is_away(cause):
                raise
            if cause.sqlstate in OUT_OF_ROOM:
                self._note_out_of_room(cause)
                raise DatabaseAway(_out_of_room()) from error
            self._note_away(cause)
            raise DatabaseAway(_away()) from error
        self._note_present()

    @contextmanager
    def holding(self, lock: int, *, shared: bool = False) -> Iterator[bool]:
        """An advisory lock for work that lasts longer than a transaction may; False: somebody else has it.

        It is on a connection of its own, so it ends with the process, however that ends.
        """
        alone, together = "SELECT pg_try_advisory_lock(%s)", "SELECT pg_try_advisory_lock_shared(%s)"
        try:
            connection = psycopg.connect(self._conninfo, autocommit=True)
            held = connection.execute(together if shared else alone, [lock]).fetchone() == (True,)
        except psycopg.OperationalError as error:
            raise DatabaseAway(_away()) from error
        try:
            yield held
        finally:
            with suppress(psycopg.OperationalError):  # of a closed connection the server hears a moment later
                connection.execute("SELECT pg_advisory_unlock_all()")
            connection.close()

    def check(self) -> None:
        """Ask the server for a sign of life; raises `DatabaseAway` if there is none, or it cannot write."""
        with self.transaction() as connection:
            connection.execute(text("SELECT 1"))
        if time.monotonic() < self._out_of_room_until:
            raise DatabaseAway(_out_of_room())

    def size(self) -> int:
        """Bytes that the database takes on disk."""
        with self.transaction() as connection:
            return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    def close(self) -> None:
        self._engine.dispose()

    def _note_away(self, cause: psycopg.Error) -> None:
        # Once per outage, not once per request. The reason names machines, folders and accounts:
        # it is for the operator's log, not for every page.
        if not self._away:
            self._away = True
            log.warning("database away", reason=str(cause))

    def _note_out_of_room(self, cause: psycopg.Error) -> None:
        now = time.monotonic()
        if now >= self._out_of_room_until:  # not at every write: reading goes on, and so does the site
            log.error("database out of room", reason=str(cause))
        self._out_of_room_until = now + OUT_OF_ROOM_SECONDS

    def _note_present(self) -> None:
        if self._away:
            self._away = False
            log.info("database back")

    def _connect(self, _dialect: Any, _record: Any, _args: Any, extra: dict[str, Any]) -> psycopg.Connection:
        # libpq itself reads the URL, so that whatever `psql URL` accepts is accepted here: SQLAlchemy's
        # own reading of URLs differs for sockets, several hosts and services.
        return psycopg.connect(self._conninfo, **extra)


def says_server_is_away(error: psycopg.Error) -> bool:
    """Whether the same statement may succeed later: the server is away, or has no room for it."""
    if error.sqlstate is not None:
        passing = SERVER_AWAY | OUT_OF_ROOM
        return error.sqlstate in passing or error.sqlstate.startswith(CONNECTION_EXCEPTIONS)
    # Errors without an SQLSTATE are libpq's own: refused, timed out, cut off in mid-answer.
    return isinstance(error, psycopg.OperationalError)


def _away() -> Message:
    return message("The database cannot be reached at the moment. Try again in a minute.")


def _out_of_room() -> Message:
    return message(
        "The database has no room left, on its disk or in its memory, and what you wanted was not done. "
        "Those who run this site must make room; then try again."
    )


def _complete(url: str, application: str) -> str:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Without the cause: libpq quotes the part that it did not understand, often the password.
        raise Misconfigured(
            message(
                "The address of the database (database.url) is not one that PostgreSQL understands. "
                "Write it as postgresql://user:password@host/database, and "
                "write special characters of the password in their percent encoding."
            )
        ) from None
    options = (
        "-c timezone=UTC"
        f" -c statement_timeout={_milliseconds(STATEMENT_TIMEOUT)}"
        f" -c idle_in_transaction_session_timeout={_milliseconds(IDLE_IN_TRANSACTION_TIMEOUT)}"
        f" {given.pop('options', '')}"  # the operator's own come last and win
    )
    return make_conninfo(
        "", **{**CONNECTION_DEFAULTS, "application_name": application, **given, "options": options}
    )


def _milliseconds(duration: timedelta) -> int:
    return int(duration.total_seconds() * 1000)
