"""Who tells the operators that a process hangs, when the workers are what hangs."""

import time
from datetime import timedelta

import psycopg
import pytest
import sqlalchemy as sa

from armarium.administration.upkeep import Watch
from armarium.db.database import Database
from armarium.notify.service import Notifications, Notifier
from armarium.notify.settings import NotifySettings
from armarium.processes.model import Introduction, Pulse
from armarium.processes.service import Processes
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.site import wait_until

SETTINGS = NotifySettings()


def introduction(name: str) -> Introduction:
    return Introduction(name, name, "cellar", 4711, "0.1.0", timedelta(seconds=5))


@pytest.fixture
def processes(database: Database) -> Processes:
    """A scheduler that beats, and a worker that has not for an hour."""
    processes = Processes(database)
    scheduler, _ = processes.register(introduction("scheduler")), processes.register(introduction("worker"))
    with database.transaction() as connection:
        connection.execute(
            sa.text("UPDATE process SET heartbeat = now() - interval '1 hour', steady_since = '2026-01-01'")
        )
        connection.execute(sa.text("UPDATE process SET heartbeat = now() WHERE name = 'scheduler'"))
    processes.beat(scheduler, Pulse())
    return processes


def told(database: Database) -> list[str]:
    found, _ = Notifications(database, SETTINGS, {}).page(limit=9)
    return [str(sent.notification.subject) for sent in found]


def test_the_silence_of_a_process_is_told_once_and_without_a_worker(
    database: Database, processes: Processes, capfd: pytest.CaptureFixture[str]
) -> None:
    notifier = Notifier(Tasks(database, TASK_KINDS), SETTINGS)
    with Watch(database, processes, notifier, every=0.05):
        wait_until(lambda: told(database))
        time.sleep(0.3)
    assert told(database) == ["Process worker on cellar is silent"]
    output = capfd.readouterr()
    assert "process is silent" in output.out + output.err


def test_watching_goes_on_after_the_database_was_away(
    database: Database, database_url: str, processes: Processes
) -> None:
    notifier = Notifier(Tasks(database, TASK_KINDS), SETTINGS)
    with database.transaction() as connection:
        name = connection.scalar(sa.text("SELECT current_database()"))
    with psycopg.connect(database_url, dbname="template1", autocommit=True) as server:
        server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        with Watch(database, processes, notifier, every=0.05):
            time.sleep(0.5)
            server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
            wait_until(lambda: told(database))
    assert told(database) == ["Process worker on cellar is silent"]
