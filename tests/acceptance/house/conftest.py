"""The whole house as processes, as a user starts it."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from tests import forked

PATIENCE = 60.0
START = 100.0  # all processes at once import all there is

DIARY = '''
"""A notification channel as a plug-in: writes down every run, its end, and two runs at the same time."""

import fcntl
import os
import time
from pathlib import Path

from armarium.notify.model import ChannelKind


class Diary:
    def __init__(self, settings, translate):
        self.folder = Path(os.environ["DIARY"])

    def send(self, sent):
        # The kernel lets go of the lock when whoever holds it ends or is killed, and not before.
        with open(self.folder / f"{sent.id}.held", "a") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.mark(sent, "twice")
            self.mark(sent, "begun")
            time.sleep(float(os.environ["DIARY_SECONDS"]))
            self.mark(sent, "done")

    def mark(self, sent, what):
        with open(self.folder / f"{sent.id}.{what}", "a") as marks:
            marks.write("x")


KIND = ChannelKind("diary", Diary)
'''


@dataclass
class LivingHouse:
    home: Path
    folder: Path
    environment: Mapping[str, str]
    address: str
    anew: bool = False  # whether Python is started for each process, as people do
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def output(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def log(self) -> str:
        return (self.folder / "err").read_text()

    def up(self) -> subprocess.Popen[bytes]:
        """Start everything, as `./run` does."""
        return self.start("up")

    def start(self, process: str) -> subprocess.Popen[bytes]:
        with (self.folder / "out").open("ab") as out, (self.folder / "err").open("ab") as err:
            started = self._started(process, out, err)
        self.started.append(started)
        return started

    def _started(self, process: str, out: IO[bytes], err: IO[bytes]) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **self.environment}
        if not self.anew:
            return forked.start(
                "armarium", process, folder=self.folder, environment=environment, out=out, err=err
            )
        return subprocess.Popen(
            [sys.executable, "-m", "armarium", process],
            env=environment,
            stdout=out,
            stderr=err,
            cwd=self.folder,
            start_new_session=True,
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return forked.run(
            [sys.executable, "-m", "armarium", *arguments],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def listed(self, *command: str) -> list[dict[str, Any]]:
        answer = self.command(*command, "--json")
        assert answer.returncode == 0, answer.stderr
        found: list[dict[str, Any]] = json.loads(answer.stdout)
        return found

    def link(self) -> str:
        self.wait(lambda: "/welcome/" in self.output, START)
        return str(re.findall(r"http://\S+/welcome/\S+", self.output)[-1])

    def processes(self) -> dict[str, psutil.Process]:
        """Everything that lives and belongs to this house, by name."""
        found = {}
        for process in psutil.process_iter():
            try:
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                name = self._name_of(process)
            except psutil.Error:
                continue
            if name:
                found[name] = process
        return found

    def _name_of(self, process: psutil.Process) -> str | None:
        command = " ".join(process.cmdline()).split()  # a process that names itself has one word with blanks
        if "-m" in command and "armarium" in command:
            if process.cwd() == str(self.folder):
                name = str(command[command.index("armarium") + 1])
                return f"{name}-{process.pid}" if name == "worker" else name
        elif command and command[0].endswith("/postgres") and str(self.home) in " ".join(command):
            return "postgres"
        return None

    def wait(self, condition: Callable[[], object], patience: float = PATIENCE) -> None:
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, f"waited too long\n{self.log[-5000:]}"
            time.sleep(0.1)

    def wait_a_moment(self, seconds: float) -> None:
        time.sleep(seconds)

    def kill(self, *processes: psutil.Process) -> None:
        for process in processes:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue

    def end(self) -> None:
        for started in self.started:
            if started.poll() is None:
                started.send_signal(signal.SIGTERM)
        for started in self.started:
            try:
                started.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                started.kill()
        self.kill(*self.processes().values())


def free_port() -> int:
    """Below those that the kernel gives to outgoing connections, which would take it from us."""
    while True:
        port = random.randrange(20_000, 32_000)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


@pytest.fixture
def house(tmp_path: Path) -> Iterator[LivingHouse]:
    with house_in(tmp_path) as living:
        yield living


@contextmanager
def house_in(folder: Path, **more: str) -> Iterator[LivingHouse]:
    """A house with a plug-in whose tasks take a second, and impatient heartbeats."""
    plugin = folder / "plug in"
    described = plugin / "diary-1.0.dist-info"
    described.mkdir(parents=True)
    (plugin / "diary.py").write_text(DIARY)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: diary\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[armarium.notify]\ndiary = diary:KIND\n")
    diary = folder / "diary"
    diary.mkdir()
    home, port = folder / "a home", free_port()
    environment = {
        "ARMARIUM_HOME": str(home),
        "ARMARIUM_WEB_PORT": str(port),
        "ARMARIUM_ACCESS_PORT": str(free_port()),
        "ARMARIUM_LOGS_FORMAT": "json",
        "ARMARIUM_NOTIFY_CHANNELS": "log,diary",
        "ARMARIUM_TASKS_HEARTBEAT_SECONDS": "0.5",
        "ARMARIUM_TASKS_STALLED_AFTER_SECONDS": "10",  # a busy machine delays the heartbeats of the living
        "ARMARIUM_PROCESSES_HEARTBEAT_SECONDS": "0.5",
        "PYTHONPATH": str(plugin),
        "DIARY": str(diary),
        "DIARY_SECONDS": "1",
        **more,
    }
    living = LivingHouse(home, folder, environment, f"http://localhost:{port}")
    try:
        yield living
    finally:
        living.end()
