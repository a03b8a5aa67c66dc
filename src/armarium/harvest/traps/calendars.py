"""Calendars without end: dates of one pattern that run where there is nothing to see.

A newspaper has dates too. What tells them apart is that no page of the year after next has content, that the
pages of an empty calendar are all of one size, or that they are the same.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from armarium.harvest.traps.memory import Distinct, Samples, Table
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapKind, on_host, years_after, years_before

NEAR_FUTURE = 2  # years for which events are announced
FAR_PAST = 40  # years ago: before it, there are pages only in digitised collections
MOST_FUTURE_DATES = 20
MOST_DATES = 60
_MOST_GROUPS = 2000
_UNIFORM = 0.05  # deviation of the sizes, as a part of their mean
_MIXED = 5  # a fifth of the dates may be different pages

_WRITTEN = (
    re.compile(r"(?<![0-9])([0-9]{4})([-/_.])([0-9]{1,2})(?:\2([0-9]{1,2}))?(?![0-9])"),
    re.compile(r"(?<![0-9])((?:1[5-9]|2[01])[0-9]{2})()([0-9]{2})([0-9]{2})(?![0-9])"),
)
_YEAR = re.compile(r"(?:^|[?&;])((?:year|yr|jahr|annee|anno|ano|jaar|y)=)([0-9]{4})(?![0-9])", re.IGNORECASE)
_PART = re.compile(
    r"(?:^|[?&;])(?:month|mon|mois|monat|mese|mes|maand|mm?|day|jour|tag|dia|giorno|dag|dd?)=([0-9]{1,2})(?![0-9])",
    re.IGNORECASE,
)


class Dated(NamedTuple):
    """A date in an address: what stands before the year, and what it is."""

    before: str  # from the path on
    number: int  # that only this date has; 0 if it cannot be one
    year: int


def date_in(path: str, query: str) -> Dated | None:
    """The first date in a path or query."""
    text = f"{path}?{query}" if query else path
    if found := _YEAR.search(text, len(path)):
        parts = [int(part) for part in _PART.findall(text, len(path))][:2]
        return _dated(path, int(found[2]), 1, *parts) if parts else None  # day and month in any order
    for pattern in _WRITTEN:
        if found := pattern.search(text):
            return _dated(text[: found.start()], int(found[1]), int(found[3]), int(found[4] or 0))
    return None


def _dated(before: str, year: int, month: int, day: int = 0, other: int = 0) -> Dated:
    right = month <= 12 and day <= 31 and other <= 31
    return Dated(before, ((year * 100 + month) * 100 + day) * 100 + other if right else 0, year)


@dataclass(slots=True)
class _Calendar:
    dates: Distinct = field(default_factory=Distinct)
    future: Distinct = field(default_factory=Distinct)
    past: Distinct = field(default_factory=Distinct)
    digests: Distinct = field(default_factory=Distinct)
    future_years: set[int] = field(default_factory=set)  # the first sixty
    past_years: set[int] = field(default_factory=set)
    future_samples: Samples = field(default_factory=Samples)
    past_samples: Samples = field(default_factory=Samples)
    samples: Samples = field(default_factory=Samples)
    count: int = 0
    no_dates: int = 0
    size: float = 0.0  # mean, and the sum of squares around it (Welford)
    squares: float = 0.0
    reported: bool = False

    def add(self, seen: Seen, dated: Dated) -> None:
        number = _spread(dated.number)
        self.count += 1
        self.dates.add(number)
        self.digests.add(seen.digest)
        self.samples.add(seen.url)
        delta = seen.size - self.size
        self.size += delta / self.count
        self.squares += delta * (seen.size - self.size)
        if dated.year > seen.year + NEAR_FUTURE:
            self.future.add(number)
            self.future_samples.add(seen.url)
            _keep(self.future_years, dated.year)
        elif dated.year < seen.year - FAR_PAST:
            self.past.add(number)
            self.past_samples.add(seen.url)
            _keep(self.past_years, dated.year)

    def is_uniform(self) -> bool:
        return self.squares / self.count < (_UNIFORM * self.size) ** 2

    def runs_on(self, year: int) -> bool:
        years = self.future_years
        return (
            len(self.future) >= MOST_FUTURE_DATES and min(years) <= year + NEAR_FUTURE + 2 and _in_row(years)
        )

    def runs_back(self, year: int) -> bool:
        years = self.past_years
        return len(self.past) >= MOST_DATES and max(years) >= year - FAR_PAST - 3 and _in_row(years)


def _keep(years: set[int], year: int) -> None:
    if len(years) < MOST_DATES:
        years.add(year)


def _in_row(years: set[int]) -> bool:
    """Years of a calendar follow each other; numbers that only look like years do not."""
    return len(years) * 3 >= max(years) - min(years)


class Calendars:
    def __init__(self) -> None:
        self._calendars: Table[tuple[str, str], _Calendar] = Table(_MOST_GROUPS, _Calendar)

    def saw(self, seen: Seen) -> Suspected | None:
        dated = date_in(seen.path, seen.query)
        if dated is None:
            return None
        calendar = self._calendars[seen.host, dated.before]
        if not dated.number:
            calendar.no_dates += 1
            return None
        calendar.add(seen, dated)
        if calendar.reported or calendar.no_dates * 20 > calendar.count:
            return None
        suspected = _judge(seen, calendar, dated)
        calendar.reported = suspected is not None
        return suspected


def _judge(seen: Seen, calendar: _Calendar, dated: Dated) -> Suspected | None:
    if calendar.runs_on(seen.year):
        last = seen.year + NEAR_FUTURE
        sentence = f"{len(calendar.future)} dates after {last}"
        return _suspected(seen, calendar, dated, sentence, calendar.future_samples, years_after(last))
    if calendar.runs_back(seen.year) and calendar.is_uniform():
        first = seen.year - FAR_PAST
        sentence = f"{len(calendar.past)} dates before {first}, and all pages of one size"
        return _suspected(seen, calendar, dated, sentence, calendar.past_samples, years_before(first))
    if len(calendar.dates) >= MOST_DATES and len(calendar.digests) * _MIXED <= len(calendar.dates):
        sentence = f"{len(calendar.dates)} dates, but only {len(calendar.digests)} different pages"
        return _suspected(seen, calendar, dated, sentence, calendar.samples, "[0-9]{4}")
    return None


def _suspected(
    seen: Seen, calendar: _Calendar, dated: Dated, sentence: str, samples: Samples, years: str
) -> Suspected:
    found = _YEAR.search(seen.query)
    between = rf"\?(?:.*[&;])?{re.escape(found[1])}" if found else ""
    pattern = on_host(seen.host, dated.before) + between + years + "(?:[^0-9]|$|[0-9]{4})"
    searched = re.compile(pattern)
    return Suspected(
        kind=TrapKind.CALENDAR,
        sentence=f"{sentence}, under {dated.before}",
        counts={
            "addresses": calendar.count,
            "dates": len(calendar.dates),
            "future": len(calendar.future),
            "past": len(calendar.past),
            "contents": len(calendar.digests),
        },
        samples=samples.urls,
        proposals=[pattern],
        belongs=lambda url: searched.search(url) is not None,
    )


def _spread(number: int) -> int:
    """Over all 64 bits, as `Distinct` wants them: multiplied by the golden ratio (Knuth, 6.4)."""
    return number * 0x9E3779B97F4A7C15 % (1 << 64)
