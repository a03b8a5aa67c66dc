"""One run of one program: how long, how much CPU and how much memory, with all its child processes."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE = 0.25  # seconds between two looks at the memory
GRACE = 10.0  # seconds a program has to end after it was asked to


@dataclass(frozen=True)
class Run:
    wall: float  # seconds
    cpu: float  # seconds, of the program and of all children that it waited for
    memory: int  # bytes, resident, of all its processes at once, at the most
    code: int
    cut: bool  # it was stopped because its time was over
    said: str  # the last line of its output


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None, *, seconds: float
) -> Run:
    """Run it in the folder, for so many seconds at the most."""
    output = folder / "output.txt"
    begun = time.monotonic()
    with output.open("wb") as file:
        program = subprocess.Popen(  # noqa: S603
            command,
            cwd=folder,
            env=dict(os.environ) | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    watch = _Watch(program.pid, seconds)
    watch.start()
    # Not Popen.wait(): only wait4 says what this one program and its children have used.
    _, status, used = os.wait4(program.pid, 0)
    wall = time.monotonic() - begun
    watch.end()
    program.returncode = os.waitstatus_to_exitcode(status)
    lines = output.read_text(errors="replace").strip().splitlines()
    most = max(watch.most, used.ru_maxrss * 1024)
    cpu = used.ru_utime + used.ru_stime
    return Run(wall, cpu, most, program.returncode, watch.cut, lines[-1] if lines else "")


class _Watch(threading.Thread):
    """Looks at a program's memory while it runs, and ends it when its time is over.

    The kernel's own peak is that of the largest process, not of all at once.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.cut = False
        self._pid = pid
        self._until = time.monotonic() + seconds
        self._ended = threading.Event()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        while not self._ended.wait(SAMPLE):
            self.most = max(self.most, _resident(self._pid))
            if time.monotonic() > self._until:
                self.cut = True
                self._stop()
                return

    def _stop(self) -> None:
        for sent, grace in ((signal.SIGTERM, GRACE), (signal.SIGKILL, None)):
            try:
                os.killpg(self._pid, sent)
            except ProcessLookupError:
                return
            if self._ended.wait(grace):
                return


def _resident(pid: int) -> int:
    try:
        first = psutil.Process(pid)
        processes = [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    return sum(map(_of_one, processes))


def _of_one(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
