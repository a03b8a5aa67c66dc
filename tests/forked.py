"""Children of tests, forked from a process that has the code: to import it takes a child up to two seconds.

`forked.Popen` and `forked.run` are those of `subprocess`, for commands that begin with our own Python. The
process that forks is started once by each process that runs tests, and ends with it. What it forks is a child
of the tests and not its own (CLONE_PARENT), so that waiting, killing and counting are as ever. Where
a fork cannot give what is asked for, or the machine is of another kind, a new process is started as usual.

A test about imports, memory or the start of a process takes `subprocess` itself.
"""

import atexit
import ctypes
import json
import os
import platform
import re
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NoReturn

from setproctitle import setproctitle

from armarium.core.late import imported
from armarium.server.forkserver import PRELOADED
from armarium.server.memory import keep_loaded

ROOT = Path(__file__).parents[1]
ALSO_PRELOADED = (
    "armarium.cli.main",
    "armarium.cli.warc",
    "armarium.demo.commands",
    "armarium.harvest.commands",
    "armarium.server.up",
    "bench.testweb.__main__",
    "httpx",
    "psutil",
)
UMASK = re.compile(r"^Umask:\s*([0-7]+)", re.MULTILINE)
LARGEST = 262_144  # bytes of a request
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())  # number of the system call
CLONE_PARENT = 0x8000
# What Python and its libraries read at their start, and what a fork has from its parent.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "OPENSSL_", "UV_")
HARMLESS = {"PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}


class Popen(subprocess.Popen[Any]):
    """Our own Python is forked; anything else is started."""

    def _execute_child(self, *given: Any) -> None:
        args, executable, preexec, _, passed, folder, environment, _, _, shell, *rest = given
        *pipes, _restored, group_id, groups, user, mask, session, group = rest
        pipes_ours = [pipes[at] for at in (0, 3, 5)]
        other = executable or preexec or passed or shell or mask >= 0 or group >= 0
        other = other or any(one is not None for one in (group_id, groups, user))
        environment = dict(os.environ if environment is None else environment)
        if other or not _can_be_forked(args, environment):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        request = {
            "words": [os.fsdecode(word) for word in args],
            "folder": os.path.abspath(folder or "."),  # noqa: PTH100  (as it was said, links and all)
            "environment": environment,
            "session": session,
            "umask": _umask(),
        }
        descriptors = [pipe if pipe >= 0 else number for number, pipe in enumerate(pipes_ours)]
        self.pid = _forker().fork(json.dumps(request).encode(), descriptors)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def start(
    module: str, *words: str, folder: Path, environment: Mapping[str, str], out: IO[Any], err: IO[Any]
) -> Popen:
    """`python -m`, in a session of its own, with this environment and no other."""
    return Popen(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )


def run(
    command: list[Any],
    *,
    input: Any = None,  # noqa: A002  (as there)
    capture_output: bool = False,
    check: bool = False,
    timeout: float = 60,
    **more: Any,
) -> "subprocess.CompletedProcess[Any]":
    """As `subprocess.run`."""
    if input is not None:
        more["stdin"] = subprocess.PIPE
    if capture_output:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(command, **more) as process:
        try:
            output, errors = process.communicate(input, timeout=timeout)
        finally:
            process.kill()
    done = subprocess.CompletedProcess(command, process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done


def _umask() -> int:
    """To ask the system for it is to change it, for all threads."""
    found = UMASK.search(Path("/proc/self/status").read_text())
    assert found
    return int(found[1], 8)


def _can_be_forked(command: Any, environment: Mapping[str, str]) -> bool:
    match command:
        case [sys.executable, "-m" | "-c", _, *_] if CLONE:
            pass
        case [sys.executable, str() | Path() as script, *_] if CLONE and str(script).endswith(".py"):
            pass
        case _:
            return False
    changed = {
        name
        for name in environment.keys() | os.environ.keys()
        if name.startswith(READ_AT_START) and environment.get(name) != os.environ.get(name)
    }
    return changed <= HARMLESS


class Forker:
    """The tests' end of the process that forks."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.forked", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, cwd=ROOT, pass_fds=[theirs.fileno()], start_new_session=True
        )
        theirs.close()
        atexit.register(self.close)

    def fork(self, request: bytes, descriptors: list[int]) -> int:
        socket.send_fds(self._socket, [request], descriptors)
        pid = int(self._socket.recv(LARGEST) or 0)
        assert pid, "the process that forks for the tests has ended; what it said is above"
        return pid

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@cache
def _forker() -> Forker:
    return Forker()


# --- The process that forks.


def _serve(requests: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end this
    for module in (*PRELOADED, *ALSO_PRELOADED):
        import_module(module)
    imported("armarium.server.assembly:import_services")()
    keep_loaded()
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, LARGEST, 3)
        if not request:
            return
        if (pid := _clone()) == 0:
            requests.close()
            _become(json.loads(request), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        requests.send(str(pid).encode())


def _clone() -> int:
    """Fork a child of our parent's. Python is told what `os.fork` would tell it."""
    python = ctypes.pythonapi
    system = ctypes.PyDLL(None)
    python.PyOS_BeforeFork()
    pid = int(system.syscall(CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0))
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return pid


def _become(request: Mapping[str, Any], descriptors: list[int]) -> NoReturn:
    """The process of this command, to its end."""
    words: list[str] = request["words"]
    code = 1
    try:
        _begin(request, descriptors)
        _execute(*words[1:])
        code = 0
    except SystemExit as asked:
        code = _code_of(asked)
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001  (outermost loop: as Python itself ends)
        traceback.print_exc()
    finally:
        _end(code)


def _begin(request: Mapping[str, Any], descriptors: list[int]) -> None:
    # Before the environment, whose old place gives room for the name.
    setproctitle(os.fsencode(" ".join(request["words"])).decode(errors="replace"))
    if request["session"]:
        os.setsid()
    os.umask(request["umask"])
    os.chdir(request["folder"])
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        if descriptor > 2:
            os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = open(0, closefd=False, encoding=sys.stdin.encoding)  # noqa: SIM115
    for name, number in (("stdout", 1), ("stderr", 2)):
        before = getattr(sys, name)
        stream = open(number, "w", encoding=before.encoding, errors=before.errors, closefd=False)  # noqa: SIM115
        stream.reconfigure(write_through=unbuffered, line_buffering=number == 2 or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _execute(first: str, *words: str) -> None:
    sys.path.remove(str(ROOT))
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [folder for folder in given if folder not in sys.path]
    if first == "-m":
        sys.argv[:] = words
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv[:] = ["-c", *words[1:]]
        sys.path.insert(0, "")
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(words[0], "<string>", "exec"), vars(main))
    else:
        sys.argv[:] = [first, *words]
        sys.path.insert(0, str(Path(first).parent))
        runpy.run_path(first, run_name="__main__")


def _code_of(asked: SystemExit) -> int:
    if asked.code is None or isinstance(asked.code, int):
        return asked.code or 0
    print(asked.code, file=sys.stderr)  # noqa: T201
    return 1


def _end(code: int) -> NoReturn:
    """What Python does at its end, but for tidying up a memory that is given back anyway."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        code = 120  # as Python says it
    finally:
        os._exit(code & 0xFF)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
