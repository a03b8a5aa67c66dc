"""One child of the supervisor: started, watched, started again with growing pauses, ended.

from       what happens                                    to
---------  ----------------------------------------------  ---------
WAITING    the pause is over                               STARTING
STARTING   the child says ready                            RUNNING
STARTING   it ends, or cannot be started                   WAITING
STARTING   it exits with EX_CONFIG and was never ready     ENDED      (and everything stops)
RUNNING    it ends                                         WAITING
RUNNING    nothing is heard of it for too long             RUNNING    (it is killed, and so ends)
STARTING   told to stop                                    STOPPING
RUNNING    told to stop                                    STOPPING
STOPPING   it ends, or is killed after the grace           ENDED
RUNNING    it ends in the moment it is told to stop        ENDED      (STARTING too)
WAITING    told to stop                                    ENDED
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import structlog

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.server.claim import Roll
from armarium.server.forkserver import Forked, Forks
from armarium.server.supervised import EX_CONFIG, gift

# --- The supervisor's end of the pipe on which a child says "ready", "alive" or why it cannot start.


LONGEST = 65_536  # bytes; a child that babbles is not listened to any further


class Channel:
    """A pipe for one start of a child. `ready` and `failed` are what the child said, None before.

    `pulses` counts how often it said that it is alive.
    """

    def __init__(self, on_ready: Callable[[str], None]) -> None:
        self._on_ready = on_ready
        self._heard = b""
        self.ready: str | None = None
        self.failed: str | None = None
        self.pulses = 0
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        asyncio.get_running_loop().add_reader(self._reader, self._listen)

    def given(self) -> None:
        """The child has its own copy of the writing end now."""
        os.close(self.writer)

    def close(self) -> None:
        """Hear what was said last, and hang up."""
        if self._reader >= 0:
            self._listen()
            self._hang_up()

    def _listen(self) -> None:
        # A child that writes nothing more, or closes its end, gives b"".
        with suppress(BlockingIOError):
            while data := os.read(self._reader, 4096):
                self._heard += data
                self._understand()
                if len(self._heard) > LONGEST:
                    break
            self._hang_up()

    def _hang_up(self) -> None:
        if self._reader >= 0:
            asyncio.get_running_loop().remove_reader(self._reader)
            os.close(self._reader)
            self._reader = -1

    def _understand(self) -> None:
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            with suppress(
                ValueError
            ):  # not ours: something in the child wrote to a descriptor it did not know
                self._hear(json.loads(line))

    def _hear(self, words: object) -> None:
        match words:
            case {"ready": str(address)}:
                self.ready = address
                self._on_ready(address)
            case {"alive": _}:
                self.pulses += 1
            case {"failed": str(reason)}:
                self.failed = reason


# --- One child of the supervisor: started, watched, started again with growing pauses, ended.


log = structlog.get_logger(__name__)

LOOKS_BEFORE_HUNG = 10
ARMARIUM = (sys.executable, "-m", "armarium")
NOT_STARTED = 127  # the exit code that shells give to a command that cannot be found


class ChildState(StrEnum):
    WAITING = "waiting"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"


NEXT = {
    ChildState.WAITING: {ChildState.STARTING, ChildState.ENDED},
    ChildState.STARTING: {ChildState.RUNNING, ChildState.WAITING, ChildState.STOPPING, ChildState.ENDED},
    ChildState.RUNNING: {ChildState.WAITING, ChildState.STOPPING, ChildState.ENDED},
    ChildState.STOPPING: {ChildState.ENDED},
    ChildState.ENDED: set[ChildState](),
}


@dataclass(frozen=True)
class ChildSpec:
    name: str  # unique: "worker-1"
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ARMARIUM
    environment: Mapping[str, str] = field(default_factory=dict)  # on top of the supervisor's own


@dataclass(frozen=True)
class Timing:
    """All in seconds."""

    first_pause: float = 0.5  # before the first restart; each further one doubles it
    longest_pause: float = 30.0
    settled: float = 60.0  # a life this long makes earlier crashes forgotten
    grace: float = 8.0  # between SIGTERM and SIGKILL
    last_wait: float = 1.0  # for the kernel to end what was killed
    hung: float = 60.0  # a child of which nothing was heard for this long is killed; 0: never


def pause_before_restart(crashes: int, timing: Timing) -> float:
    """The pause after so many crashes in a row."""
    return min(timing.longest_pause, timing.first_pause * 2.0 ** min(crashes - 1, 30))


@dataclass(frozen=True)
class Reports:
    """Whom a child tells what happens to it."""

    ready: Callable[[str, str], None]  # name, address
    crashed: Callable[[str, int, int], None]  # name, exit code (negative: signal), restarts so far


class Child:
    def __init__(
        self,
        spec: ChildSpec,
        *,
        lifeline: int,
        roll: Roll,
        timing: Timing,
        reports: Reports,
        forks: Forks | None = None,
    ) -> None:
        """`forks`: where children that run `armarium` are forked; without, they are started like others."""
        self.spec = spec
        self._forks = forks
        self.state = ChildState.WAITING
        self._lifeline = lifeline
        self._roll = roll
        self._timing = timing
        self._reports = reports
        self._restarts = 0
        self._crashes = 0  # in a row, without a settled life between
        self._was_ready = False
        self._stop = asyncio.Event()
        self._hasten = asyncio.Event()

    async def live(self) -> None:
        """Run the child again and again until told to stop; raises `Misconfigured` if it can never work."""
        while not self._stop.is_set():
            began = time.monotonic()
            code = await self._run_once()
            if self._stop.is_set():
                break
            lived = time.monotonic() - began
            self._crashes = 1 if lived >= self._timing.settled else self._crashes + 1
            pause = pause_before_restart(self._crashes, self._timing)
            self._report_crash(code, pause)
            self._become(ChildState.WAITING)
            await _set_within(self._stop, pause)
            self._restarts += 1
        self._become(ChildState.ENDED)

    def stop(self) -> None:
        """Ask the child to end, and kill it when the grace is over."""
        self._stop.set()

    def hasten(self) -> None:
        """End the grace now."""
        self._stop.set()
        self._hasten.set()

    async def _run_once(self) -> int:
        self._become(ChildState.STARTING)
        channel = Channel(self._on_ready)
        try:
            process = await self._spawn(channel)
            if process is None:
                return NOT_STARTED
            ending = asyncio.create_task(self._end_when_told(process.pid))
            watching = asyncio.create_task(self._end_when_it_hangs(process.pid, channel))
            code = await process.wait()
            ending.cancel()
            watching.cancel()
            # What the child itself started must not outlive it, nor meet the one that takes its place.
            _signal_group(process.pid, signal.SIGKILL)
            self._roll.remove(self.spec.name)
        finally:
            channel.close()
        if code == EX_CONFIG and not self._was_ready and not self._stop.is_set():
            self._become(ChildState.ENDED)
            raise self._hopeless(channel.failed)
        return code

    async def _spawn(self, channel: Channel) -> asyncio.subprocess.Process | Forked | None:
        try:
            process = await self._start(channel.writer)
        except OSError as error:
            log.error("child cannot be started", child=self.spec.name, reason=str(error))  # noqa: TRY400
            return None
        finally:
            channel.given()
        self._roll.add(self.spec.name, process.pid)
        log.info("child started", child=self.spec.name, child_pid=process.pid, restarts=self._restarts)
        return process

    async def _start(self, channel: int) -> asyncio.subprocess.Process | Forked:
        spec, descriptors = self.spec, (self._lifeline, channel)
        command = (*spec.command, *spec.arguments)
        if self._forks and command[: len(ARMARIUM)] == ARMARIUM:
            arguments = command[len(ARMARIUM) :]
            return await self._forks.fork(
                spec.name, arguments, spec.environment, restarts=self._restarts, descriptors=descriptors
            )
        words = gift(name=spec.name, restarts=self._restarts, lifeline=self._lifeline, channel=channel)
        return await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, **spec.environment, **words},
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=descriptors,
            start_new_session=True,  # Ctrl-C reaches the supervisor only; the group can be killed whole
        )

    async def _end_when_told(self, pid: int) -> None:
        await self._stop.wait()
        self._become(ChildState.STOPPING)
        _signal(pid, signal.SIGTERM)
        _signal(pid, signal.SIGCONT)  # a frozen child hears SIGTERM only when it runs again
        if not await _set_within(self._hasten, self._timing.grace):
            log.warning("child did not end in time; killing it", child=self.spec.name, child_pid=pid)
        _signal_group(pid, signal.SIGKILL)

    async def _end_when_it_hangs(self, pid: int, channel: Channel) -> None:
        """Kill a child that was alive once and says so no more; one that is frozen would hear no SIGTERM.

        We count looks, not seconds: when the whole machine slept, nobody was heard of, and nobody hangs.
        """
        missed, heard = 0, 0
        while self._timing.hung and missed < LOOKS_BEFORE_HUNG:
            await asyncio.sleep(self._timing.hung / LOOKS_BEFORE_HUNG)
            missed = missed + 1 if channel.pulses == heard > 0 else 0
            heard = channel.pulses
        if missed:
            log.error(
                "child hangs; killing it", child=self.spec.name, child_pid=pid, seconds=self._timing.hung
            )
            _signal_group(pid, signal.SIGKILL)

    def _on_ready(self, address: str) -> None:
        self._was_ready = True
        if self.state is ChildState.STARTING:
            self._become(ChildState.RUNNING)
        log.info("child is ready", child=self.spec.name, address=address or None)
        self._reports.ready(self.spec.name, address)

    def _report_crash(self, code: int, pause: float) -> None:
        log.error("child ended by itself; restarting", child=self.spec.name, exit=code, pause_seconds=pause)
        self._reports.crashed(self.spec.name, code, self._restarts)

    def _hopeless(self, reason: str | None) -> Misconfigured:
        return Misconfigured(
            message(
                "%(child)s cannot start: %(reason)s",
                child=self.spec.name,
                reason=reason or "its own message above says why.",
            )
        )

    def _become(self, state: ChildState) -> None:
        assert state in NEXT[self.state], f"{self.spec.name}: {self.state} → {state}"
        self.state = state


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _signal_group(leader: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, number)
