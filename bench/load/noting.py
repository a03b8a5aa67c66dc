"""What is noted of every request, and what is told of it in the end."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

KEPT = 30  # faults that are told in words


@dataclass
class Notes:
    """Times are seconds from the connection, if it has to be made, to the last byte of the answer."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faults: Counter[str] = field(default_factory=Counter)
    words: list[str] = field(default_factory=list)
    bytes: int = 0
    on: bool = True

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        if self.on:
            self.times[kind].append(time.perf_counter() - began)

    def fault(self, kind: str, text: str) -> None:
        if self.on:
            self.faults[kind] += 1
            if len(self.words) < KEPT:
                self.words.append(f"{kind}: {text}")

    def told(self, **further: Any) -> dict[str, Any]:
        return {
            "times": self.times,
            "faults": self.faults,
            "words": self.words,
            "bytes": self.bytes,
            **further,
        }


@dataclass(frozen=True)
class Row:
    kind: str
    count: int
    faults: int
    p50: float  # milliseconds, as all below
    p95: float
    p99: float
    most: float


def rows(times: Mapping[str, Sequence[float]], faults: Mapping[str, int]) -> list[Row]:
    return [row(kind, times.get(kind, ()), faults.get(kind, 0)) for kind in sorted(set(times) | set(faults))]


def row(kind: str, times: Sequence[float], faults: int) -> Row:
    ordered = sorted(times) or [0.0]

    def at(part: float) -> float:
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000

    return Row(kind, len(times), faults, at(0.5), at(0.95), at(0.99), ordered[-1] * 1000)
