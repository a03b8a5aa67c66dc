"""`armarium demo` as somebody runs it, in a folder of the test's own."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from armarium.demo.folder import DemoFolder, DemoState, Facts
from armarium.server.assembly import SECTIONS, House, opened
from armarium.settings import load
from armarium.settings.section import HOME
from tests import forked
from tests.acceptance.house.conftest import free_port

PATIENCE = 600.0  # seconds for a whole demonstration, on a machine that has other things to do


@dataclass
class Demonstration:
    """`home`: that of the archive, which must stay as it is."""

    home: Path
    started: list[forked.Popen] = field(default_factory=list)
    ports: tuple[int, ...] = field(default_factory=lambda: tuple(free_port() for _ in range(3)))

    @property
    def folder(self) -> DemoFolder:
        return DemoFolder.beside(self.home, {})

    @property
    def facts(self) -> Facts:
        found = self.folder.facts()
        assert found is not None
        return found

    def is_(self, state: DemoState) -> bool:
        return self.facts.state is state

    @property
    def output(self) -> str:
        return self._out.read_text()

    @property
    def _out(self) -> Path:
        return self.home.with_name("out")

    def begin(self, *options: str) -> forked.Popen:
        self._out.write_bytes(b"")
        staff, readers, web = map(str, self.ports)
        ports = (
            () if "--clean" in options else ("--port", staff, "--readers-port", readers, "--web-port", web)
        )
        environment = {**os.environ, HOME: str(self.home)}
        with self._out.open("ab") as out:
            command = ("armarium", "demo", "--no-open", *ports, *options)
            process = forked.start(
                *command, folder=self.home.parent, environment=environment, out=out, err=out
            )
        self.started.append(process)
        return process

    def run(self, *options: str) -> int:
        return self.begin(*options).wait(PATIENCE)

    def wait(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, self.output
            assert self.started[-1].poll() is None, self.output
            time.sleep(0.1)

    def processes(self) -> list[psutil.Process]:
        """All that the last one started, the house and its children."""
        with suppress(psutil.NoSuchProcess):
            return psutil.Process(self.started[-1].pid).children(recursive=True)
        return []

    @contextmanager
    def visit(self) -> Iterator[House]:
        """The house when its processes have ended."""
        settings = load(SECTIONS, environ={HOME: str(self.folder.path)})
        with opened(settings, application="test", prepare=False) as house:
            yield house

    def end(self) -> None:
        """Whatever is left."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(60)
                process.kill()
                process.wait()
        if self.folder.path.exists():
            assert self.run("--clean") == 0, self.output


@contextmanager
def demonstration(folder: Path) -> Iterator[Demonstration]:
    home = folder / "data"
    there = Demonstration(home)
    try:
        yield there
    finally:
        there.end()
