"""The dates of a harvest, by its schedule. Pure."""

from collections.abc import Iterator
from datetime import datetime

from armarium.planning.harvests.missed import Following
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import following


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
