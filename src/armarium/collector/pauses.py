"""Pauses between attempts: they grow, and differ, so that a hundred collectors do not come back at once."""

import random
import time

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


FIRM_SECONDS = 10.0  # for which nothing was taken: a cut that is over sooner is nobody's business


class Trouble:
    """What keeps the files of a job from being taken, for the heartbeats: an archive that stays empty must
    not be the first that people hear of it. A server that does not answer at all is another matter."""

    def __init__(self) -> None:
        self._reason = ""
        self._since = 0.0

    def met(self, reason: str) -> None:
        if not self._reason:
            self._since = time.monotonic()
        self._reason = reason

    def over(self) -> None:
        self._reason = ""

    def report(self) -> dict[str, str]:
        lasts = time.monotonic() - self._since >= FIRM_SECONDS
        return {"upload_trouble": self._reason} if self._reason and lasts else {}
