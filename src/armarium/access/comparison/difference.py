"""What was added and removed between two lists of lines.

The greedy way of Myers ("An O(ND) Difference Algorithm", 1986), up to a number of differences: `difflib` of
Python takes minutes for lists that somebody made for that purpose.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST = 600  # lines that differ; beyond, two texts have nothing to do with each other
NEAR = 2  # equal lines that are shown around what differs


class Kind(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"  # equal lines that are left out


@dataclass(frozen=True)
class Line:
    kind: Kind
    text: str = ""
    count: int = 0  # of a gap: lines


@dataclass(frozen=True)
class Difference:
    lines: Sequence[Line]
    added: int
    removed: int

    @property
    def none(self) -> bool:
        return not (self.added or self.removed)


def difference(old: Sequence[str], new: Sequence[str]) -> Difference | None:
    """None: so much differs that it is not worth listing."""
    start = _alike(old, new)
    end = min(_alike(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    inner = _changes(old[start : len(old) - end], new[start : len(new) - end])
    if inner is None:
        return None
    whole = [
        *(Line(Kind.SAME, text) for text in old[:start]),
        *inner,
        *(Line(Kind.SAME, text) for text in old[len(old) - end :]),
    ]
    added = sum(line.kind is Kind.ADDED for line in whole)
    removed = sum(line.kind is Kind.REMOVED for line in whole)
    return Difference(_folded(whole), added, removed)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Line] | None:
    reached = {1: 0}  # by diagonal: how far in `old`
    steps: list[dict[int, int]] = []
    for count in range(min(MOST, len(old) + len(new)) + 1):
        steps.append(dict(reached))
        for diagonal in range(-count, count + 1, 2):
            if diagonal == -count or (diagonal != count and reached[diagonal - 1] < reached[diagonal + 1]):
                x = reached[diagonal + 1]
            else:
                x = reached[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walked_back(old, new, steps)
    return None


def _walked_back(old: Sequence[str], new: Sequence[str], steps: list[dict[int, int]]) -> list[Line]:
    found: list[Line] = []
    x, y = len(old), len(new)
    for count in range(len(steps) - 1, -1, -1):
        reached, diagonal = steps[count], x - y
        down = diagonal == -count or (diagonal != count and reached[diagonal - 1] < reached[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        x_before = reached[before] if count else 0
        y_before = x_before - before if count else 0
        while x > x_before and y > y_before:
            x, y = x - 1, y - 1
            found.append(Line(Kind.SAME, old[x]))
        if count and down:
            y -= 1
            found.append(Line(Kind.ADDED, new[y]))
        elif count:
            x -= 1
            found.append(Line(Kind.REMOVED, old[x]))
    return found[::-1]


def _folded(lines: Sequence[Line]) -> list[Line]:
    """Without the equal lines that are far from any that differs."""
    near = [False] * len(lines)
    for place, line in enumerate(lines):
        if line.kind is not Kind.SAME:
            for shown in range(max(0, place - NEAR), min(len(lines), place + NEAR + 1)):
                near[shown] = True
    found: list[Line] = []
    for line, shown in zip(lines, near, strict=True):
        if shown:
            found.append(line)
        elif found and found[-1].kind is Kind.GAP:
            found[-1] = Line(Kind.GAP, count=found[-1].count + 1)
        else:
            found.append(Line(Kind.GAP, count=1))
    return found
