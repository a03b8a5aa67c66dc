"""Processes for tests, forked from one that has imported Armarium: three seconds less for each.

`python -m tests.forks` imports it once, has one thread and no opinion, and forks what it is asked for over a
socket. A fork is what `python -m MODULE ARGUMENTS` would be in this folder, environment and umask: a session
and a name of its own, no descriptors but its output. With a request comes a line on which its process is told
of: first its number, then how it ended and what it cost the processor.

Whoever shows how Python itself starts Armarium uses `subprocess`.
"""

import atexit
import contextlib
import json
import os
import re
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from setproctitle import setproctitle

from armarium.core.late import imported
from armarium.server.forkserver import PRELOADED
from armarium.server.memory import keep_loaded
from tools import test_costs

CHECKOUT = Path(__file__).parents[1]
LARGEST = 262_144  # bytes of a packet
ALSO = (
    "armarium.cli.main",
    "armarium.cli.processes",
    "armarium.cli.warc",
    "armarium.demo.commands",
    "armarium.harvest.commands",
    "armarium.server.up",
    "bench.testweb.__main__",
)
_UMASK = re.compile(r"^Umask:\s*([0-7]+)", re.MULTILINE)


class Forked:
    """A process, with the verbs of `subprocess.Popen`."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._lock = threading.Lock()
        self.returncode: int | None = None
        self.pid = int(_heard(line)["pid"])

    def poll(self) -> int | None:
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._line], [], [], timeout)[0]:
            with self._lock:
                if self.returncode is None:  # another thread may have looked meanwhile
                    told = _heard(self._line)
                    test_costs.add_elsewhere(told["spent"])
                    self.returncode = int(told["code"])
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Process = Forked | subprocess.Popen[bytes]


def start(
    module: str, *arguments: str, folder: Path, environment: Mapping[str, str], out: IO[Any], err: IO[Any]
) -> Forked:
    """`python -m`, with this environment and no other."""
    request = {
        "command": [module, *arguments],
        "folder": str(folder),
        "environment": dict(environment),
        "umask": _umask(),
    }
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        lines = [theirs.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(_server(), [json.dumps(request).encode()], lines)
    return Forked(ours)


def run(
    module: str, *arguments: str, folder: Path, environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """The same to its end, with what it said."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = start(module, *arguments, folder=folder, environment=environment, out=out, err=err)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        said = [_said(file) for file in (out, err)]
    return subprocess.CompletedProcess([module, *arguments], code, *said)


def _said(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _umask() -> int:
    """To ask the system for it is to change it, for all threads."""
    found = _UMASK.search(Path("/proc/self/status").read_text())
    assert found
    return int(found[1], 8)


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            cwd=CHECKOUT,
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _heard(line: socket.socket) -> dict[str, Any]:
    data = line.recv(LARGEST)
    assert data, "the process from which others are forked has ended"
    told: dict[str, Any] = json.loads(data)
    return told


# --- The process from which others are forked.


def main() -> None:
    requests = socket.socket(fileno=os.dup(0))
    for module in (*PRELOADED, *ALSO):
        import_module(module)
    imported("armarium.server.assembly:import_services")()
    keep_loaded()
    if asked := _serve(requests):
        _become(*asked)


def _serve(requests: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Until nobody can ask any more; in each fork what it was asked to be."""
    living: dict[int, tuple[int, int]] = {}  # descriptor of a process → its number, its line
    news = select.poll()
    news.register(requests, select.POLLIN)
    while True:
        for descriptor, _ in news.poll():
            if descriptor in living:
                news.unregister(descriptor)
                _tell_end(*living.pop(descriptor))
                os.close(descriptor)
                continue
            data, lines, _, _ = socket.recv_fds(requests, LARGEST, 3)
            if not data:
                return None
            pid = os.fork()
            if not pid:
                requests.close()
                for other, (_, line) in living.items():
                    os.close(other)
                    os.close(line)
                return json.loads(data), lines
            line, *output = lines
            for one in output:
                os.close(one)
            os.write(line, json.dumps({"pid": pid}).encode())
            watched = os.pidfd_open(pid)
            living[watched] = pid, line
            news.register(watched, select.POLLIN)


def _tell_end(pid: int, line: int) -> None:
    _, status, spent = os.wait4(pid, 0)
    told = {"code": os.waitstatus_to_exitcode(status), "spent": spent.ru_utime + spent.ru_stime}
    with contextlib.suppress(OSError):  # nobody wants to know
        os.write(line, json.dumps(told).encode())
    os.close(line)


def _become(request: Mapping[str, Any], lines: Sequence[int]) -> None:
    module, *arguments = request["command"]
    # Before the environment, whose old place gives room for the name.
    setproctitle(" ".join([sys.executable, "-m", module, *arguments]))
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for place, descriptor in enumerate((nothing, *lines[1:])):
        os.dup2(descriptor, place)
    for descriptor in (nothing, *lines):
        os.close(descriptor)
    os.umask(request["umask"])
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    more = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:1] = [request["folder"], *more]
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
