"""The child's side of supervision: hold the lifeline, tell the supervisor "ready" or "this can never work".

A thread says every second that the process is alive, so that the supervisor can tell one that hangs (frozen,
stuck in a call that never returns and lets nobody else run) from one that has nothing to say.

What the supervisor gives to a child travels in one environment variable; its name does not begin like those
of the settings, and it is taken out at once so that no grandchild takes it for its own.
"""

import json
import os
import threading
import time
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass

from armarium.processes import lifeline

VARIABLE = "_ARMARIUM_CHILD"
PULSE_SECONDS = 1.0
EX_CONFIG = 78  # sysexits.h: something was found in an unconfigured or misconfigured state


@dataclass(frozen=True)
class Supervised:
    """What this process got from its supervisor; one that was started alone has the defaults."""

    name: str | None = None
    restarts: int = 0
    channel: int | None = None  # file descriptor to write to

    def ready(self, address: str = "") -> None:
        """Say that this process does its work, and where it answers, if it does."""
        self._tell({"ready": address})

    def failed(self, reason: str) -> None:
        """Say why this process cannot start; exit with EX_CONFIG afterwards, and nobody tries again."""
        self._tell({"failed": reason})

    def live(self) -> None:
        """Say every second that this process is alive, for as long as it is."""
        while True:
            self._tell({"alive": ""})
            time.sleep(PULSE_SECONDS)

    def _tell(self, words: Mapping[str, str]) -> None:
        if self.channel is not None:
            with suppress(OSError):  # the supervisor is gone: the lifeline ends this process
                os.write(self.channel, json.dumps(words).encode() + b"\n")


def adopt(environ: MutableMapping[str, str] = os.environ) -> Supervised:
    """Take over what the supervisor gave, and hold the lifeline. Call it first, once."""
    given = environ.pop(VARIABLE, None)
    if given is None:
        return Supervised()
    words = json.loads(given)
    lifeline.hold(words["lifeline"])
    os.set_inheritable(words["channel"], False)
    supervised = Supervised(name=words["name"], restarts=words["restarts"], channel=words["channel"])
    threading.Thread(target=supervised.live, name="pulse", daemon=True).start()
    return supervised


def gift(*, name: str, restarts: int, lifeline: int, channel: int) -> dict[str, str]:
    """The supervisor's side: the environment variable that `adopt` reads."""
    words = {"name": name, "restarts": restarts, "lifeline": lifeline, "channel": channel}
    return {VARIABLE: json.dumps(words)}
