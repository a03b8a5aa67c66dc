"""One server, several processes: the first to come starts it, the last to leave stops it.

Everybody who uses the server holds a shared lock on one file. Who starts or stops it holds an exclusive
lock on another, so that nobody comes while somebody stops. The kernel drops the locks of a process that
is killed: there is nothing to clean up, and a server that outlived all its users is found running by the
next one, who will also stop it.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from armarium.core.errors import ArmariumError
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server

GUARD_SECONDS = 1.0
LONGEST_PAUSE = 60.0  # seconds between two attempts to start one that does not start

log = structlog.get_logger(__name__)


@contextmanager
def running(home: Path) -> Iterator[str]:
    """Use the server in this data folder; yields the address of Armarium's database on it.

    A server that is killed meanwhile is started again at the same address. One that its administrator
    stops stays stopped.
    """
    places = Places(home.absolute().resolve())
    server = Server(places)
    places.make()
    with _open(places.users_lock) as users:
        with _changing(places):
            fcntl.flock(users, fcntl.LOCK_SH)
            try:
                url = server.ensure()
            except ArmariumError:
                if _is_last(users):  # one that runs but cannot be used would be in the way of the next start
                    server.stop()
                raise
        guard = _Guard(server)
        guard.start()
        try:
            yield url
        finally:
            guard.end()
            with _changing(places):
                if _is_last(users):
                    server.stop()


@contextmanager
def _open(file: Path) -> Iterator[int]:
    # Python's descriptors are closed on exec: neither PostgreSQL nor any child process inherits a lock.
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _changing(places: Places) -> Iterator[None]:
    with _open(places.change_lock) as change:
        fcntl.flock(change, fcntl.LOCK_EX)
        yield


def _is_last(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Guard(threading.Thread):
    """Starts a server again that was killed under its users."""

    def __init__(self, server: Server) -> None:
        super().__init__(name="postgres-guard", daemon=True)
        self._server = server
        self._ended = threading.Event()
        self._failures = 0  # in a row, to start it again
        self._reason = ""

    def run(self) -> None:
        while not self._ended.wait(min(GUARD_SECONDS * 2.0 ** min(self._failures, 10), LONGEST_PAUSE)):
            if self._is_needed():
                with _changing(self._server.places):
                    if self._is_needed():  # nobody else was faster
                        self._revive()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def _is_needed(self) -> bool:
        return self._failures > 0 or self._server.has_crashed()

    def _revive(self) -> None:
        data = str(self._server.places.data)
        if not self._failures:
            log.warning("PostgreSQL is gone and is started again", data=data)
        try:
            self._server.ensure()
        except ArmariumError as error:
            self._failures += 1
            if str(error) != self._reason:  # once: a full disk stays full, and takes no more lines
                self._reason = str(error)
                log.error("PostgreSQL did not start again", data=data, reason=self._reason)  # noqa: TRY400
        else:
            if self._failures:
                log.info("PostgreSQL runs again", data=data)
            self._failures, self._reason = 0, ""
