"""Is a PostgreSQL server running on a data folder? Read from its postmaster.pid, which may be stale."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

HALF_WRITTEN_FOR = 5.0  # seconds; a younger file without content belongs to a server that is just starting


@dataclass(frozen=True)
class Postmaster:
    """What the main process of a server wrote into its postmaster.pid."""

    pid: int
    data: str  # the data folder by the name it had when the server started
    socket_folder: Path | None  # None while it is starting


def read(data: Path) -> Postmaster | None:
    """What postmaster.pid says, whether it is true or not; None if there is none or it is half-written.

    Its lines (miscadmin.h of PostgreSQL): process id, data folder, time of start, port, socket folder,
    listen address, shared memory, status.
    """
    try:
        lines = os.fsdecode(_pid_file(data).read_bytes()).splitlines()
        # The number is negative for a server without a network side (`postgres --single`).
        return Postmaster(abs(int(lines[0])), lines[1], Path(lines[4]) if lines[4] else None)
    except (FileNotFoundError, IndexError, ValueError):
        return None


def running(data: Path) -> Postmaster | None:
    postmaster = read(data)
    return postmaster if postmaster is not None and _is_alive(postmaster) else None


def has_crashed(data: Path) -> bool:
    """A server that was stopped takes its postmaster.pid away; one that was killed leaves it."""
    try:
        age = time.time() - _pid_file(data).stat().st_mtime
    except FileNotFoundError:
        return False
    if read(data) is None:
        return age > HALF_WRITTEN_FOR
    return running(data) is None


def forget_crashed(data: Path) -> None:
    """Remove a postmaster.pid whose process is gone.

    PostgreSQL does so itself, but only if no process at all has that number now. After a restart of the
    machine or in a new container the number is often taken, not seldom by ourselves.
    PostgreSQL still refuses to start while orphans of the old server hold its shared memory.
    """
    if has_crashed(data):
        _pid_file(data).unlink(missing_ok=True)


def _pid_file(data: Path) -> Path:
    return data / "postmaster.pid"


def _is_alive(postmaster: Postmaster) -> bool:
    try:
        process = psutil.Process(postmaster.pid)
        if process.status() == psutil.STATUS_ZOMBIE or process.name() != "postgres":
            return False
        # Another cluster's server may have got the number: ours has its data folder as an argument.
        return postmaster.data in process.cmdline()
    except psutil.AccessDenied:
        return True  # cannot look closer: better not to start than to start a second one
    except psutil.NoSuchProcess:
        return False
