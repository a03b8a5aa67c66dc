"""A queue on a real database, with real processes that work on it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from armarium.db.database import Database
from armarium.tasks.model import TaskState
from armarium.tasks.service import Tasks
from tests import forked
from tests.integration.tasks.workshop import HERE, PATIENCE, PERIODIC, Diary


@dataclass
class Workshop:
    database: Database
    tasks: Tasks
    diary: Diary
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def defer(self, name: str, **arguments: object) -> int:
        with self.database.transaction() as connection:
            task_id = self.tasks.defer(connection, name, arguments)
        assert task_id is not None
        return task_id

    def start(self, role: str) -> subprocess.Popen[bytes]:
        process = forked.Popen([sys.executable, str(HERE), role, self.database.url], env=dict(os.environ))
        self.processes.append(process)
        return process

    def state(self, task_id: int) -> TaskState:
        return self.tasks.get(task_id).task.state

    def wait_for(self, what: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE.total_seconds()
        while not what():
            assert time.monotonic() < until, f"waited in vain; the diary says {self.diary.lines()}"
            time.sleep(0.05)

    def wait_for_line(self, line: str) -> None:
        self.wait_for(lambda: line in self.diary.lines())

    def wait_for_state(self, task_id: int, state: TaskState) -> None:
        self.wait_for(lambda: self.state(task_id) is state)


def open_workshop(database: Database) -> Iterator[Workshop]:
    diary = Diary(database)
    diary.prepare()
    workshop = Workshop(database, Tasks(database, PERIODIC), diary)
    yield workshop
    for process in workshop.processes:
        process.kill()
        process.wait()


@pytest.fixture
def workshop(database: Database) -> Iterator[Workshop]:
    yield from open_workshop(database)
