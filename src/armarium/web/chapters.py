"""The report: what each room tells about a year, month by month, for whoever answers for the archive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from armarium.core.message import Message
from armarium.web.plots.model import Drawable, Month, Plot, Series, Shape, Unit

MONTHS = 12


@dataclass(frozen=True)
class Period:
    """Twelve months: the last ones, or those of a year."""

    months: tuple[date, ...]  # their first days
    until: datetime  # the end of the last, or this moment
    zone: str
    year: int | None = None  # None: the last twelve months

    @property
    def since(self) -> datetime:
        return datetime.combine(self.months[0], time.min, ZoneInfo(self.zone))

    @property
    def is_present(self) -> bool:
        """Whether it reaches to this day."""
        return self.until < datetime.combine(next_month(self.months[-1]), time.min, ZoneInfo(self.zone))


def period_of(year: int | None, now: datetime, zone: str) -> Period:
    local = now.astimezone(ZoneInfo(zone))
    first = local.date().replace(day=1) if year is None else date(year, MONTHS, 1)
    months = [first]
    while len(months) < MONTHS:
        months.append((months[-1] - timedelta(days=1)).replace(day=1))
    end = datetime.combine(next_month(first), time.min, ZoneInfo(zone))
    return Period(tuple(reversed(months)), min(now, end), zone, year)


def next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


@dataclass(frozen=True)
class Chapter:
    id: str
    title: Message
    order: int
    sentences: Sequence[Message] = ()
    pictures: Sequence[Drawable] = ()


def monthly(
    name: str,
    title: Message,
    period: Period,
    *series: tuple[Message, Mapping[date, int], str],
    grows: bool = False,
    lines: bool = False,
    in_bytes: bool = False,
) -> Plot:
    """Values of each month of the period: labels, values by first day, tones. `lines`: of things that do not
    add up."""
    return Plot(
        name,
        title,
        [Month(one.year, one.month, 1) for one in period.months],
        [
            Series(label, [values.get(one, 0) for one in period.months], tone)
            for label, values, tone in series
        ],
        shape=Shape.AREAS if grows else Shape.LINES if lines else Shape.BARS,
        unit=Unit.BYTES if in_bytes else Unit.COUNT,
        summed=not (grows or lines),
    )


def within(values: Mapping[date, int], period: Period) -> int:
    """The sum of the period's months."""
    return sum(values.get(one, 0) for one in period.months)
