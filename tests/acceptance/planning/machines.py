"""A crawl machine: a folder, a line to the server, and `armarium collector` as a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psutil

from tests import forked
from tests.acceptance.planning.wires import Wire


@dataclass
class Machine:
    name: str
    folder: Path
    wire: Wire
    environment: Mapping[str, str]
    code: str
    before: Sequence[str] = ()  # what the command is run by, such as nsenter
    process: subprocess.Popen[bytes] | None = None
    frozen: list[psutil.Process] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.folder / self.name

    @property
    def work(self) -> Path:
        return self.home / "work"

    @property
    def log(self) -> str:
        path = self.folder / f"{self.name}.err"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        own = {
            "ARMARIUM_HOME": str(self.home),
            "ARMARIUM_COLLECTOR_SERVER": f"http://127.0.0.1:{self.wire.port}",
            "ARMARIUM_COLLECTOR_NAME": self.name,
            "ARMARIUM_COLLECTOR_MIN_FREE_BYTES": "0",
            "ARMARIUM_COLLECTOR_ENROLMENT": self.code,
            "ARMARIUM_LOGS_FORMAT": "json",
        }
        environment = {**os.environ, **self.environment, **own}
        with (self.folder / f"{self.name}.err").open("ab") as log:
            self.process = self._started(environment, log)

    def _started(self, environment: Mapping[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
        if not self.before:
            return forked.start(
                "armarium", "collector", folder=self.folder, environment=environment, out=log, err=log
            )
        return subprocess.Popen(
            [*self.before, sys.executable, "-m", "armarium", "collector"],
            env=environment,
            stdout=log,
            stderr=log,
            cwd=self.folder,
            start_new_session=True,
        )

    def engines(self) -> list[psutil.Process]:
        """The crawls under way."""
        if self.process is None:
            return []
        with suppress(psutil.Error):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def kill(self) -> None:
        """As the power goes off for the collector; its engines notice by themselves."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def kill_engines(self) -> None:
        for engine in self.engines():
            with suppress(psutil.Error):
                engine.kill()

    def freeze(self, *, collector: bool = True, engines: bool = True) -> None:
        chosen = self.engines() if engines else []
        if collector and self.runs and self.process is not None:
            chosen.append(psutil.Process(self.process.pid))
        for process in chosen:
            with suppress(psutil.Error):
                process.suspend()
                self.frozen.append(process)

    def thaw(self) -> None:
        for process in self.frozen:
            with suppress(psutil.Error):
                process.resume()
        self.frozen.clear()

    def ask_to_end(self) -> None:
        if self.runs and self.process is not None:
            self.process.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """For good, with everything that it started."""
        self.thaw()
        engines = self.engines()
        self.ask_to_end()
        if self.process is not None:
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        for engine in engines:
            with suppress(psutil.Error):
                engine.kill()
