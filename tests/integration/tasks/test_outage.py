"""The database goes away and comes back; nobody is restarted."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server
from armarium.db.migrate import migrate
from armarium.tasks.model import TaskState
from armarium.tasks.schema import ensure
from tests.integration.tasks.conftest import Workshop, open_workshop


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    places = Places(tmp_path)
    places.make()
    server = Server(places)
    server.ensure()
    yield server
    server.stop()


@pytest.fixture
def workshop(server: Server) -> Iterator[Workshop]:
    database = Database(server.ensure(), application="tests")
    migrate(database, also=[ensure])
    yield from open_workshop(database)
    database.close()


def test_worker_and_scheduler_go_on_after_the_database_was_away(workshop: Workshop, server: Server) -> None:
    scheduler, worker = workshop.start("clock"), workshop.start("worker")
    long = workshop.defer("test.line", text="long", seconds=10)
    workshop.wait_for_line("started long 1")
    server.stop()
    time.sleep(2.5)  # longer than a worker may be silent
    server.ensure()
    workshop.wait_for_state(long, TaskState.FINISHED)
    assert [line for line in workshop.diary.lines() if "long" in line] == ["started long 1", "done long 1"]
    after = len(workshop.diary.lines())
    workshop.wait_for(lambda: len(workshop.diary.lines()) >= after + 2)  # periodic tasks, too
    assert scheduler.poll() is None
    assert worker.poll() is None


def test_a_task_that_ends_while_the_database_is_away_is_acknowledged_later(
    workshop: Workshop, server: Server
) -> None:
    workshop.start("scheduler")
    workshop.start("worker")
    sleepy = workshop.defer("test.sleep", seconds=1)
    workshop.wait_for_state(sleepy, TaskState.RUNNING)
    server.stop()
    time.sleep(2)
    server.ensure()
    workshop.wait_for_state(sleepy, TaskState.FINISHED)
    history = workshop.tasks.get(sleepy)
    assert [event.type for event in history.events] == ["deferred", "started", "succeeded"]


def test_a_task_that_met_no_database_is_run_again_however_seldom_it_may_fail(
    workshop: Workshop, server: Server
) -> None:
    workshop.start("worker")
    task_id = workshop.defer("test.line-once", text="once", seconds=2)
    workshop.wait_for_line("started once 1")
    server.stop()
    time.sleep(3)  # until its last word has met no database
    server.ensure()
    workshop.wait_for_state(task_id, TaskState.FINISHED)
    assert workshop.diary.lines() == ["started once 1", "started once 1", "done once 1"]
    [failure] = workshop.tasks.get(task_id).failures
    assert "database cannot be reached" in failure.error


def test_a_worker_ends_in_time_although_the_database_is_away(workshop: Workshop, server: Server) -> None:
    worker = workshop.start("worker")
    task_id = workshop.defer("test.sleep", seconds=30)
    workshop.wait_for_state(task_id, TaskState.RUNNING)
    server.stop()
    worker.send_signal(signal.SIGTERM)
    asked = time.monotonic()
    worker.wait(60)
    assert time.monotonic() - asked < 25  # 1.5 s of draining, and then it does not wait for the task
    server.ensure()
    workshop.start("scheduler")
    workshop.wait_for_state(task_id, TaskState.WAITING)
