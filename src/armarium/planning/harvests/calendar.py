"""The calendar of the year: what harvests have brought, and what they are expected to bring."""

import heapq
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, RowMapping

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.planning.harvests import calendar_queries, queries
from armarium.planning.harvests.dates import (
    Coming,
    Span,
    Volume,
    crowds,
    dates_until,
    days_of,
    first_on,
    total,
    volumes_by_day,
)
from armarium.planning.schedules.model import Schedule
from armarium.planning.settings import PlanningSettings

AGENDA = 50
FORESIGHT = timedelta(days=3660)  # no agenda looks further


@dataclass(frozen=True)
class Month:
    first: date
    days: Mapping[date, Volume]  # every day of it

    @property
    def total(self) -> Volume:
        return total(self.days.values())


@dataclass(frozen=True)
class Year:
    year: int
    today: date
    months: tuple[Month, ...]
    budget: int  # bytes; 0: none

    @property
    def total(self) -> Volume:
        return total(month.total for month in self.months)

    def most(self, measure: str) -> float:
        """The largest day, by which the others are shaded."""
        volumes = (volume for month in self.months for volume in month.days.values())
        return max((float(getattr(volume, measure)) for volume in volumes), default=0.0)


@dataclass(frozen=True)
class Appointment:
    """A run to come."""

    at: datetime
    harvest: Coming
    expected: Volume


class Calendar:
    def __init__(self, database: Database, settings: PlanningSettings) -> None:
        self.database = database
        self._settings = settings

    def today(self, zone: str) -> date:
        return clock.now().astimezone(zone_named(zone)).date()

    def year(self, year: int, zone: str) -> Year:
        days = self._volumes(Span(date(year, 1, 1), date(year, 12, 31), zone_named(zone)), zone)
        months = tuple(
            Month(date(year, month, 1), {day: volume for day, volume in days.items() if day.month == month})
            for month in range(1, 13)
        )
        return Year(year, self.today(zone), months, self._settings.yearly_budget_bytes)

    def month(self, year: int, month: int, zone: str) -> Month:
        first = date(year, month, 1)
        last = first.replace(day=monthrange(year, month)[1])
        return Month(first, self._volumes(Span(first, last, zone_named(zone)), zone))

    def day(
        self, day: date, zone: str, *, limit: int, offset: int = 0
    ) -> tuple[list[Appointment], list[RowMapping], int]:
        """What is expected of a day, what was due on it, and how many lines both have together."""
        span = Span(day, day, zone_named(zone))
        with self.database.transaction() as connection:
            schedules = queries.schedules(connection)
            gathered = crowds(calendar_queries.coming(connection), schedules, span)
            members = [one for crowd in gathered if crowd.days[day] for one in crowd.members]
            stretch = sorted(members, key=lambda one: one.name)[offset : offset + limit]
            lines, past = calendar_queries.runs_between(
                connection,
                span.begin(),
                span.end(),
                max(0, limit - len(stretch)),
                max(0, offset - len(members)),
            )
            expected = self._expected(connection, stretch)
            appointments = [_on(one, schedules, span, expected) for one in stretch]
        return appointments, lines, len(members) + past

    def agenda(self, most: int = AGENDA) -> list[Appointment]:
        """The next runs. Only harvests whose next date is among the first so many can have any of them."""
        with self.database.transaction() as connection:
            soonest = calendar_queries.coming(connection, limit=most)
            schedules = queries.schedules(connection)
            lines = [_line(one, schedules) for one in soonest if _runs(one, schedules)]
            merged = heapq.merge(*lines, key=lambda entry: (entry[0], entry[1].id))
            shown = list(islice(merged, most))
            expected = self._expected(connection, [one for _, one in shown])
        return [Appointment(at, one, expected.get(one.id, Volume(1))) for at, one in shown]

    def _volumes(self, span: Span, zone: str) -> dict[date, Volume]:
        """Of every day of the span."""
        with self.database.transaction() as connection:
            found = calendar_queries.brought_by_day(connection, span.begin(), span.end(), zone)
            gathered = crowds(calendar_queries.coming(connection), queries.schedules(connection), span)
            members = [one for crowd in gathered if crowd.days for one in crowd.members]
            coming = volumes_by_day(gathered, self._expected(connection, members))
        return {day: found.get(day, Volume()) + coming.get(day, Volume()) for day in span.days()}

    def _expected(self, connection: Connection, shown: Iterable[Coming]) -> dict[int, Volume]:
        """What one run of each harvest is expected to bring: by its own history, else by its domains."""
        wanted = {one.id for one in shown}
        measured = calendar_queries.measured(connection, wanted)
        estimated = calendar_queries.estimated(
            connection,
            wanted - measured.keys(),
            unknown=self._settings.unknown_domain_objects,
            average=self._settings.average_object_bytes,
            per_hour=self._settings.objects_per_hour,
        )
        return {**estimated, **measured}


def zone_named(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        text = message("There is no time zone named %(name)s; write it as Europe/Paris.", name=name)
        raise Refused(text, field="zone") from None


def _runs(one: Coming, schedules: Mapping[int, Schedule]) -> bool:
    """Whether no paused schedule holds it back."""
    schedule = schedules.get(one.schedule or 0)
    return schedule is None or schedule.active


def _line(one: Coming, schedules: Mapping[int, Schedule]) -> Iterator[tuple[datetime, Coming]]:
    schedule = schedules.get(one.schedule or 0)
    dates = dates_until(schedule, one.next_at, one.next_at + FORESIGHT, one.runs, one.rhythm_from)
    return ((at, one) for at in dates)


def _on(
    one: Coming, schedules: Mapping[int, Schedule], span: Span, expected: Mapping[int, Volume]
) -> Appointment:
    """A harvest on the one day of the span, with all of its runs there together."""
    schedule = schedules.get(one.schedule or 0)
    count = days_of(schedule, one, span)[span.first]
    at = first_on(schedule, one, span)
    return Appointment(at, one, expected.get(one.id, Volume(1)).times(count))
