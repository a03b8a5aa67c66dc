"""One request at a time for each file that arrives, among all processes of the server.

A lock of the database would keep one of its few connections while gigabytes are read from a slow disk, and
heartbeats would wait for it. So it is a lock on a small file, which the kernel releases with its process.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armarium.core.errors import Unavailable
from armarium.core.folders import make_private
from armarium.core.message import message

FOLDER = ".turns"
LONGEST_WAIT = 10.0  # seconds; who has to wait longer asks again, instead of keeping a thread
GLANCE = 0.02


@contextmanager
def turn(root: Path, job: int, name: str, *, wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Raises `Unavailable` if another request has the file for so long."""
    make_private(root / FOLDER)
    path = root / FOLDER / f"{job}-{name}"
    until = time.monotonic() + wait
    while (descriptor := _taken(path)) is None:
        if time.monotonic() >= until:
            raise Unavailable(
                message("Another request for %(name)s is not yet dealt with. Go on in a moment.", name=name)
            )
        time.sleep(GLANCE)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # before it is released: whoever waits for it then looks for a new one
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """The descriptor of the file, locked; None while another has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):  # another has it, or has just removed it
        pass
    os.close(descriptor)
    return None
