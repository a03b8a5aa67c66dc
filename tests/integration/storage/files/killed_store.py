"""Kills a process at the steps of storing a file, goes on in another one, and looks at the end.

Run as a program of its own: it forks a process for every step, and must have no threads when it does. It
prints at how many steps it killed, and ends with an error if an end was not the one of a peaceful run.
"""

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.storage.model import CopyState, FileState
from tests.integration.storage.files.world import World

URL, HOME, EVERY = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
CONTENT = b"bytes that must not be lost " * 100


class Executioner:
    """Counts the steps of all threads, and kills the process at one of them."""

    def __init__(self, fatal: int) -> None:
        self._left = fatal
        self._lock = Lock()

    def step(self, *_told: str) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


class MortalDatabase(Database):
    """Each transaction is two steps: just before the commit, and just after it."""

    executioner = Executioner(0)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        with super().transaction() as connection:
            yield connection
            self.executioner.step()
        self.executioner.step()


def main() -> None:
    assert in_child(begin) == 0
    names = []
    for fatal in count(1, EVERY):
        names.append(f"killed-{fatal}.warc.gz")
        ended = in_child(store, names[-1], fatal)
        assert ended in (0, -signal.SIGKILL), ended
        if ended == 0:
            break
    assert in_child(go_on, names) == 0
    sys.stdout.write(str((len(names) - 1) * EVERY))


def begin() -> None:
    World(MortalDatabase(URL, application="tests"), HOME)


def store(name: str, fatal: int) -> None:
    archive = world()
    file = archive.register(name, CONTENT)
    MortalDatabase.executioner = Executioner(fatal)
    archive.replicas.hook = MortalDatabase.executioner.step
    archive.files.store(file.id)


def go_on(names: list[str]) -> None:
    archive = world()
    for name in names:
        file = archive.files.named(name)
        assert archive.files.store(file.id) is FileState.STORED
        assert set(archive.states(file).values()) == {CopyState.ACCEPTED}
        assert {archive.sum_on_disk(place, name) for place in ("a", "b", "sums")} == {file.sha256}
        kinds = [event.kind for event in archive.files.events_of(file.id, limit=100)]
        assert kinds == ["stored", "registered"], kinds
        assert archive.checks(file) == ["ok"] * 3, "each replica accepts once"


def world() -> World:
    """The archive that is there already."""
    found = World.__new__(World)
    found.__dict__.update(database=MortalDatabase(URL, application="tests"), home=HOME)
    found.__dict__["successor"] = type("Nobody", (), dict.fromkeys(("stored",), lambda *_: None))()
    return found


def in_child(action: object, *arguments: object) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action(*arguments)  # type: ignore[operator]
            status = 0
        finally:  # a forked process must not go on in the parent's code
            if status:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
