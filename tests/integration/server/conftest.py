"""Real supervisors with real children, each child with its own manners, watched from outside."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import forked

SUPERVISOR = """
import json, sys
from pathlib import Path
from armarium.core.errors import ArmariumError
from armarium.logs import configure
from armarium.logs.settings import LogSettings
from armarium.server.child import ChildSpec, Timing
from armarium.server.claim import claimed
from armarium.server.supervisor import Supervisor
from armarium.settings import load

folder, children, timing, troublesome = Path(sys.argv[1]), *map(json.loads, sys.argv[2:])
configure(load([LogSettings], home=folder / "home", environ={}), process="supervisor")

def note(what):
    def callback(*facts):
        with open(folder / "events", "a") as events:
            events.write(json.dumps([what, *facts]) + "\\n")
        if troublesome:
            raise RuntimeError("a callback that fails")
    return callback

specs = [ChildSpec(name, command=tuple(command)) for name, command in children.items()]
try:
    with claimed(folder / "home") as claim:
        Supervisor(
            specs, claim=claim, on_ready=note("ready"), on_crash=note("crash"), timing=Timing(**timing)
        ).run()
except ArmariumError as error:
    (folder / "error").write_text(f"{type(error).__name__}: {error}")
    sys.exit(1)
"""

CHILD = """
import os, signal, subprocess, sys, time
from pathlib import Path
from armarium.server.supervised import EX_CONFIG, adopt

supervised = adopt()
folder, manners = Path(sys.argv[1]), sys.argv[2]
births = folder / f"{supervised.name}.births"
first = not births.exists()

def end(*_):
    (folder / f"{supervised.name}.drained").touch()
    sys.exit(0)

signal.signal(signal.SIGTERM, signal.SIG_IGN if manners == "deaf" else end)
if manners == "parent":
    grandchild = subprocess.Popen(["sleep", "600"])
    (folder / "grandchild").write_text(str(grandchild.pid))
with births.open("a") as file:
    file.write(f"{os.getpid()} {time.time()} {supervised.restarts}\\n")
if manners == "hopeless" or (manners == "spoilt" and not first):
    supervised.failed("The port 80 is taken. Choose another.")
    sys.exit(EX_CONFIG)
if manners == "crashing":
    sys.exit(3)
supervised.ready(f"http://127.0.0.1/{supervised.name}")
if manners == "spoilt":
    sys.exit(1)
while True:
    time.sleep(0.2)  # a signal that another thread takes does not interrupt a sleep
"""


@dataclass(frozen=True)
class Birth:
    pid: int
    time: float
    restarts: int


def until(condition: Callable[[], Any], *, within: float = 60.0) -> Any:
    """Wait for a condition; what it gives is the answer."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {within} s"
        time.sleep(0.02)
    return found


def lives(pid: int) -> bool:
    """Whether a process does something: what nobody has reaped yet is dead."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class House:
    """A data folder, the supervisors that were started on it, and what their children wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self._children: dict[str, list[str]] = {}
        self._supervisors: list[subprocess.Popen[bytes]] = []
        self._timing: dict[str, float] = {}
        (folder / "supervisor.py").write_text(SUPERVISOR)
        (folder / "child.py").write_text(CHILD)

    def with_child(self, name: str, manners: str = "obedient") -> "House":
        return self.with_command(
            name, sys.executable, str(self.folder / "child.py"), str(self.folder), manners
        )

    def with_command(self, name: str, *command: str) -> "House":
        self._children[name] = list(command)
        return self

    def with_timing(self, **timing: float) -> "House":
        self._timing = timing
        return self

    def start(self, *, troublesome_callbacks: bool = False) -> subprocess.Popen[bytes]:
        arguments = map(json.dumps, (self._children, self._timing, troublesome_callbacks))
        with (self.folder / "log").open("ab") as log:
            supervisor = forked.Popen(
                [sys.executable, self.folder / "supervisor.py", self.folder, *arguments], stderr=log
            )
        self._supervisors.append(supervisor)
        return supervisor

    def births(self, name: str) -> list[Birth]:
        path = self.folder / f"{name}.births"
        lines = path.read_text().splitlines() if path.exists() else []
        return [Birth(int(pid), float(at), int(n)) for pid, at, n in (line.split() for line in lines)]

    def newest(self, name: str) -> int:
        return self.births(name)[-1].pid

    def events(self, what: str) -> list[list[Any]]:
        path = self.folder / "events"
        lines = path.read_text().splitlines() if path.exists() else []
        return [facts for kind, *facts in map(json.loads, lines) if kind == what]

    def wait_ready(self, *names: str) -> None:
        until(lambda: set(names) <= {name for name, _ in self.events("ready")})

    def error(self) -> str:
        return (self.folder / "error").read_text()

    def drained(self, name: str) -> bool:
        return (self.folder / f"{name}.drained").exists()

    def pids(self) -> list[int]:
        return [birth.pid for path in self.folder.glob("*.births") for birth in self.births(path.stem)]

    def living(self) -> list[int]:
        """Children that live, also those that have not written anything yet."""
        script = str(self.folder / "child.py")
        started = psutil.process_iter(["cmdline"])
        return [p.pid for p in started if script in (p.info["cmdline"] or ())[:2] and lives(p.pid)]

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def clean_up(self) -> None:
        for supervisor in self._supervisors:
            supervisor.kill()
            supervisor.wait()
        for pid in self.living():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.clean_up()
