"""When schedules fall due: the clock, summer time, the ends of months."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.core.errors import Refused
from armarium.planning.schedules.model import Rhythm, Schedule, Unit
from armarium.planning.schedules.rules import checked, first_date, first_from, next_after, upcoming, zones

PARIS = ZoneInfo("Europe/Paris")
DAILY = Schedule(Unit.DAY, hour=3, minute=0)
NIGHTLY = Schedule(Unit.DAY, hour=2, minute=30, zone="Europe/Paris")
MONDAYS = Schedule(Unit.WEEK, weekday=1, hour=3, minute=15)
LAST_OF_MONTH = Schedule(Unit.MONTH, day=31, hour=1, minute=0)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(moments: list[datetime], zone: ZoneInfo = PARIS) -> list[str]:
    return [moment.astimezone(zone).strftime("%m-%d %H:%M") for moment in moments]


def test_the_first_run_is_the_first_moment_that_fits_from_now_on() -> None:
    assert next_after(DAILY, utc("2026-11-15T02:59"), 0) == utc("2026-11-15T03:00")
    assert next_after(DAILY, utc("2026-11-15T03:00"), 0) == utc("2026-11-15T03:00")
    assert next_after(DAILY, utc("2026-11-15T03:01"), 0) == utc("2026-11-16T03:00")
    assert next_after(MONDAYS, utc("2026-11-15T12:00"), 0) == utc("2026-11-16T03:15")


def test_the_first_run_is_not_before_the_start() -> None:
    later = replace(DAILY, starts_at=utc("2026-12-24T12:00"))
    assert next_after(later, utc("2026-11-15T12:00"), 0) == utc("2026-12-25T03:00")
    free = replace(later, anytime=True)
    assert next_after(free, utc("2026-11-15T12:00"), 0) == utc("2026-12-24T12:00")


def test_later_runs_are_so_many_units_after_the_last() -> None:
    third_day = replace(DAILY, every=3)
    assert next_after(third_day, utc("2026-11-15T03:00"), 1) == utc("2026-11-18T03:00")
    second_week = replace(MONDAYS, every=2)
    assert next_after(second_week, utc("2026-11-16T03:15"), 1) == utc("2026-11-30T03:15")
    quarterly = Schedule(Unit.MONTH, every=3, day=1, hour=0, minute=0)
    assert next_after(quarterly, utc("2026-11-01T00:00"), 1) == utc("2027-02-01T00:00")
    fifth_hour = Schedule(Unit.HOUR, every=5, minute=20)
    assert next_after(fifth_hour, utc("2026-11-15T22:20"), 1) == utc("2026-11-16T03:20")


def test_after_a_run_that_somebody_moved_comes_the_next_date_of_the_rule() -> None:
    assert next_after(MONDAYS, utc("2026-11-17T10:00"), 1) == utc("2026-11-23T03:15")  # run on a Tuesday
    assert next_after(Schedule(Unit.HOUR, minute=5), utc("2026-11-15T10:31"), 1) == utc("2026-11-15T11:05")
    monthly = Schedule(Unit.MONTH, day=15, hour=2, minute=0)
    assert next_after(monthly, utc("2026-11-16T09:00"), 1) == utc("2026-12-15T02:00")
    assert next_after(monthly, utc("2026-11-14T09:00"), 1) == utc("2026-11-15T02:00")


def test_a_run_that_somebody_moved_leaves_every_second_week_as_it_was() -> None:
    begun = utc("2026-11-02T03:15")
    fortnightly = replace(MONDAYS, every=2)
    for moved in ("2026-11-16T03:15", "2026-11-17T10:00", "2026-11-24T10:00"):
        assert next_after(fortnightly, utc(moved), 1, begun) == utc("2026-11-30T03:15")
    quarterly = Schedule(Unit.MONTH, every=3, day=31, hour=0, minute=0)
    assert next_after(quarterly, utc("2027-03-01T00:00"), 1, utc("2026-11-30T00:00")) == utc(
        "2027-05-31T00:00"
    )
    fifth_hour = Schedule(Unit.HOUR, every=5, minute=20)
    assert next_after(fifth_hour, utc("2026-11-15T23:00"), 1, utc("2026-11-15T12:20")) == utc(
        "2026-11-16T03:20"
    )


@pytest.mark.parametrize(
    ("unit", "every", "following"),
    [
        (Unit.MINUTE, 90, "2026-11-15T11:47:30"),
        (Unit.HOUR, 2, "2026-11-15T12:17:30"),
        (Unit.DAY, 10, "2026-11-25T10:17:30"),
        (Unit.WEEK, 1, "2026-11-22T10:17:30"),
        (Unit.MONTH, 2, "2027-01-15T10:17:30"),
    ],
)
def test_anytime_is_exactly_so_long_after_the_last_run(unit: Unit, every: int, following: str) -> None:
    schedule = Schedule(unit, every=every, anytime=True, minute=0, hour=3, weekday=1, day=1)
    assert next_after(schedule, utc("2026-11-15T10:17:30"), 4) == utc(following)


def test_a_day_beyond_the_end_of_a_month_is_its_last_and_comes_back() -> None:
    found = upcoming(LAST_OF_MONTH, utc("2027-01-01T00:00"), 5)
    assert [one.strftime("%m-%d") for one in found] == ["01-31", "02-28", "03-31", "04-30", "05-31"]
    leap = upcoming(replace(LAST_OF_MONTH, day=30), utc("2028-02-01T00:00"), 2)
    assert [one.strftime("%m-%d") for one in leap] == ["02-29", "03-30"]


def test_a_schedule_stays_at_its_hour_through_summer_and_winter_time() -> None:
    paris = replace(DAILY, zone="Europe/Paris")
    spring = upcoming(paris, utc("2027-03-27T00:00"), 3)
    assert local(spring) == ["03-27 03:00", "03-28 03:00", "03-29 03:00"]
    assert spring[1] - spring[0] == timedelta(hours=23)
    autumn = upcoming(paris, utc("2027-10-30T00:00"), 3)
    assert local(autumn) == ["10-30 03:00", "10-31 03:00", "11-01 03:00"]
    assert autumn[1] - autumn[0] == timedelta(hours=25)


def test_a_moment_that_the_clocks_skip_is_an_hour_later_and_no_day_is_lost() -> None:
    found = upcoming(NIGHTLY, utc("2027-03-27T00:00"), 4)
    assert local(found) == ["03-27 02:30", "03-28 03:30", "03-29 02:30", "03-30 02:30"]


def test_a_rhythm_without_a_fixed_moment_keeps_the_hour_and_the_day_of_its_first_run() -> None:
    nightly = Schedule(Unit.DAY, anytime=True, zone="Europe/Paris")
    found = upcoming(nightly, utc("2027-03-26T01:30"), 4)
    assert local(found) == ["03-26 02:30", "03-27 02:30", "03-28 03:30", "03-29 02:30"]
    monthly = upcoming(Schedule(Unit.MONTH, anytime=True), utc("2027-01-31T10:00"), 4)
    assert [one.strftime("%m-%d") for one in monthly] == ["01-31", "02-28", "03-31", "04-30"]


def test_a_moment_that_comes_twice_is_one_run_at_the_first_of_them() -> None:
    found = upcoming(NIGHTLY, utc("2027-10-30T00:00"), 3)
    assert found == [utc("2027-10-30T00:30"), utc("2027-10-31T00:30"), utc("2027-11-01T01:30")]


def test_hours_pass_one_by_one_when_the_clocks_change() -> None:
    hourly = Schedule(Unit.HOUR, minute=10, zone="Europe/Paris")
    found = upcoming(hourly, utc("2027-10-30T23:00"), 4)
    assert local(found) == ["10-31 01:10", "10-31 02:10", "10-31 02:10", "10-31 03:10"]


def test_zones_with_half_hours_keep_their_minute() -> None:
    kolkata = Schedule(Unit.HOUR, minute=10, zone="Asia/Kolkata")
    assert next_after(kolkata, utc("2026-11-15T00:00"), 0) == utc("2026-11-15T00:40")


def test_once_is_once() -> None:
    once = Schedule(Unit.ONCE, starts_at=utc("2026-12-24T18:00"))
    assert next_after(once, utc("2026-11-15T00:00"), 0) == utc("2026-12-24T18:00")
    assert next_after(once, utc("2026-12-24T18:00"), 1) is None
    at_once = utc("2026-11-15T00:00")
    assert next_after(Schedule(Unit.ONCE), at_once, 0) == at_once
    assert upcoming(once, at_once, 10) == [utc("2026-12-24T18:00")]
    assert upcoming(once, utc("2026-12-25T00:00"), 10) == []
    assert first_date(once, utc("2026-12-25T00:00"), 0) is None


def test_nothing_follows_the_end_the_last_run_or_a_pause() -> None:
    ending = replace(DAILY, ends_at=utc("2026-11-17T03:00"))
    assert next_after(ending, utc("2026-11-16T03:00"), 9) == utc("2026-11-17T03:00")
    assert next_after(ending, utc("2026-11-17T03:00"), 9) is None
    counted = replace(DAILY, max_runs=3)
    assert next_after(counted, utc("2026-11-17T03:00"), 2) is not None
    assert next_after(counted, utc("2026-11-17T03:00"), 3) is None
    assert len(upcoming(counted, utc("2026-11-17T00:00"), 10, runs=1)) == 2
    assert next_after(replace(DAILY, active=False), utc("2026-11-17T03:00"), 0) is None


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("year", [8999, 9999])
def test_nothing_is_due_where_the_calendar_ends(unit: Unit, year: int) -> None:
    schedule = Schedule(unit, every=1000, starts_at=utc(f"{year}-12-31T23:59"), zone="Europe/Paris")
    found = upcoming(schedule, utc("2026-11-15T00:00"), 1000)
    assert bool(found) == (year == 8999)


seconds = st.integers(0, 90 * 365 * 86_400)
moments = seconds.map(lambda passed: utc("2000-01-01") + timedelta(seconds=passed))
schedules = st.builds(
    Schedule,
    unit=st.sampled_from([unit for unit in Unit if unit is not Unit.ONCE]),
    every=st.integers(1, 60),
    anytime=st.booleans(),
    minute=st.none() | st.integers(0, 59),
    hour=st.none() | st.integers(0, 23),
    weekday=st.none() | st.integers(1, 7),
    day=st.none() | st.integers(1, 31),
    zone=st.sampled_from(["", "Europe/Paris", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"]),
)


@given(schedules, moments)
def test_runs_only_go_forward_and_none_is_skipped(schedule: Schedule, moment: datetime) -> None:
    first = first_from(schedule, moment)
    assert first >= moment
    found = upcoming(schedule, moment, 5)
    assert found[0] == first
    assert found == sorted(set(found))
    if schedule.unit is Unit.DAY and schedule.every == 1 and not schedule.anytime:
        assert first - moment <= timedelta(days=2, hours=2)  # Apia left a day out, in 2011


@given(schedules, moments)
def test_a_fixed_run_is_its_own_first_moment(schedule: Schedule, moment: datetime) -> None:
    run = first_from(schedule, moment)
    assert first_from(schedule, run) == run


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"every": 0}, "every"),
        ({"minute": 60}, "minute"),
        ({"hour": 24}, "hour"),
        ({"weekday": 8}, "weekday"),
        ({"day": 0}, "day"),
        ({"max_runs": 0}, "max_runs"),
        ({"zone": "Europe/Atlantis"}, "zone"),
        ({"zone": "../../etc/passwd"}, "zone"),
        ({"starts_at": utc("2027-01-01"), "ends_at": utc("2026-01-01")}, "ends_at"),
        ({"starts_at": utc("9999-12-31T22:00")}, "starts_at"),
        ({"starts_at": utc("0001-01-01")}, "starts_at"),
        ({"ends_at": utc("9999-12-31T22:00")}, "ends_at"),
    ],
)
def test_a_wrong_rhythm_is_refused_at_its_field(wrong: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as refused:
        checked(replace(Rhythm(Unit.DAY), **wrong))  # type: ignore[arg-type]
    assert refused.value.field == field


def test_zones_are_named_by_places() -> None:
    assert "Europe/Paris" in zones()
    assert not [name for name in zones() if name.startswith("Etc/")]
