"""What was found, as tables that can stand in docs/performance.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.load.noting import Row, row, rows


def table(heads: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    written = [[str(cell) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(heads), ["---"] * len(heads), *written])


def answers(told: Mapping[str, Any]) -> str:
    """Each kind of request, and all of them."""
    heads = ("request", "number", "errors", "p50 ms", "p95 ms", "p99 ms", "longest ms")
    found = rows(told["times"], told["faults"])
    every = [one for times in told["times"].values() for one in times]
    found.append(row("**all**", every, sum(told["faults"].values())))
    return table(heads, (_cells(one) for one in found))


def _cells(one: Row) -> list[str]:
    times = (one.p50, one.p95, one.p99, one.most)
    return [
        one.kind,
        f"{one.count:,}",
        str(one.faults),
        *(f"{time:.0f}" if time >= 10 else f"{time:.1f}" for time in times),
    ]


def number_of(told: Mapping[str, Any]) -> int:
    return sum(len(times) for times in told["times"].values())


def costs(spent: Mapping[str, float], seconds: float) -> str:
    heads = ("process", "CPU s", "share of one core")
    return table(heads, ((kind, f"{cpu:.1f}", f"{cpu / seconds:.0%}") for kind, cpu in spent.items()))
