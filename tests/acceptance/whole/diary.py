"""What was done and seen, in order; and when readers had to bear what."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Diary:
    """Written down at once: whoever is killed leaves it behind."""

    path: Path
    done: Counter[str] = field(default_factory=Counter)  # deeds, by name
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


@dataclass
class Disturbances:
    """Who may have trouble when: nobody is blamed for an error while, or shortly after, it was disturbed."""

    grace: float  # seconds to recover
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

    def excuse(self, who: str, began: float) -> str | None:
        """Of a request that began then and has just failed."""
        with self._lock:
            for trouble in reversed(self._all):
                until = None if trouble.ended is None else trouble.ended + self.grace
                if who in trouble.whom and (until is None or until >= began):
                    return trouble.what
        return None
