"""The dates of a harvest, by its schedule. Pure.

`max_runs` of a schedule counts runs that began: a date that was skipped takes nothing away from it.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from armarium.planning.harvests.missed import Following
from armarium.planning.schedules.model import Schedule, Unit
from armarium.planning.schedules.rules import next_after


def first_date(schedule: Schedule, now: datetime, runs: int) -> datetime | None:
    """When a harvest that is activated now falls due first."""
    if _spent(schedule, runs) or (schedule.unit is Unit.ONCE and runs > 0):
        return None
    if schedule.unit is Unit.ONCE and schedule.starts_at and schedule.starts_at < now:
        return None  # its one moment has passed: to start now would be another schedule
    return next_after(_endless(schedule), now, 0)


def following(schedule: Schedule, date: datetime, runs: int) -> datetime | None:
    """The date after one that has begun or was skipped; `runs`: how many have begun so far."""
    if _spent(schedule, runs) or schedule.unit is Unit.ONCE:
        return None
    return next_after(_endless(schedule), date, 1)


def after(schedule: Schedule | None) -> Following:
    """The same, for the rule of missed runs. Without a schedule a harvest runs once."""
    if schedule is None:
        return lambda _date, _runs: None
    return lambda date, runs: following(schedule, date, runs)


def dates_until(schedule: Schedule | None, first: datetime, end: datetime, runs: int) -> Iterator[datetime]:
    """The dates from `first` on, before `end`, as they would come if nothing is missed."""
    date: datetime | None = first
    while date is not None and date < end:
        yield date
        runs += 1
        date = following(schedule, date, runs) if schedule else None


def _spent(schedule: Schedule, runs: int) -> bool:
    return schedule.max_runs is not None and runs >= schedule.max_runs


def _endless(schedule: Schedule) -> Schedule:
    return replace(schedule, max_runs=None)
