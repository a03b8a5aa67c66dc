"""The heartbeat thread: with a database, without one, and with one that comes and goes."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text

from armarium.core.errors import Misconfigured
from armarium.db.database import Database
from armarium.processes.heartbeat import Heartbeat, disk_of
from armarium.processes.model import Introduction, Process, ProcessState
from armarium.processes.service import Processes

WORKER = Introduction(
    kind="worker",
    name="worker-1",
    machine="cellar",
    pid=os.getpid(),
    version="0.1.0",
    interval=timedelta(seconds=0.1),
)


def until(condition: Callable[[], object], within: float = 60.0) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class View:
    """What the system page would show."""

    def __init__(self, database: Database) -> None:
        self._processes = Processes(database)

    def one(self) -> Process | None:
        return next(iter(self._processes.current()), None)

    def shows(self, state: ProcessState, message: str) -> bool:
        process = self.one()
        return process is not None and (process.state, process.message) == (state, message)


def test_a_process_is_seen_from_its_start_to_its_end(database: Database, tmp_path: Path) -> None:
    view = View(database)

    with Heartbeat(Processes(database), WORKER, tmp_path) as heartbeat:
        until(lambda: view.shows(ProcessState.STARTING, ""))
        heartbeat.running("Waiting for tasks.")
        until(lambda: view.shows(ProcessState.RUNNING, "Waiting for tasks."))
        heartbeat.say("Indexing.")
        until(lambda: view.shows(ProcessState.RUNNING, "Indexing."))
        heartbeat.draining("Ending the last task.")
        until(lambda: view.shows(ProcessState.DRAINING, "Ending the last task."))

    process = view.one()
    assert process is not None
    assert process.state is ProcessState.ENDED
    assert process.memory is not None
    assert process.memory > 1_000_000
    assert process.disk_total is not None


def test_an_error_that_ends_a_process_is_its_last_message(database: Database, tmp_path: Path) -> None:
    view = View(database)

    def run() -> None:
        with Heartbeat(Processes(database), WORKER, tmp_path):
            until(lambda: view.one() is not None)
            raise Misconfigured("No channel is set.")

    with pytest.raises(Misconfigured):
        run()

    assert view.shows(ProcessState.ENDED, "No channel is set.")


def test_a_message_with_characters_that_the_database_refuses_does_not_stop_the_heartbeat(
    database: Database, tmp_path: Path
) -> None:
    view = View(database)

    with Heartbeat(Processes(database), WORKER, tmp_path) as heartbeat:
        heartbeat.running("a\0b\udc80")

        until(lambda: view.shows(ProcessState.RUNNING, "ab\\udc80"))


def test_a_process_that_was_forgotten_registers_anew(database: Database, tmp_path: Path) -> None:
    view = View(database)

    with Heartbeat(Processes(database), WORKER, tmp_path):
        until(lambda: view.one() is not None)
        before = view.one()
        with database.transaction() as connection:
            connection.execute(text("DELETE FROM process"))

        until(lambda: view.one() is not None)
        assert view.one() != before


def test_the_heartbeat_goes_on_after_the_database_was_away(
    database: Database, database_url: str, server_url: str, tmp_path: Path
) -> None:
    view = View(database)
    name = psycopg.conninfo.conninfo_to_dict(database_url)["dbname"]
    beating = Database(database_url, application="beating")

    def allow_connections(allowed: bool) -> None:
        with psycopg.connect(server_url, autocommit=True) as server:
            server.execute(
                sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(
                    sql.Identifier(str(name)), sql.Literal(allowed)
                )
            )
            if not allowed:
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
                )

    with Heartbeat(Processes(beating), WORKER, tmp_path) as heartbeat:
        until(lambda: view.one() is not None)
        allow_connections(False)
        heartbeat.running("Still here.")
        time.sleep(0.5)  # several beats that cannot be written
        allow_connections(True)

        until(lambda: view.shows(ProcessState.RUNNING, "Still here."))
    beating.close()


def test_a_process_whose_database_was_never_there_starts_and_ends_all_the_same(tmp_path: Path) -> None:
    nowhere = Processes(Database(f"postgresql:///x?host={tmp_path}", application="tests"))

    began = time.monotonic()
    with Heartbeat(nowhere, WORKER, tmp_path) as heartbeat:
        heartbeat.running()

    assert time.monotonic() - began < 30  # and not as long as it would wait for a database


def test_a_folder_that_is_gone_has_no_disk(tmp_path: Path) -> None:
    assert disk_of(tmp_path / "gone") == (None, None)
