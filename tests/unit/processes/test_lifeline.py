"""The line between a child and its supervisor, with real processes."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

CHILD = """
import signal, subprocess, sys, time
from armarium.processes import lifeline
if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "parent" in sys.argv:
    grandchild = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)
lifeline.hold(int(sys.argv[1]), grace=0.5)
print(grandchild.pid if "parent" in sys.argv else "ready", flush=True)
time.sleep(600)
"""


@contextmanager
def tied(*manners: str) -> Iterator[tuple["subprocess.Popen[str]", int, str]]:
    """A child tied to the writing end of a pipe, and its first word."""
    lifeline, held = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(lifeline), *manners],
        pass_fds=(lifeline,),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    os.close(lifeline)
    assert child.stdout is not None
    try:
        yield child, held, child.stdout.readline().strip()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_child_gets_sigterm_when_its_supervisor_is_gone() -> None:
    with tied() as (child, held, _):
        assert child.poll() is None

        os.close(held)

        assert child.wait(60) == -signal.SIGTERM


def test_a_child_that_ignores_sigterm_is_killed_together_with_what_it_started() -> None:
    with tied("deaf", "parent") as (child, held, grandchild):
        reader = os.pidfd_open(int(grandchild))

        os.close(held)

        assert child.wait(60) == -signal.SIGKILL
        assert _ends(reader)


def _ends(process: int) -> bool:
    """A process's descriptor becomes readable at its end, also when nobody reaps it."""
    return bool(select.select([process], [], [], 10)[0])
