"""The fork server and the supervisor that it forks first: who is told what, and who ends with whom."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from armarium.server.forkserver import PRELOADED
from tests.integration.server.conftest import lives, until

SCRIPT = """
import asyncio, os, signal, sys
from armarium.server.forkserver import Forks
from armarium.server.forkserver import serve

async def supervise(server, work):
    forks = Forks(server)
    forks.listen()
    async def run(*arguments):
        (lifeline, _), (_, channel) = os.pipe(), os.pipe()
        return await forks.fork("child", arguments, {}, restarts=0, descriptors=(lifeline, channel))
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    print("supervisor", os.getpid(), flush=True)
    await work(run, told)

async def fork_two(run, told):
    for arguments in (["--version"], ["nonsense"]):
        child = await run(*arguments)
        print("ended with", await child.wait(), flush=True)

async def fail(run, told):
    sys.exit(3)

async def wait(run, told):
    await told.wait()
    print("told", flush=True)

work = {"fork_two": fork_two, "fail": fail, "wait": wait}[sys.argv[1]]
serve(lambda server: asyncio.run(supervise(server, work)), preloaded=())
"""


def served(work: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, work], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def waiting() -> tuple[subprocess.Popen[str], int]:
    """One that waits for a signal, and the pid of its supervisor."""
    server = served("wait")
    assert server.stdout is not None
    return server, int(server.stdout.readline().split()[1])


def test_what_is_forked_runs_the_command_and_its_end_is_told() -> None:
    output, complaints = served("fork_two").communicate(timeout=60)
    assert output.splitlines()[1].startswith("armarium ")
    assert [line for line in output.splitlines() if "ended" in line] == ["ended with 0", "ended with 2"]
    assert "nonsense" in complaints


def test_it_exits_as_its_supervisor_does() -> None:
    assert served("fail").wait(60) == 3


def test_signals_are_passed_on() -> None:
    server, _ = waiting()
    server.send_signal(signal.SIGTERM)
    output, _ = server.communicate(timeout=60)
    assert (output, server.returncode) == ("told\n", 0)


def test_it_does_not_outlive_its_supervisor() -> None:
    server, supervisor = waiting()
    os.kill(supervisor, signal.SIGKILL)
    assert server.wait(60) == 128 + signal.SIGKILL


def test_its_supervisor_does_not_outlive_it() -> None:
    server, supervisor = waiting()
    server.kill()
    server.wait()
    until(lambda: not lives(supervisor))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_what_is_preloaded_starts_no_thread() -> None:
    """A fork has the thread alone that forked: what others held locked would stay locked for ever."""
    probe = f"import os, {', '.join(PRELOADED)}; print(len(os.listdir('/proc/self/task')))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
