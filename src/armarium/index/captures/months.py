"""Captures of an address by month, as a picture: a row for each year, a square for each month."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

LEVELS = 5
CELL, GAP, LABEL = 26, 3, 44  # units of the drawing
STEP = CELL + GAP
WIDTH = LABEL + 12 * STEP
MOST = 200_000  # captures that are counted: more than one every two hours since there is a web
MOST_YEARS = 60  # dates that no web had are in some files


@dataclass(frozen=True)
class Square:
    year: str
    month: int
    count: int
    x: int
    y: int
    level: int  # 0: none; 1 … LEVELS

    @property
    def digits(self) -> str:
        return f"{self.year}{self.month:02}"


@dataclass(frozen=True)
class Months:
    squares: list[Square]
    years: list[tuple[str, int, int]]  # with y and the number of captures
    total: int
    complete: bool

    @property
    def height(self) -> int:
        return len(self.years) * STEP + 16


def count_months(lines: Iterable[bytes], most: int = MOST) -> tuple[Counter[str], bool]:
    """How many lines are of each month, and whether these are all."""
    taken = iter(lines)
    counted: Counter[str] = Counter()
    for line in islice(taken, most):
        counted[line.split(b" ", 2)[1][:6].decode("ascii", "replace")] += 1
    return counted, next(taken, None) is None


def drawn(counted: Counter[str], complete: bool) -> Months | None:
    """None if there is nothing to draw."""
    real = {name: n for name, n in counted.items() if name.isdecimal() and "01" <= name[4:] <= "12"}
    if not real:
        return None
    last = int(max(real)[:4])
    first = max(int(min(real)[:4]), last - MOST_YEARS + 1)
    most = max(real.values())
    squares, years = [], []
    for row, number in enumerate(range(first, last + 1)):
        year, y = f"{number:04}", row * STEP + 16
        counts = [real.get(f"{year}{month:02}", 0) for month in range(1, 13)]
        years.append((year, y, sum(counts)))
        squares += [
            Square(year, month, count, LABEL + (month - 1) * STEP, y, level(count, most))
            for month, count in enumerate(counts, 1)
        ]
    return Months(squares, years, sum(counted.values()), complete)


def level(count: int, most: int) -> int:
    """By the square root, so that one busy month does not make all others look empty."""
    return max(1, min(LEVELS, int((count / most) ** 0.5 * LEVELS + 0.999_999))) if count else 0
