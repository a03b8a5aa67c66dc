"""Keeps the processes of Armarium on one machine running: what `armarium up` does.

    from      what happens                                to
    --------  ------------------------------------------  --------
    RUNNING   SIGTERM, SIGINT, SIGHUP                     STOPPING   children get SIGTERM
    RUNNING   a child says that it can never start        STOPPING   and the supervisor fails with its reason
    STOPPING  SIGINT                                      STOPPING   children are killed at once
    STOPPING  all children ended, at the latest after     ENDED
              the grace and the last wait

However the supervisor itself ends, no child outlives it: see `processes/lifeline.py` and `leftovers.py`.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence

import structlog

from armarium.server.child import Child, ChildSpec, Reports, Timing
from armarium.server.claim import Claim
from armarium.server.forkserver import Forks

log = structlog.get_logger(__name__)

OnReady = Callable[[str, str], object]  # child, address ("" if it has none)
OnCrash = Callable[[str, int, int], object]  # child, exit code (negative: signal), restarts before this crash


class Supervisor:
    """Starts the children and keeps them running until a signal comes.

    Callbacks run in threads of their own: a notification that hangs must not hold up a restart.
    """

    def __init__(
        self,
        children: Sequence[ChildSpec],
        *,
        claim: Claim,
        on_ready: OnReady | None = None,
        on_crash: OnCrash | None = None,
        timing: Timing | None = None,
        forks: Forks | None = None,
    ) -> None:
        names = [spec.name for spec in children]
        assert len(names) == len(set(names)), f"children need different names: {names}"
        self._specs = children
        self._claim = claim
        self._on_ready = on_ready
        self._on_crash = on_crash
        self._timing = timing or Timing()
        self._forks = forks
        self._children: list[Child] = []
        self._stopping = False

    def run(self) -> None:
        """Return when a signal ended everything; raise `Misconfigured` if a child can never start."""
        asyncio.run(self._supervise())

    async def _supervise(self) -> None:
        lifeline, held = os.pipe()
        try:
            if self._forks:
                self._forks.listen()
            self._children = [self._child(spec, lifeline) for spec in self._specs]
            self._listen_to_signals()
            await self._until_all_ended(
                [asyncio.create_task(child.live(), name=child.spec.name) for child in self._children]
            )
        finally:
            # Last: whatever is still there, after an error of ours, ends by its lifeline.
            os.close(lifeline)
            os.close(held)

    def _child(self, spec: ChildSpec, lifeline: int) -> Child:
        return Child(
            spec,
            lifeline=lifeline,
            roll=self._claim.roll,
            timing=self._timing,
            reports=Reports(ready=self._ready, crashed=self._crashed),
            forks=self._forks,
        )

    async def _until_all_ended(self, lives: list[asyncio.Task[None]]) -> None:
        # A life ends when its child was told to stop, or with an error, which then stops the others too.
        await asyncio.wait(lives, return_when=asyncio.FIRST_COMPLETED)
        self._stop("a child cannot start")
        _, late = await asyncio.wait(lives, timeout=self._timing.grace + self._timing.last_wait)
        for life in late:
            log.error("a child cannot be ended; the next start will try again", child=life.get_name())
            life.cancel()
        for life in lives:
            if life.done() and not life.cancelled():
                life.result()

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: the terminal may close
                loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: signal.Signals) -> None:
        if self._stopping and number == signal.SIGINT:
            log.warning("told to hurry; killing what still runs")
            for child in self._children:
                child.hasten()
        else:
            self._stop(number.name)

    def _stop(self, reason: str) -> None:
        if not self._stopping:
            self._stopping = True
            log.info("stopping", reason=reason)
            for child in self._children:
                child.stop()

    def _ready(self, name: str, address: str) -> None:
        if address:
            self._claim.note_address(address)
        _tell(self._on_ready, name, address)

    def _crashed(self, name: str, code: int, restarts: int) -> None:
        _tell(self._on_crash, name, code, restarts)


def _tell(callback: Callable[..., object] | None, *facts: object) -> None:
    if callback is not None:
        threading.Thread(target=callback, args=facts, name="supervisor-callback", daemon=True).start()
