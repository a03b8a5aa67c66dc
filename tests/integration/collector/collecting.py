"""`armarium collector` as a process of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import forked
from tests.integration.collector.office import CODE

PATIENCE = 80.0


@dataclass
class CollectorProcess:
    """A machine with a collector, which can be started, killed, and started again."""

    home: Path
    server: str
    options: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def work(self) -> Path:
        return self.home / "work"

    @property
    def log(self) -> str:
        return (self.home / "log").read_text(errors="replace")

    def start(self, *arguments: str) -> None:
        self.home.mkdir(exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")}
        settings = {
            "ARMARIUM_COLLECTOR_SERVER": self.server,
            "ARMARIUM_COLLECTOR_ENROLMENT": CODE,
            "ARMARIUM_COLLECTOR_NAME": "alpha",
            "ARMARIUM_COLLECTOR_MIN_FREE_BYTES": "0",
            **{f"ARMARIUM_COLLECTOR_{name.upper()}": value for name, value in self.options.items()},
        }
        command = [sys.executable, "-m", "armarium", "--home", str(self.home), "collector", *arguments]
        with (self.home / "log").open("ab") as log:
            self.process = forked.Popen(command, env=inherited | settings, stdout=log, stderr=log)

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        assert self.process is not None
        return self.process.wait(seconds)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait()

    def logged(self, job: int) -> int:
        """Lines of the crawl's log: what is committed, and so survives a kill."""
        file = self.work / str(job) / "logs" / "crawl.log"
        return file.read_bytes().count(b"\n") if file.exists() else 0

    def engines(self) -> list[int]:
        """The engines that work in this machine's folders."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if b"armarium.collector.engine" in words and str(self.work).encode() in words:
                    found.append(int(entry.name))
        return found


@contextmanager
def collecting(home: Path, server: str, **options: str) -> Iterator[CollectorProcess]:
    """Started at once, and gone in the end, whatever happened to it."""
    machine = CollectorProcess(home, server, options)
    machine.start()
    try:
        yield machine
    except AssertionError:
        sys.stderr.write(machine.log)
        raise
    finally:
        if machine.process is not None and machine.process.poll() is None:
            machine.send(signal.SIGCONT)
            machine.kill()
        eventually(lambda: not machine.engines())


def eventually(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.05)
