"""On which days harvests fall, and what they are expected to bring. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from armarium.planning.harvests.dates import dates_until, following
from armarium.planning.schedules.model import Schedule, Unit

PERIODS = {Unit.MINUTE: timedelta(minutes=1), Unit.HOUR: timedelta(hours=1)}
DAYS = {Unit.DAY: 1, Unit.WEEK: 7}


@dataclass(frozen=True)
class Volume:
    """What runs bring: real, or expected."""

    runs: float = 0
    objects: float = 0
    bytes: float = 0
    seconds: float = 0  # of crawlers

    def __add__(self, other: "Volume") -> "Volume":
        return Volume(
            self.runs + other.runs,
            self.objects + other.objects,
            self.bytes + other.bytes,
            self.seconds + other.seconds,
        )

    def times(self, count: int) -> "Volume":
        return Volume(self.runs * count, self.objects * count, self.bytes * count, self.seconds * count)

    @property
    def hours(self) -> float:
        return self.seconds / 3600


def total(volumes: Iterable[Volume]) -> Volume:
    return sum(volumes, Volume())


@dataclass(frozen=True)
class Coming:
    """An active harvest with its next date."""

    id: int
    name: str
    kind: str
    schedule: int | None
    next_at: datetime
    runs: int


@dataclass(frozen=True)
class Span:
    """Days from the first to the last, on the clock of a zone."""

    first: date
    last: date
    zone: tzinfo

    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]

    def begin(self) -> datetime:
        return midnight(self.first, self.zone)

    def end(self) -> datetime:
        """The midnight after the last day."""
        return midnight(self.last + timedelta(days=1), self.zone)


def midnight(day: date, zone: tzinfo) -> datetime:
    # In UTC: between two moments of the same zone Python counts what the clock shows, not what passes.
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


def days_of(schedule: Schedule | None, next_at: datetime, runs: int, span: Span) -> Counter[date]:
    """How often a harvest falls on each day of the span, if nothing is missed."""
    if schedule is None or schedule.max_runs is not None or schedule.unit in (Unit.ONCE, Unit.MONTH):
        dates = dates_until(schedule, next_at, span.end(), runs)
        return Counter(day for moment in dates if (day := _day(moment, span)) >= span.first)
    if schedule.unit in PERIODS:
        return _in_periods(next_at, schedule.every * PERIODS[schedule.unit], _end(schedule, span), span)
    return _in_days(schedule, next_at, runs, span)


def first_on(schedule: Schedule | None, next_at: datetime, runs: int, span: Span) -> datetime:
    """The first date within the span, of a harvest that has one there."""
    begin = span.begin()
    if schedule is not None and schedule.unit in PERIODS and next_at < begin:
        period = schedule.every * PERIODS[schedule.unit]
        return next_at + period * _multiples(next_at, begin, period)
    return next((at for at in dates_until(schedule, next_at, span.end(), runs) if at >= begin), next_at)


def _in_periods(next_at: datetime, period: timedelta, end: datetime, span: Span) -> Counter[date]:
    """Counted, not listed: a schedule by the minute has half a million dates in a year."""
    found: Counter[date] = Counter()
    for day in span.days():
        until = min(midnight(day + timedelta(days=1), span.zone), end)
        before = _multiples(next_at, midnight(day, span.zone), period)
        if (count := _multiples(next_at, until, period) - before) > 0:
            found[day] = count
    return found


def _multiples(start: datetime, moment: datetime, period: timedelta) -> int:
    """How many dates there are before a moment."""
    return max(0, -((start - moment) // period))


def _in_days(schedule: Schedule, next_at: datetime, runs: int, span: Span) -> Counter[date]:
    """The first date as it is, for it may have been set by hand; from the second on, steps of whole days."""
    found: Counter[date] = Counter()
    end = _end(schedule, span)
    if next_at < end and (day := _day(next_at, span)) >= span.first:
        found[day] += 1
    second = following(schedule, next_at, runs + 1)
    if second is None or second >= end:
        return found
    step = timedelta(days=schedule.every * DAYS[schedule.unit])
    day, last = _day(second, span), _day(end - timedelta(microseconds=1), span)
    if day < span.first:
        day += step * -((day - span.first) // step)
    while day <= last:
        found[day] += 1
        day += step
    return found


def _day(moment: datetime, span: Span) -> date:
    return moment.astimezone(span.zone).date()


def _end(schedule: Schedule, span: Span) -> datetime:
    # An end is a date that may still run: the moment after it is the first that may not.
    last = schedule.ends_at + timedelta(microseconds=1) if schedule.ends_at else span.end()
    return min(last, span.end())


@dataclass(frozen=True)
class Crowd:
    """Harvests that fall on the same days: most share a schedule, so that days are counted once for all."""

    days: Counter[date]
    members: tuple[Coming, ...]


def crowds(coming: Iterable[Coming], schedules: Mapping[int, Schedule], span: Span) -> list[Crowd]:
    """The harvests of the span, those with the same days together; a paused schedule has none."""
    gathered: dict[tuple[object, ...], list[Coming]] = {}
    for one in coming:
        schedule = schedules.get(one.schedule or 0)
        if schedule is None or schedule.active:
            gathered.setdefault(_likeness(one, schedule, span), []).append(one)
    return [
        Crowd(
            days_of(schedules.get(group[0].schedule or 0), group[0].next_at, group[0].runs, span),
            tuple(group),
        )
        for group in gathered.values()
    ]


def _likeness(one: Coming, schedule: Schedule | None, span: Span) -> tuple[object, ...]:
    """Harvests for which this is equal have the same days."""
    if schedule is None or schedule.max_runs is not None:
        return (one.schedule, one.next_at, one.runs)
    if schedule.unit in DAYS and schedule.ends_at is None:
        second = following(schedule, one.next_at, one.runs + 1)
        return (one.schedule, _day(one.next_at, span), _day(second, span) if second else None)
    return (one.schedule, one.next_at)


def volumes_by_day(crowds: Iterable[Crowd], expected: Mapping[int, Volume]) -> dict[date, Volume]:
    found: dict[date, Volume] = {}
    for crowd in crowds:
        together = total(expected.get(member.id, Volume(1)) for member in crowd.members)
        for day, count in crowd.days.items():
            found[day] = found.get(day, Volume()) + together.times(count)
    return found
