"""Until when a job is ours.

Two clocks are looked at, and the first to say so ends the lease: the one since the boot goes on while the
process is frozen or the machine asleep; the other is put right after a virtual machine stood still.
"""

import json
import time
from dataclasses import dataclass

from armarium.core.errors import ArmariumError

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
MARGIN = 2.0  # seconds: the header Date counts in whole ones, and clocks are looked at now and then
SHARE = 5  # of a short lease, the margin takes no more than this part


class LeaseLost(ArmariumError):  # noqa: N818  (reads as what happened)
    """The job is no longer ours: nothing more is written, fetched or sent for it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by both clocks."""

    boot: float
    wall: float

    @classmethod
    def present(cls) -> "Moment":
        return cls(time.clock_gettime(_SINCE_BOOT), time.time())

    def later(self, seconds: float) -> "Moment":
        return Moment(self.boot + seconds, self.wall + seconds)

    def left(self) -> float:
        """Seconds until this moment, by the clock that sees it sooner."""
        present = Moment.present()
        return min(self.boot - present.boot, self.wall - present.wall)

    def line(self) -> bytes:
        """For the engine, which reads it with `read`."""
        return json.dumps([self.boot, self.wall]).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> "Moment":
        boot, wall = json.loads(line)
        return cls(float(boot), float(wall))


def end_of_lease(asked: Moment, seconds: float) -> Moment:
    """`seconds` are those that the server gave when it answered; they are counted from the question."""
    return asked.later(seconds - min(MARGIN, max(seconds, 0) / SHARE))


class Lease:
    """The lease of one job, as it was last extended."""

    def __init__(self, until: Moment) -> None:
        self._until = until

    @property
    def until(self) -> Moment:
        return self._until

    def extend(self, until: Moment) -> None:
        """Never shortened: answers may overtake each other."""
        if until.boot > self._until.boot:
            self._until = until

    def left(self) -> float:
        return self._until.left()

    def check(self) -> None:
        if self.left() <= 0:
            raise LeaseLost("The lease is over: the server could not be reached in time.")
