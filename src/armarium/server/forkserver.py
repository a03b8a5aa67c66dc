"""The process that imports the code once and forks the others: they share its memory and start at once.

`armarium up` is this process. It has one thread, no database and no opinion: the supervisor, its first fork,
decides what is started and ended. The two talk over a socket, a packet of JSON at a time:

    supervisor → here   {"name", "restarts", "arguments", "environment"}, with two descriptors for the child:
                        its lifeline and its channel
    here → supervisor   {"forked": pid}: the answer to each request, in order
    here → supervisor   {"ended": pid, "code": exit code, negative for a signal}

Signals are passed on to the supervisor. If one of the two dies, the other ends at once, and the lifelines end
the rest.
"""

import asyncio
import gc
import json
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

from setproctitle import setproctitle

from armarium.core.late import imported
from armarium.server.memory import keep_loaded
from armarium.server.supervised import gift

LARGEST = 262_144  # bytes of a packet
PASSED_ON = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
HEARD = PASSED_ON | {signal.SIGCHLD}

#: What the children of `armarium up` run: all that they have in common is in memory once.
PRELOADED = (
    "armarium.server.web",
    "armarium.server.access",
    "armarium.server.background",
    "armarium.server.task_kinds",
    "armarium.server.schema",
    "armarium.server.collecting",
    "armarium.cli.processes",
)


def serve(supervise: Callable[[socket.socket], None], preloaded: Iterable[str] = PRELOADED) -> NoReturn:
    """Run `supervise` in a process of its own and fork what it asks for, until it ends; exit as it does."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = ForkServer(here)
    keep_loaded()
    with _undisturbed():
        supervisor = os.fork()
        if supervisor:
            there.close()
            server.heed(supervisor)
        else:
            here.close()
            _begin_anew("supervisor")
    if not supervisor:
        supervise(there)
        sys.exit()
    _preload(preloaded)
    server.run()


def _preload(modules: Iterable[str]) -> None:
    gc.disable()
    for module in modules:
        import_module(module)
    imported("armarium.server.assembly:import_services")()
    # A search for garbage writes to all that it looks at, and would leave each child a copy of its own.
    keep_loaded()
    gc.enable()


class ForkServer:
    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._supervisor = 0

    def heed(self, supervisor: int) -> None:
        """Pass signals on to this process from now on, and end with it."""
        self._supervisor = supervisor
        for number in HEARD:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: the terminal may close
                signal.signal(number, self._reap if number == signal.SIGCHLD else self._pass_on)

    def run(self) -> NoReturn:
        """Answer until the supervisor has ended."""
        while True:
            data, descriptors, _, _ = socket.recv_fds(self._requests, LARGEST, 2)
            if not data:  # the supervisor is ending: a signal tells when it has
                signal.pause()
                continue
            with _undisturbed():  # the end of a child is told after its beginning
                self._fork(json.loads(data), descriptors)

    def _fork(self, request: Mapping[str, Any], descriptors: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            self._requests.close()
            _begin_anew(*request["arguments"])
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
            _become(request, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._tell({"forked": pid})

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._supervisor, number)

    def _reap(self, *_: object) -> None:
        with suppress(ChildProcessError):  # none is left
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                code = os.waitstatus_to_exitcode(status)
                if pid == self._supervisor:
                    sys.exit(code if code >= 0 else 128 - code)
                self._tell({"ended": pid, "code": code})

    def _tell(self, words: Mapping[str, int]) -> None:
        with suppress(OSError):  # the supervisor is gone, and so are we in a moment
            self._requests.send(json.dumps(words).encode())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No signal comes between."""
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)


def _begin_anew(*arguments: str) -> None:
    """A fork becomes a process as if it had been started: no signals, terminal and name of its parent's."""
    for number in HEARD:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.setsid()  # Ctrl-C reaches the first process only; a group can be killed whole
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    setproctitle(" ".join([sys.executable, "-m", "armarium", *arguments]))


def _become(request: Mapping[str, Any], lifeline: int, channel: int) -> NoReturn:
    """The command `armarium` with the arguments of the request."""
    words = gift(name=request["name"], restarts=request["restarts"], lifeline=lifeline, channel=channel)
    os.environ.update({**request["environment"], **words})
    sys.argv[1:] = request["arguments"]
    imported("armarium.cli.main:main")()
    sys.exit()


# --- The supervisor's end of the fork server.


@dataclass(frozen=True)
class Forked:
    """A process that was forked; it is the fork server's child, which tells how it ended."""

    pid: int
    ended: asyncio.Future[int]

    async def wait(self) -> int:
        return await self.ended


class Forks:
    def __init__(self, server: socket.socket, *, on_lost: Callable[[], object] = lambda: os._exit(1)) -> None:
        """`on_lost`: nothing can be started or seen ending any more; whoever relies on it begins anew."""
        self._server = server
        self._on_lost = on_lost
        self._asked: deque[asyncio.Future[Forked]] = deque()
        self._living: dict[int, Forked] = {}

    def listen(self) -> None:
        """Hear the answers in the running loop."""
        asyncio.get_running_loop().add_reader(self._server, self._hear)

    async def fork(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        restarts: int,
        descriptors: tuple[int, int],
    ) -> Forked:
        """Start `armarium` with these arguments; `descriptors`: its lifeline and its channel."""
        request = {
            "name": name,
            "restarts": restarts,
            "arguments": list(arguments),
            "environment": dict(environment),
        }
        answer: asyncio.Future[Forked] = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        socket.send_fds(self._server, [json.dumps(request).encode()], descriptors)
        return await asyncio.shield(answer)  # whoever asked may give up; the answer comes in its turn

    def _hear(self) -> None:
        data = self._server.recv(LARGEST)
        if not data:
            asyncio.get_running_loop().remove_reader(self._server)
            self._on_lost()
            return
        match json.loads(data):
            case {"forked": int(pid)}:
                forked = Forked(pid, asyncio.get_running_loop().create_future())
                self._living[pid] = forked
                self._asked.popleft().set_result(forked)
            case {"ended": int(pid), "code": int(code)}:
                self._living.pop(pid).ended.set_result(code)
