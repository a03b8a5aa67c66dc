"""One supervisor for one data folder: the claim on it, and who holds it."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import structlog

from armarium.core.errors import Misconfigured, Refused
from armarium.core.folders import make_private
from armarium.core.message import Message, message

# --- Which children run, kept in a file, so that the next supervisor can end what the last one left behind.
#
# Children end by themselves when their supervisor dies (the lifeline), except one that cannot act: frozen by
# SIGSTOP or a debugger, or stuck in the kernel.


log = structlog.get_logger(__name__)

# The kernel gives a pid again to somebody else, so a process is known by its pid and the time of its start.
# That time is counted from the boot, whose date wavers by a second when the clock is corrected.
SAME_START = 2.0  # seconds
GRACE = 5.0  # seconds for a leftover to end when asked
STEP = 0.05


class Roll:
    """The file `<home>/run/children.json`: name → pid and time of start of the children that run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._children: dict[str, dict[str, float]] = {}

    def add(self, name: str, pid: int) -> None:
        with suppress(psutil.NoSuchProcess):  # it ended already
            self._children[name] = {"pid": pid, "started": psutil.Process(pid).create_time()}
            self._save()

    def remove(self, name: str) -> None:
        if self._children.pop(name, None) is not None:
            self._save()

    def end_leftovers(self, *, grace: float = GRACE) -> list[str]:
        """End what an earlier supervisor left; their names are the answer. Needs the claim."""
        left = {name: process for name, process in self._leftovers() if _lives(process)}
        for name, process in left.items():
            log.warning("ending a child that an earlier supervisor left", child=name, child_pid=process.pid)
            _signal(name, process, process.terminate)
            _signal(name, process, process.resume)  # a frozen one hears SIGTERM only when it runs again
        if not _all_end(left.values(), grace):
            for name, process in left.items():
                _signal(name, process, partial(_kill_group, process))
            _all_end(left.values(), GRACE)
        self._path.unlink(missing_ok=True)
        return list(left)

    def _leftovers(self) -> Iterator[tuple[str, psutil.Process]]:
        for name, entry in _read(self._path).items():
            with suppress(psutil.NoSuchProcess, KeyError, TypeError, ValueError):
                process = psutil.Process(int(entry["pid"]))
                if abs(process.create_time() - float(entry["started"])) <= SAME_START:
                    yield name, process

    def _save(self) -> None:
        half = self._path.with_suffix(".half")
        try:
            half.unlink(missing_ok=True)
            half.touch(mode=0o600)
            half.write_text(json.dumps(self._children))
            half.replace(self._path)
        except OSError as error:  # a full disk: supervision matters more than the file
            log.warning("list of children cannot be written", file=str(self._path), reason=str(error))


def _read(path: Path) -> Mapping[str, Mapping[str, float]]:
    try:
        children = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("list of children cannot be read; leftovers stay", file=str(path), reason=str(error))
        return {}
    return children if isinstance(children, dict) else {}


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _all_end(processes: Collection[psutil.Process], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(_lives(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(STEP)
    return True


def _kill_group(process: psutil.Process) -> None:
    if _lives(process) and os.getpgid(process.pid) == process.pid:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _signal(name: str, process: psutil.Process, send: Callable[[], None]) -> None:
    try:
        send()
    except (psutil.NoSuchProcess, ProcessLookupError):
        return  # ended meanwhile: what we want
    except (psutil.AccessDenied, PermissionError) as error:
        raise Refused(
            message(
                "The process %(name)s (pid %(pid)s) of an earlier run still lives and belongs to "
                "another user. End it as that user or as root (kill -9 %(pid)s), then start Armarium again.",
                name=name,
                pid=process.pid,
            )
        ) from error


# --- One supervisor for one data folder: the claim on it, and who holds it.


class Claim:
    """The data folder is ours: no other supervisor runs on it, and nothing of an earlier one is left."""

    def __init__(self, lock: int, roll: Roll) -> None:
        self._lock = lock
        self._addresses: list[str] = []
        self.roll = roll
        self._write()

    def note_address(self, address: str) -> None:
        """Let whoever is refused know where Armarium answers."""
        if address not in self._addresses:
            self._addresses.append(address)
            self._write()

    def _write(self) -> None:
        words = json.dumps({"pid": os.getpid(), "addresses": self._addresses}).encode()
        os.pwrite(self._lock, words, 0)
        os.ftruncate(self._lock, len(words))


@contextmanager
def claimed(home: Path) -> Iterator[Claim]:
    """Claim the data folder, and end what a supervisor that was killed left behind.

    Raises `Refused` if another supervisor has it. The lock is the kernel's: it ends with the process that
    holds it, however that ends, and children do not inherit it.
    """
    folder = home / "run"
    try:
        make_private(folder, way=True)
        lock = os.open(folder / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Misconfigured(
            message(
                "The data folder %(home)s cannot be used: %(reason)s. Give the user that runs Armarium the "
                "right to write there, or choose another folder with ARMARIUM_HOME.",
                home=str(home),
                reason=error.strerror or str(error),
            )
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(_taken(home, os.pread(lock, 65_536, 0))) from None
        roll = Roll(folder / "children.json")
        roll.end_leftovers()
        yield Claim(lock, roll)
        os.ftruncate(lock, 0)
    finally:
        os.close(lock)


def _taken(home: Path, words: bytes) -> Message:
    try:
        holder = json.loads(words)
        pid, addresses = holder["pid"], ", ".join(holder["addresses"])
    except (ValueError, KeyError, TypeError):  # it has the lock, and has not written its name yet
        pid, addresses = "?", ""
    return message(
        "Armarium already runs on %(home)s: process %(pid)s, %(address)s. "
        "Stop that one first (kill %(pid)s), or choose another folder with ARMARIUM_HOME.",
        home=str(home),
        pid=pid,
        address=addresses or "not answering yet",
    )
