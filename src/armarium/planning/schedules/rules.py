"""When a schedule falls due. Pure: no clock but the moment that is given.

Days, weeks and months are counted on the clock of the schedule's zone, minutes and hours as they pass. So a
daily harvest at 03:00 stays at 03:00 through summer and winter time. A moment that the clocks skip in spring
is that much later; one that comes twice in autumn is the first of the two.
"""

import calendar
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import available_timezones

from armarium.core.errors import Refusals
from armarium.core.message import message
from armarium.core.moments import zone_named
from armarium.planning.schedules.model import MOST_UNITS, Rhythm, Schedule, Unit

ELAPSED = {Unit.MINUTE: timedelta(minutes=1), Unit.HOUR: timedelta(hours=1)}
DAYS = {Unit.DAY: 1, Unit.WEEK: 7}
#: In any zone, and a step of any rhythm further, there is still a calendar.
FIRST, LAST = datetime(1990, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
FAR_AWAY = message(
    "Choose a moment of the years %(first)s to %(last)s.", first=FIRST.year, last=LAST.year - 1
)


def next_after(
    schedule: Schedule, moment: datetime, runs: int, begun: datetime | None = None
) -> datetime | None:
    """The run after `runs` earlier ones, or None if there is none (or the schedule is paused).

    Before the first run: the first moment that fits, not before `moment` nor the schedule's start.
    Later, `moment` is the last run: the next date of the rule after it. A run that was moved to another day
    moves no other: whoever reads "every Monday" expects the next Monday.
    `begun`, the first run of all, says which weeks "every second week" means, and which hour and which day of
    the month are wanted where the schedule leaves that open: a last run that the clocks, a short month or
    somebody had moved does not.
    """
    if not schedule.active or _spent(schedule, runs) or max(moment, schedule.starts_at or moment) >= LAST:
        return None
    if schedule.unit is Unit.ONCE:
        found = first_from(schedule, moment) if runs == 0 else None
    elif runs == 0:
        found = first_from(schedule, moment)
    else:
        found = _not_before_start(schedule, _following(schedule, moment, begun or moment))
    if found is None or (schedule.ends_at is not None and found > schedule.ends_at):
        return None
    return found


def first_from(schedule: Schedule, moment: datetime) -> datetime:
    """The first moment that fits, from `moment` and the schedule's start on."""
    begin = max(moment, schedule.starts_at) if schedule.starts_at else moment
    if schedule.unit is Unit.ONCE or is_free(schedule):
        return begin.astimezone(UTC)
    if schedule.unit is Unit.HOUR:
        return _at_minute(schedule, begin)
    return _instant(schedule, _slot_from(schedule, begin))


def first_date(schedule: Schedule, now: datetime, runs: int) -> datetime | None:
    """When a harvest falls due first if it follows the schedule from now on; `runs`: those it has had."""
    if _spent(schedule, runs) or (schedule.unit is Unit.ONCE and runs > 0):
        return None
    if schedule.unit is Unit.ONCE and schedule.starts_at and schedule.starts_at < now:
        return None  # its one moment has passed: to start now would be another schedule
    return next_after(_endless(schedule), now, 0)


def following(
    schedule: Schedule, date: datetime, runs: int, begun: datetime | None = None
) -> datetime | None:
    """The date after one that has begun or was skipped; `runs`: how many have begun so far.

    `max_runs` counts runs that began: a date that was skipped takes nothing away from it.
    """
    if _spent(schedule, runs) or schedule.unit is Unit.ONCE:
        return None
    return next_after(_endless(schedule), date, 1, begun)


def upcoming(schedule: Schedule, moment: datetime, most: int, runs: int = 0) -> list[datetime]:
    """The next runs, at most so many, of a harvest that begins to follow the schedule at this moment."""
    found: list[datetime] = []
    date = first_date(schedule, moment, runs)
    while date is not None and len(found) < most:
        found.append(date)
        date = following(schedule, date, runs + len(found), found[0])
    return found


def is_free(schedule: Rhythm) -> bool:
    """Whether the schedule knows no fixed moment, only how long after the last run."""
    return schedule.anytime or schedule.unit is Unit.MINUTE


def checked(rhythm: Rhythm) -> Rhythm:
    """The same rhythm, or `Refused` with the fields that are wrong."""
    with Refusals() as wrong:
        if not 1 <= rhythm.every <= MOST_UNITS:
            wrong.add("every", message("Write a number from 1 to %(most)s.", most=MOST_UNITS))
        for name, least, most in (("minute", 0, 59), ("hour", 0, 23), ("weekday", 1, 7), ("day", 1, 31)):
            value = getattr(rhythm, name)
            if value is not None and not least <= value <= most:
                text = message("Write a number from %(least)s to %(most)s.", least=least, most=most)
                wrong.add(name, text)
        if rhythm.max_runs is not None and rhythm.max_runs < 1:
            wrong.add("max_runs", message("Write 1 or more, or nothing for no limit."))
        for name in ("starts_at", "ends_at"):
            moment = getattr(rhythm, name)
            if moment is not None and not FIRST <= moment < LAST:
                wrong.add(name, FAR_AWAY)
        if rhythm.starts_at and rhythm.ends_at and rhythm.ends_at < rhythm.starts_at:
            wrong.add("ends_at", message("The end is before the start."))
        zone_of(rhythm)
    return rhythm


def zone_of(rhythm: Rhythm) -> tzinfo:
    return zone_named(rhythm.zone)


def zones() -> list[str]:
    """The zones that people choose from: those named by a place."""
    return sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))


# --- steps


def _spent(schedule: Schedule, runs: int) -> bool:
    return schedule.max_runs is not None and runs >= schedule.max_runs


def _endless(schedule: Schedule) -> Schedule:
    return replace(schedule, max_runs=None)


def _not_before_start(schedule: Schedule, moment: datetime) -> datetime:
    """A start that was set later holds also for a harvest that has run before."""
    if schedule.starts_at is None or moment >= schedule.starts_at:
        return moment
    return first_from(schedule, schedule.starts_at)


def _following(schedule: Schedule, last: datetime, begun: datetime) -> datetime:
    if is_free(schedule):
        return _so_long_after(schedule, last, begun)
    later = last + timedelta(microseconds=1)
    if schedule.unit is Unit.HOUR:
        hour = _at_minute(schedule, later)
        passed = (hour - _at_minute(schedule, begun)) // ELAPSED[Unit.HOUR]
        return _at_minute(schedule, hour + -passed % schedule.every * ELAPSED[Unit.HOUR])
    day = _slot_from(schedule, later)
    passed = _units_between(schedule, _slot_from(schedule, begun), day)
    return _instant(schedule, _later(schedule, day, schedule.day or 1, units=-passed % schedule.every))


def _so_long_after(schedule: Schedule, last: datetime, begun: datetime) -> datetime:
    if schedule.unit in ELAPSED:
        return (last + schedule.every * ELAPSED[schedule.unit]).astimezone(UTC)
    zone = zone_of(schedule)
    wanted = begun.astimezone(zone)
    day = _later(schedule, last.astimezone(zone).date(), wanted.day, units=schedule.every)
    return datetime.combine(day, wanted.timetz().replace(fold=0)).astimezone(UTC)


def _units_between(schedule: Schedule, first: date, day: date) -> int:
    if schedule.unit is Unit.MONTH:
        return (day.year - first.year) * 12 + day.month - first.month
    return (day - first).days // DAYS[schedule.unit]


def _at_minute(schedule: Schedule, moment: datetime) -> datetime:
    """The first moment from here on at which the clock shows the minute."""
    whole = moment.replace(second=0, microsecond=0)
    if whole < moment:
        whole += timedelta(minutes=1)
    wait = ((schedule.minute or 0) - whole.astimezone(zone_of(schedule)).minute) % 60
    return (whole + timedelta(minutes=wait)).astimezone(UTC)


def _slot_from(schedule: Schedule, moment: datetime) -> date:
    """The first day that fits and whose moment is not before this one."""
    day = moment.astimezone(zone_of(schedule)).date() - timedelta(days=1)  # a skipped moment may be a day on
    if schedule.unit is Unit.WEEK:
        day += timedelta(days=((schedule.weekday or 1) - day.isoweekday()) % 7)
    elif schedule.unit is Unit.MONTH:
        day = _in_month(day.year, day.month, schedule.day or 1)
    while _instant(schedule, day) < moment:
        day = _later(schedule, day, schedule.day or 1, units=1)
    return day


def _later(schedule: Schedule, day: date, of_month: int, *, units: int) -> date:
    """So many days, weeks or months later; in months, on that day or the last."""
    if schedule.unit is Unit.MONTH:
        months = day.year * 12 + day.month - 1 + units
        return _in_month(months // 12, months % 12 + 1, of_month)
    return day + timedelta(days=DAYS[schedule.unit] * units)


def _in_month(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _instant(schedule: Schedule, day: date) -> datetime:
    """The moment of a day; where the clocks skip it, as much later as they skip (PEP 495, fold 0)."""
    at = time(schedule.hour or 0, schedule.minute or 0, tzinfo=zone_of(schedule))
    return datetime.combine(day, at).astimezone(UTC)
