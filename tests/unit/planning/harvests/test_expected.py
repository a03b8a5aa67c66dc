"""On which days harvests fall: counted, and the same as if every date were listed."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.planning.harvests.calendar_pages import level
from armarium.planning.harvests.dates import (
    Coming,
    Span,
    Volume,
    crowds,
    dates_until,
    days_of,
    first_on,
    volumes_by_day,
)
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import first_from

PARIS = ZoneInfo("Europe/Paris")
YEAR = Span(date(2026, 1, 1), date(2026, 12, 31), PARIS)
MARCH = Span(date(2026, 3, 1), date(2026, 3, 31), PARIS)


def coming(number: int, schedule: int | None, next_at: datetime) -> Coming:
    return Coming(number, f"harvest {number}", "selective", schedule, next_at, 1)


def days(schedule: Schedule | None, next_at: datetime, runs: int, span: Span) -> Counter[date]:
    return days_of(schedule, replace(coming(1, 7, next_at), runs=runs), span)


def test_a_daily_harvest_falls_on_every_day_from_its_next_date_on() -> None:
    found = days(Schedule(Unit.DAY, hour=3), datetime(2026, 12, 30, 3, tzinfo=UTC), 1, YEAR)
    assert found == {date(2026, 12, 30): 1, date(2026, 12, 31): 1}


def test_a_schedule_by_the_minute_is_counted_not_listed() -> None:
    found = days(Schedule(Unit.MINUTE, every=1), datetime(2025, 12, 31, 23, tzinfo=UTC), 1, YEAR)
    assert len(found) == 365
    assert found[date(2026, 6, 1)] == 1440
    assert found[date(2026, 3, 29)] == 1380  # the clocks go forward


def test_a_day_belongs_to_the_readers_clock() -> None:
    late = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)  # half past midnight in Paris
    assert list(days(Schedule(Unit.ONCE), late, 0, MARCH)) == [date(2026, 3, 10)]


def test_a_next_date_set_by_hand_comes_first_and_the_schedule_after_it() -> None:
    mondays = Schedule(Unit.WEEK, weekday=1, hour=3)
    found = days(mondays, datetime(2026, 3, 4, 12, tzinfo=UTC), 1, MARCH)  # a Wednesday
    assert date(2026, 3, 4) in found
    assert all(day.isoweekday() == 1 for day in found if day != date(2026, 3, 4))
    begun, moved = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 3, 12, tzinfo=UTC)
    one = replace(coming(1, 7, moved), rhythm_from=begun)
    half_days = Schedule(Unit.HOUR, every=36, minute=0)
    assert [day.day for day in days_of(half_days, one, MARCH)][:4] == [3, 4, 6, 7]
    third = Span(date(2026, 3, 4), date(2026, 3, 4), PARIS)
    assert first_on(half_days, one, third) == begun + timedelta(hours=72)


def test_steps_are_counted_on_the_clock_of_the_schedule_not_of_the_reader() -> None:
    mondays = Schedule(Unit.WEEK, weekday=1, hour=1, minute=30, zone="Europe/Berlin")
    first = datetime(2026, 3, 9, 0, 30, tzinfo=UTC)
    reader = Span(date(2026, 3, 1), date(2026, 4, 30), UTC)
    found = sorted(days(mondays, first, 1, reader))
    assert found[:3] == [date(2026, 3, 9), date(2026, 3, 16), date(2026, 3, 23)]
    # In summer, half past one on a Monday in Berlin is Sunday in UTC.
    assert found[3:] == [date(2026, 3, 29) + timedelta(days=7 * n) for n in range(5)]


def test_harvests_with_the_same_dates_are_counted_together() -> None:
    at = datetime(2026, 3, 2, 3, tzinfo=UTC)
    gathered = crowds(
        [coming(1, 7, at), coming(2, 7, at), coming(3, None, at)], {7: Schedule(Unit.DAY, hour=3)}, MARCH
    )
    assert sorted(len(crowd.members) for crowd in gathered) == [1, 2]
    volumes = volumes_by_day(gathered, {1: Volume(1, 10, 100, 3600), 2: Volume(1, 5, 50, 0)})
    assert volumes[date(2026, 3, 2)] == Volume(3, 15, 150, 3600)
    assert volumes[date(2026, 3, 31)] == Volume(2, 15, 150, 3600)
    assert volumes[date(2026, 3, 31)].hours == 1


def test_a_paused_schedule_is_not_in_the_calendar() -> None:
    paused = Schedule(Unit.DAY, hour=3, active=False)
    assert crowds([coming(1, 7, datetime(2026, 3, 2, tzinfo=UTC))], {7: paused}, MARCH) == []


def test_the_largest_day_has_the_strongest_shade_and_a_small_one_is_still_seen() -> None:
    assert [level(value, 1000) for value in (0, 0.001, 100, 500, 1000)] == [0, 1, 2, 4, 5]


rhythms = st.builds(
    Schedule,
    unit=st.sampled_from(list(Unit)),
    every=st.integers(1, 9),
    anytime=st.booleans(),
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
    weekday=st.integers(1, 7),
    day=st.integers(1, 31),
    zone=st.sampled_from(["Europe/Paris", "", "America/St_Johns", "Pacific/Kiritimati"]),
    max_runs=st.none() | st.integers(1, 50),
    ends_at=st.none()
    | st.integers(0, 90).map(lambda days: datetime(2026, 2, 1, 5, 7, tzinfo=UTC) + timedelta(days=days)),
)


@settings(max_examples=150, deadline=None)
@given(rhythms, st.integers(0, 40), st.none() | st.integers(0, 5000))
def test_counted_days_are_the_days_of_the_listed_dates(
    rhythm: Schedule, wait: int, moved: int | None
) -> None:
    begun = first_from(rhythm, datetime(2026, 2, 20, tzinfo=UTC) + timedelta(days=wait))
    first = begun if moved is None else begun + timedelta(minutes=moved)  # by hand
    if rhythm.ends_at and first > rhythm.ends_at:
        return
    listed = Counter(
        day
        for moment in dates_until(rhythm, first, MARCH.end(), 0, begun)
        if (day := moment.astimezone(PARIS).date()) >= MARCH.first
    )
    one = replace(coming(1, 7, first), runs=0, rhythm_from=begun)
    assert days_of(rhythm, one, MARCH) == listed
    for day in list(listed)[-1:]:
        assert first_on(rhythm, one, Span(day, day, PARIS)).astimezone(PARIS).date() == day
