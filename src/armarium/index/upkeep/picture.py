"""The runs of each level as a bar: every run a stretch, as wide as it is long."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600, 20
MOST = 60  # runs that are drawn one by one; the rest is one stretch
LEAST = 4.0  # units of width: a run is seen, however short it is
GAP = 1.5


@dataclass(frozen=True)
class Stretch:
    x: float
    width: float
    lines: int
    runs: int  # more than one where the short ones are drawn together


def bar(longest: Sequence[int], runs: int, lines: int, most_lines: int) -> list[Stretch]:
    """`longest`: lines of the longest runs; `runs`, `lines`: of all of them; `most_lines`: of the level that
    has most, which is as wide as the picture."""
    pieces = [(one, 1) for one in longest]
    if runs > len(longest):
        pieces.append((max(0, lines - sum(longest)), runs - len(longest)))
    if not pieces:
        return []
    room = max(0.0, WIDTH - LEAST * len(pieces)) / max(1, most_lines)
    drawn, x = [], 0.0
    for length, count in pieces:
        width = LEAST + room * length
        drawn.append(Stretch(round(x, 2), round(max(width - GAP, 1.0), 2), length, count))
        x += width
    return drawn
