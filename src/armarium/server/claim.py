"""One supervisor for one data folder: the claim on it, and who holds it."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armarium.core.errors import Misconfigured, Refused
from armarium.core.folders import make_private
from armarium.core.message import Message, message
from armarium.server.leftovers import Roll


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
