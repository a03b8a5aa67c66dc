"""The drawing of years and of one year's days, from a tally."""

import calendar
from dataclasses import dataclass
from datetime import date

from armarium.access.search.tally import Tally

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
