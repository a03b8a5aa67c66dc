"""Pauses between attempts: they grow, and differ, so that a hundred collectors do not come back at once."""

import random

FIRST = 1.0  # seconds
LONGEST = 60.0


class Pauses:
    """The pauses of one undertaking."""

    def __init__(self, first: float = FIRST, longest: float = LONGEST) -> None:
        self._first = first
        self._longest = longest
        self._failures = 0

    def next(self) -> float:
        pause = min(self._longest, self._first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return pause * random.uniform(0.5, 1.0)  # noqa: S311  (no secret is made of it)

    def reset(self) -> None:
        self._failures = 0
