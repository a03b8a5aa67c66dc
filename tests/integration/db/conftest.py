"""Data folders and users of embedded servers for the tests of the database."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from armarium.db.embedded import postmaster
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server

USE_UNTIL_TOLD = """
import sys
from pathlib import Path
from armarium.db.embedded import running
with running(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


class User:
    """A process that uses the embedded server until it is told to leave, or killed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-c", USE_UNTIL_TOLD, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def url(self) -> str:
        """Wait until the user has the server's address (its log lines come before)."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("postgresql://"):
                return line.strip()
        raise AssertionError("the process ended before it had a server")

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(60) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder with a space and an accent in its name, on which no server is left behind."""
    folder = tmp_path / "libraire é 1"
    yield folder
    Server(Places(folder)).stop()


@pytest.fixture
def new_user(home: Path) -> Iterator[Callable[[], User]]:
    users: list[User] = []

    def start() -> User:
        users.append(User(home))
        return users[-1]

    yield start
    for user in users:
        user.kill()


@pytest.fixture
def kill_server(home: Path) -> Callable[[], None]:
    def kill() -> None:
        found = postmaster.running(Places(home).data)
        assert found is not None
        os.kill(found.pid, signal.SIGKILL)

    return kill
