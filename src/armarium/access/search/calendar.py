"""How many captures an address has, each day, and the years and days that are drawn from it."""

import calendar
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from armarium.access.search.listing import Onward
from armarium.access.search.question import Question, wanted
from armarium.access.view import View

MOST = 100_000  # captures that are counted: one every two hours since there is a web
MOST_NARROWED = 20_000  # of which each must be looked at
LINES = 5000  # in a page of the index
MOST_TIMES = 20  # of one day that are listed in its place; all of them stand in the list below
MOST_BESIDE_A_PAGE = 5_000  # for the banner of an archived page, which must not wait


@dataclass
class Day:
    count: int = 0
    restricted: int = 0
    times: list[tuple[str, bool]] = field(default_factory=list)  # timestamps, and whether they may be seen


@dataclass
class Tally:
    days: dict[str, Day] = field(default_factory=lambda: defaultdict(Day))  # by 8 digits
    years: dict[int, int] = field(
        default_factory=lambda: defaultdict(int)
    )  # captures; not of what is no year
    firsts: dict[int, str] = field(default_factory=dict)  # timestamps of the first captures of these years
    total: int = 0
    restricted: int = 0
    first: str = ""
    last: str = ""
    complete: bool = True

    def add(self, timestamp: str, *, allowed: bool) -> None:
        day = self.days[timestamp[:8]]
        day.count += 1
        if len(day.times) < MOST_TIMES:
            day.times.append((timestamp, allowed))
        self.total += 1
        if not allowed:
            day.restricted += 1
            self.restricted += 1
        if timestamp[:4].isdecimal():
            year = int(timestamp[:4])
            self.years[year] += 1
            self.firsts.setdefault(year, timestamp)
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


EARLIEST = 1986  # ten years before the web was archived: dates before it are damaged
LEVELS = 5
BUSY = 25  # captures on a day: a single one is a light day, also where there are no busier ones


@dataclass(frozen=True)
class Year:
    number: int
    count: int
    height: int  # of 100


@dataclass(frozen=True)
class Month:
    number: int
    count: int
    weeks: tuple[tuple[int, ...], ...]  # days; 0: one of another month
    days: dict[int, Day]  # with captures
    most: int  # captures on a day of this year

    def level(self, day: Day) -> int:
        return level(day.count, self.most)


def years(tally: Tally, present: int) -> list[Year]:
    """All years from the first capture to the present, so that it is seen since when there is none."""
    found = tally.years
    possible = [year for year in found if EARLIEST <= year <= present + 1]
    first, last = min([present, *possible]), max([present, *possible])
    most = max(found.values(), default=1)
    return [
        Year(year, found.get(year, 0), _height(found.get(year, 0), most)) for year in range(first, last + 1)
    ]


def months(tally: Tally, year: int, first_week_day: int) -> list[Month]:
    """The twelve months of a year; weeks begin with this day (0: Monday)."""
    found: dict[int, dict[int, Day]] = defaultdict(dict)
    for name, day in tally.days.items():
        if name[:4] == f"{year:04}" and name[4:].isdecimal():
            found[int(name[4:6])][int(name[6:8] or 0)] = day
    most = max([BUSY, *(day.count for days in found.values() for day in days.values())])
    return [
        Month(
            month,
            sum(day.count for day in found[month].values()),
            weeks(year, month, first_week_day),
            found[month],
            most,
        )
        for month in range(1, 13)
    ]


@lru_cache(maxsize=1024)
def weeks(year: int, month: int, first_week_day: int) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, calendar.Calendar(first_week_day).monthdayscalendar(year, month)))


def level(count: int, most: int) -> int:
    """By the square root, so that one busy day does not make all others look empty."""
    return max(1, min(LEVELS, int((count / most) ** 0.5 * LEVELS + 0.999_999))) if count else 0


def _height(count: int, most: int) -> int:
    return max(4, round(100 * (count / most) ** 0.5)) if count else 0
