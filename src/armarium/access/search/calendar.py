"""How many captures an address has, each day, and the years and days that are drawn from it."""

import calendar
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from armarium.access.search.listing import Onward
from armarium.access.search.question import Question, wanted
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


FIRST_YEAR = 1996  # since when the web is archived
LEVELS = 5
BUSY = 25  # captures on a day: a single one is a light day, also where there are no busier ones


@dataclass(frozen=True)
class Year:
    number: int
    count: int
    height: int  # of 100


@dataclass(frozen=True)
class CalendarDay:
    date: date
    count: int
    restricted: int
    level: int  # 0: none; 1 … LEVELS
    first: str  # timestamp

    @property
    def digits(self) -> str:
        return f"{self.date.year:04}{self.date:%m%d}"


@dataclass(frozen=True)
class Month:
    number: int
    count: int
    weeks: list[list[CalendarDay | None]]  # None: a day of another month


def years(tally: Tally, present: int) -> list[Year]:
    """All years from the first to the last, or to the present one, whichever is later."""
    found = tally.years
    possible = [year for year in found if FIRST_YEAR - 10 <= year <= present + 1]
    first = min([FIRST_YEAR, *possible])
    last = max([present, *possible])
    most = max(found.values(), default=1)
    return [
        Year(year, found.get(year, 0), _height(found.get(year, 0), most)) for year in range(first, last + 1)
    ]


def months(tally: Tally, year: int, first_week_day: int) -> list[Month]:
    """The twelve months of a year; weeks begin with this day (0: Monday)."""
    weeks = calendar.Calendar(first_week_day)
    days = {name: day for name, day in tally.days.items() if name[:4] == f"{year:04}"}
    most = max((day.count for day in days.values()), default=0)
    most = max(most, BUSY)

    def drawn(day: date, month: int) -> CalendarDay | None:
        if day.month != month:
            return None
        found = days.get(f"{year:04}{day:%m%d}")
        if found is None:
            return CalendarDay(day, 0, 0, 0, "")
        return CalendarDay(day, found.count, found.restricted, level(found.count, most), found.first)

    return [
        Month(
            month,
            sum(day.count for name, day in days.items() if name[4:6] == f"{month:02}"),
            [[drawn(day, month) for day in week] for week in weeks.monthdatescalendar(year, month)],
        )
        for month in range(1, 13)
    ]


def level(count: int, most: int) -> int:
    """By the square root, so that one busy day does not make all others look empty."""
    return max(1, min(LEVELS, int((count / most) ** 0.5 * LEVELS + 0.999_999))) if count else 0


def _height(count: int, most: int) -> int:
    return max(4, round(100 * (count / most) ** 0.5)) if count else 0
