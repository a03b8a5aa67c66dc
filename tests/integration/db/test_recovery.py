"""Transactions go on after the server was stopped, started, or killed."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server


def test_transactions_recover_after_the_server_was_stopped_and_started(home: Path) -> None:
    server = Server(Places(home))
    with running(home) as url:
        database = Database(url, application="tests")
        for _ in range(2):
            database.check()
            server.stop()
            with pytest.raises(Unavailable):
                database.check()
            assert server.ensure() == url
            database.check()
        database.close()


def test_what_was_committed_under_load_survives_a_killed_server(
    home: Path, kill_server: Callable[[], None]
) -> None:
    """Writers go on while the server is killed twice; it comes back by itself and lost nothing."""
    with running(home) as url:
        database = Database(url, application="tests")
        with database.transaction() as connection:
            connection.execute(text("CREATE TABLE kept (number int)"))
        committed: list[int] = []
        enough = threading.Event()

        def write() -> None:
            number = 0
            while not enough.is_set():
                number += 1
                try:
                    with database.transaction() as connection:
                        connection.execute(text("INSERT INTO kept VALUES (:number)"), {"number": number})
                except Unavailable:
                    enough.wait(0.05)
                else:
                    committed.append(number)

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        for _ in range(2):
            seen = len(committed)
            kill_server()
            _wait_until(lambda seen=seen: len(committed) > seen + 50)  # type: ignore[misc]
        enough.set()
        writer.join()
        with database.transaction() as connection:
            kept = set(connection.execute(text("SELECT number FROM kept")).scalars())
        database.close()
        assert set(committed) <= kept


def _wait_until(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(300):
        if condition():
            return
        waiting.wait(0.1)
    raise AssertionError("it did not happen within 30 seconds")
