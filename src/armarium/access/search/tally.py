"""How many captures an address has, each day: what year bars and calendar are drawn from."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from armarium.access.search.narrowing import wanted
from armarium.access.search.onward import Onward
from armarium.access.search.question import Question
from armarium.access.view import View

MOST = 100_000  # captures that are counted: one every two hours since there is a web
MOST_NARROWED = 20_000  # of which each must be looked at
LINES = 5000  # in a page of the index
MOST_BESIDE_A_PAGE = 5_000  # for the banner of an archived page, which must not wait


@dataclass
class Day:
    count: int = 0
    restricted: int = 0
    first: str = ""  # timestamp


@dataclass
class Tally:
    days: dict[str, Day] = field(default_factory=lambda: defaultdict(Day))  # by 8 digits
    total: int = 0
    restricted: int = 0
    first: str = ""
    last: str = ""
    complete: bool = True

    @property
    def years(self) -> dict[int, int]:
        """Captures of each year; what is no year is left out."""
        found: dict[int, int] = defaultdict(int)
        for day, counted in self.days.items():
            if day[:4].isdecimal():
                found[int(day[:4])] += counted.count
        return dict(found)

    def first_of(self, year: int) -> str:
        """The timestamp of the first capture of a year."""
        return min((day.first for name, day in self.days.items() if name[:4] == f"{year:04}"), default="")

    def add(self, timestamp: str, *, allowed: bool) -> None:
        day = self.days[timestamp[:8]]
        day.first = day.first or timestamp
        day.count += 1
        self.total += 1
        if not allowed:
            day.restricted += 1
            self.restricted += 1
        self.first = self.first or timestamp
        self.last = timestamp


def counted(moments: Iterable[tuple[str, bool]], most: int) -> Tally:
    """`moments`: timestamps in order, and whether the capture may be seen."""
    tally, coming = Tally(), iter(moments)
    for timestamp, allowed in islice(coming, most):
        tally.add(timestamp, allowed=allowed)
    tally.complete = next(coming, None) is None
    return tally


def count(view: View, question: Question, most: int = MOST) -> Tally:
    """Captures of one address, as far as the reader may know of them."""
    captures = Onward(view, question.query(limit=LINES))
    if question.narrowed:
        seen = wanted(view, question, captures)
        tally = counted(((one.line.timestamp, True) for one in seen), MOST_NARROWED)
    else:
        tally = counted(((one.line.timestamp, one.allowed) for one in captures), most)
    tally.complete = tally.complete and not captures.short
    return tally
