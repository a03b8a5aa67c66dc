"""The line that ties a child to its supervisor: when the supervisor is gone, so is the child.

The supervisor holds the writing end of a pipe, and nobody else does. However it ends, even by kill -9, the
kernel closes that end, and every child reads the end of the file at once. This works on every Unix;
Linux's "parent death signal" follows the thread that forked, not the process, and is lost across exec of a
privileged program.
"""

import os
import signal
import threading
import time

import structlog

log = structlog.get_logger(__name__)

GRACE = (
    8.0  # seconds between being asked to end and being ended: all is over 10 s after the supervisor's death
)


def hold(descriptor: int, *, grace: float = GRACE) -> None:
    """Watch the reading end of the lifeline from now on, in a thread."""
    os.set_inheritable(descriptor, False)
    threading.Thread(target=_watch, args=(descriptor, grace), name="lifeline", daemon=True).start()


def _watch(descriptor: int, grace: float) -> None:
    while os.read(descriptor, 1):
        pass  # nothing is ever written; only the end means something
    log.warning("supervisor is gone; ending", grace_seconds=grace)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    log.error("did not end in time; killing this process")
    _kill_with_descendants()


def _kill_with_descendants() -> None:
    if os.getpgrp() == os.getpid():  # the supervisor starts every child as leader of a group of its own
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
