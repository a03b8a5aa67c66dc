"""What was done and seen, in order; and when readers had to bear what."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from armarium.core import clock

#: Whose answers may lack something when the index is disturbed.
INDEX_SUFFERS = ("access's index", "web's index", "findable")


@dataclass
class Diary:
    """Written down at once: whoever is killed leaves it behind."""

    path: Path
    done: Counter[str] = field(default_factory=Counter)  # deeds, by name
    deeds: list[tuple[datetime, datetime]] = field(default_factory=list)  # from when to when each was done
    seen: Counter[str] = field(default_factory=Counter)  # figures of everybody else
    faults: list[str] = field(default_factory=list)
    _begun: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def note(self, what: str) -> None:
        with self._lock, self.path.open("a") as file:
            file.write(f"{self.seconds:7.1f} {what}\n")

    def did(self, name: str, began: datetime) -> None:
        self.done[name] += 1
        self.deeds.append((began, clock.now()))

    def count(self, what: str) -> None:
        with self._lock:
            self.seen[what] += 1

    def fault(self, what: str) -> None:
        self.note(f"FAULT {what}")
        with self._lock:
            self.faults.append(f"at {self.seconds:.1f} s: {what}")


@dataclass
class _Trouble:
    what: str
    whom: frozenset[str]
    began: float
    ended: float | None = None


def _end(trouble: _Trouble) -> float:
    return math.inf if trouble.ended is None else trouble.ended


@dataclass
class Disturbances:
    """Who may have trouble when: nobody is blamed for an error while, or shortly after, it was disturbed.

    `web` and `access` may give no answer, or say 503. Where only the index is disturbed, `web's index` and
    `access's index` may say 503, and `findable` may miss what was found before. No other answer is excused.
    """

    grace: float  # seconds to recover
    slowest: float = 0.0  # after how many seconds somebody still had no answer
    _all: list[_Trouble] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, what: str, *whom: str) -> Callable[[], None]:
        """Gives what ends it."""
        trouble = _Trouble(what, frozenset(whom), time.monotonic())
        with self._lock:
            self._all.append(trouble)

        def end() -> None:
            trouble.ended = time.monotonic()

        return end

    def moment(self, what: str, *whom: str) -> None:
        self.begin(what, *whom)()

    def excuse(self, began: float, *who: str) -> str | None:
        """Of a request that began then and has just failed, if one of these was disturbed."""
        with self._lock:
            troubles = [one for one in self._all if one.whom.intersection(who)]
            last = max(troubles, key=_end, default=None)
            if last is None or (late := began - _end(last)) > self.grace:
                return None
            self.slowest = max(self.slowest, late)
            return last.what

    def calm_seconds(self, who: str, since: float, until: float) -> float:
        """How long somebody had no excuse between these moments: what the rest of the run says of errors."""
        calm, reached = 0.0, since
        with self._lock:
            troubles = sorted((one for one in self._all if who in one.whom), key=lambda one: one.began)
        for trouble in troubles:
            calm += max(min(trouble.began, until) - reached, 0.0)
            reached = max(reached, min(_end(trouble) + self.grace, until))
        return calm + max(until - reached, 0.0)
