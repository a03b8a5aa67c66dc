"""Time that never goes back: seconds since 1970 at the start, counted on by the machine's steady clock."""

import time
from collections.abc import Callable


def steady_clock() -> Callable[[], float]:
    """A clock that a correction of the machine's time does not disturb: pauses stay pauses."""
    begin, steady = time.time(), time.monotonic
    started = steady()
    return lambda: begin + steady() - started
