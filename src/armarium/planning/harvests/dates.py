"""The dates of a harvest, which that have passed become runs, and what is expected of those to come. Pure.

A date is on time if no later one has passed as well and it is not longer ago than `patience`: then it
runs, whatever was chosen. Every other date was missed. `skip` lets missed dates go. `catch-up` makes a run
for each of the newest `MOST_CAUGHT_UP`, oldest first, but one after the other: a missed date waits, and what
is due after it waits as well, until the jobs of earlier runs have ended. So no site is harvested by two
runs at once, and who was away for a month gets no month of crawls. Whatever is let go is said: nothing
vanishes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from armarium.planning.model import Missed, Unit
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import following, zone_of

MOST_CAUGHT_UP = 10

#: The date that follows a date, given how many runs there were; None: there is none.
Following = Callable[[datetime, int], datetime | None]


@dataclass(frozen=True)
class Decision:
    start: datetime | None  # the date that becomes a run now
    skipped: tuple[datetime, ...]
    next_at: datetime | None  # passed as well, if it waits for its turn; None: the schedule has ended


def decide(
    first: datetime,
    now: datetime,
    following: Following,
    *,
    runs: int,
    missed: Missed,
    patience: timedelta,
    busy: bool = False,
) -> Decision:
    """Go through the dates from `first`, the one that fell due, to now. `busy`: jobs of it wait or run."""
    passed = [first]
    while (date := following(passed[-1], runs)) is not None and date <= now:
        passed.append(date)
    on_time = now - passed[-1] <= patience
    if missed is Missed.SKIP:
        start, skipped = (passed[-1], passed[:-1]) if on_time else (None, passed)
        return Decision(start, tuple(skipped), following(passed[-1], runs + on_time))
    skipped = passed[: -MOST_CAUGHT_UP - on_time]
    date = passed[len(skipped)]
    if busy and not (on_time and date == passed[-1]):
        return Decision(None, tuple(skipped), date)
    return Decision(date, tuple(skipped), following(date, runs + 1))


def after(schedule: Schedule | None, begun: datetime | None) -> Following:
    """The date that follows one, for the rule of missed runs. Without a schedule a harvest runs once."""
    if schedule is None:
        return lambda _date, _runs: None
    return lambda date, runs: following(schedule, date, runs, begun)


def dates_until(
    schedule: Schedule | None, first: datetime, end: datetime, runs: int, begun: datetime | None = None
) -> Iterator[datetime]:
    """The dates from `first` on, before `end`, as they would come if nothing is missed."""
    date: datetime | None = first
    while date is not None and date < end:
        yield date
        runs += 1
        date = following(schedule, date, runs, begun or first) if schedule else None


# What is expected -----------------------------------------------------------------------------------


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
    runs: int  # by its schedule, so far
    rhythm_from: datetime | None = None

    def second(self, schedule: Schedule) -> datetime | None:
        """The date after the next one."""
        return following(schedule, self.next_at, self.runs + 1, self.rhythm_from or self.next_at)


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


def days_of(schedule: Schedule | None, one: Coming, span: Span) -> Counter[date]:
    """How often a harvest falls on each day of the span, if nothing is missed."""
    if schedule is None or schedule.max_runs is not None or schedule.unit in (Unit.ONCE, Unit.MONTH):
        dates = _dates(schedule, one, span)
        return Counter(day for moment in dates if (day := _day(moment, span)) >= span.first)
    if schedule.unit in PERIODS:
        return _in_periods(schedule, one, span)
    return _in_days(schedule, one, span)


def first_on(schedule: Schedule | None, one: Coming, span: Span) -> datetime:
    """The first date within the span, of a harvest that has one there."""
    begin = span.begin()
    if schedule is not None and schedule.unit in PERIODS and one.next_at < begin:
        period, second = schedule.every * PERIODS[schedule.unit], one.second(schedule) or one.next_at
        return second + period * _multiples(second, begin, period)
    return next((at for at in _dates(schedule, one, span) if at >= begin), one.next_at)


def _dates(schedule: Schedule | None, one: Coming, span: Span) -> Iterator[datetime]:
    return dates_until(schedule, one.next_at, span.end(), one.runs, one.rhythm_from)


def _in_periods(schedule: Schedule, one: Coming, span: Span) -> Counter[date]:
    """Counted, not listed: a schedule by the minute has half a million dates in a year.

    The first date as it is, for it may have been set by hand; from the second on, steps of the same length.
    """
    found, end = _first(schedule, one, span), _end(schedule, span)
    second, period = one.second(schedule), schedule.every * PERIODS[schedule.unit]
    if second is None:
        return found
    for day in span.days():
        until = min(midnight(day + timedelta(days=1), span.zone), end)
        before = _multiples(second, midnight(day, span.zone), period)
        if (count := _multiples(second, until, period) - before) > 0:
            found[day] += count
    return found


def _first(schedule: Schedule, one: Coming, span: Span) -> Counter[date]:
    """The day of the next date, if it is in the span."""
    day = _day(one.next_at, span)
    return Counter([day] if one.next_at < _end(schedule, span) and day >= span.first else [])


def _multiples(start: datetime, moment: datetime, period: timedelta) -> int:
    """How many dates there are before a moment."""
    return max(0, -((start - moment) // period))


def _in_days(schedule: Schedule, one: Coming, span: Span) -> Counter[date]:
    """The first date as it is, for it may have been set by hand; from the second on, steps of whole days."""
    found, end = _first(schedule, one, span), _end(schedule, span)
    second = one.second(schedule)
    if second is None or second >= end:
        return found
    zone = zone_of(schedule)
    local = second.astimezone(zone)
    step = timedelta(days=schedule.every * DAYS[schedule.unit])
    # On the clock of the schedule: half past one there may be the day before for the reader, in summer only.
    day = local.date()
    early = span.first - timedelta(days=1)
    if day < early:
        day += step * -((day - early) // step)
    wanted = _wanted(schedule, one, zone)
    while (moment := datetime.combine(day, wanted).astimezone(UTC)) < end:
        if (shown := _day(moment, span)) >= span.first:
            found[shown] += 1
        day += step
    return found


def _wanted(schedule: Schedule, one: Coming, zone: tzinfo) -> time:
    """The hour at which it falls due on the clock of its schedule."""
    if not schedule.anytime:
        return time(schedule.hour or 0, schedule.minute or 0, tzinfo=zone)
    return (one.rhythm_from or one.next_at).astimezone(zone).timetz().replace(fold=0)


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
            days_of(schedules.get(group[0].schedule or 0), group[0], span),
            tuple(group),
        )
        for group in gathered.values()
    ]


def _likeness(one: Coming, schedule: Schedule | None, span: Span) -> tuple[object, ...]:
    """Harvests for which this is equal have the same days."""
    if schedule is None or schedule.max_runs is not None:
        return (one.schedule, one.next_at, one.runs)
    if schedule.unit in DAYS and schedule.ends_at is None:
        second, zone = one.second(schedule), zone_of(schedule)
        if zone == span.zone:  # on the same clock the hour does not matter
            return (one.schedule, _day(one.next_at, span), _day(second, span) if second else None)
        return (one.schedule, _day(one.next_at, span), second, _wanted(schedule, one, zone))
    return (one.schedule, one.next_at, one.rhythm_from if schedule.anytime or schedule.every > 1 else None)


def volumes_by_day(crowds: Iterable[Crowd], expected: Mapping[int, Volume]) -> dict[date, Volume]:
    found: dict[date, Volume] = {}
    for crowd in crowds:
        together = total(expected.get(member.id, Volume(1)) for member in crowd.members)
        for day, count in crowd.days.items():
            found[day] = found.get(day, Volume()) + together.times(count)
    return found
