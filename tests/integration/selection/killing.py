"""A worker that a test kills in the midst of its work, at a place where the database lets it wait."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.database import Database
from tests import forked
from tests.site import wait_until

PATIENCE = 60.0
IN_THE_WAY = "in the way"
WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity AS one JOIN pg_stat_activity AS other "
    "ON other.pid = ANY (pg_blocking_pids(one.pid)) "
    f"WHERE one.datname = current_database() AND other.application_name LIKE '%{IN_THE_WAY}%'"
)
OTHERS = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'"
)


def kill_a_worker(database: Database, home: Path, stand_in_the_way: Callable[[Connection], object]) -> None:
    """Start one, wait until it waits for what somebody else has and does not give, and kill it."""
    other = Database(database.url, application=IN_THE_WAY)
    try:
        with other.transaction() as connection:
            stand_in_the_way(connection)
            with worker(database, home) as process:
                wait_until(lambda: asked(database, WAITING), PATIENCE)
                process.send_signal(signal.SIGKILL)
                process.wait()
            connection.rollback()
    finally:
        other.close()
    wait_until(lambda: not asked(database, OTHERS), PATIENCE)  # PostgreSQL has noticed that it is gone


@contextmanager
def worker(database: Database, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        **os.environ,
        "ARMARIUM_HOME": str(home),
        "ARMARIUM_DATABASE_URL": database.url,
    }
    with (home / "worker.log").open("wb") as log:
        process = forked.Popen(
            [sys.executable, "-m", "armarium", "worker"], env=environment, stdout=log, stderr=log
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def asked(database: Database, question: sa.TextClause) -> bool:
    with database.transaction() as connection:
        return bool(connection.scalar(question))
