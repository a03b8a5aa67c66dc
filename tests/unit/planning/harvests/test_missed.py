"""The rule of missed runs, for all schedules and all absences."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.planning.harvests.dates import after
from armarium.planning.harvests.missed import MOST_CAUGHT_UP, Decision, decide
from armarium.planning.harvests.model import Missed
from armarium.planning.schedules.model import Schedule, Unit

DUE = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
DAILY = Schedule(Unit.DAY, hour=3, minute=0)


def decided(
    schedule: Schedule | None, late: timedelta, missed: Missed, *, runs: int = 3, first: datetime = DUE
) -> Decision:
    return decide(first, first + late, after(schedule), runs=runs, missed=missed, patience=HOUR)


def test_a_run_that_is_due_now_begins_and_the_next_date_follows() -> None:
    found = decided(DAILY, timedelta(seconds=40), Missed.SKIP)
    assert found == Decision((DUE,), (), DUE + timedelta(days=1))


def test_a_run_within_the_patience_is_no_missed_one() -> None:
    assert decided(DAILY, HOUR, Missed.SKIP).starts == (DUE,)
    assert decided(DAILY, HOUR + timedelta(seconds=1), Missed.SKIP).skipped == (DUE,)


def test_skipped_dates_are_named_and_the_one_that_is_on_time_runs() -> None:
    found = decided(DAILY, timedelta(days=3, minutes=1), Missed.SKIP)
    assert found.skipped == tuple(DUE + timedelta(days=n) for n in range(3))
    assert found.starts == (DUE + timedelta(days=3),)
    assert found.next_at == DUE + timedelta(days=4)


def test_missed_dates_are_caught_up_one_run_for_each() -> None:
    found = decided(DAILY, timedelta(days=3, hours=5), Missed.CATCH_UP)
    assert found.starts == tuple(DUE + timedelta(days=n) for n in range(4))
    assert found.skipped == ()


def test_no_more_than_ten_are_caught_up_and_the_rest_is_said() -> None:
    found = decided(DAILY, timedelta(days=30, hours=5), Missed.CATCH_UP)
    assert found.starts == tuple(DUE + timedelta(days=n) for n in range(10))
    assert found.skipped == tuple(DUE + timedelta(days=n) for n in range(10, 31))


def test_the_run_on_time_begins_besides_the_ten() -> None:
    found = decided(DAILY, timedelta(days=30, minutes=5), Missed.CATCH_UP)
    assert len(found.starts) == MOST_CAUGHT_UP + 1
    assert found.starts[-1] == DUE + timedelta(days=30)


def test_the_last_run_that_a_schedule_allows_ends_it() -> None:
    twice = Schedule(Unit.DAY, hour=3, max_runs=5)
    found = decided(twice, timedelta(days=9, hours=5), Missed.CATCH_UP)
    assert (len(found.starts), found.skipped, found.next_at) == (2, (), None)


def test_a_skipped_date_takes_no_run_away() -> None:
    last = Schedule(Unit.DAY, hour=3, max_runs=4)
    found = decided(last, timedelta(days=2, hours=5), Missed.SKIP)
    assert (found.starts, len(found.skipped), found.next_at) == ((), 3, DUE + timedelta(days=3))


def test_a_schedule_of_one_date_ends_whether_it_ran_or_was_missed() -> None:
    once = Schedule(Unit.ONCE)
    assert decided(once, timedelta(0), Missed.SKIP, runs=0) == Decision((DUE,), (), None)
    assert decided(once, timedelta(days=2), Missed.SKIP, runs=0) == Decision((), (DUE,), None)
    assert decided(once, timedelta(days=2), Missed.CATCH_UP, runs=0) == Decision((DUE,), (), None)


schedules = st.builds(
    Schedule,
    unit=st.sampled_from([Unit.MINUTE, Unit.HOUR, Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.ONCE]),
    every=st.integers(1, 40),
    anytime=st.booleans(),
    minute=st.none() | st.integers(0, 59),
    hour=st.none() | st.integers(0, 23),
    weekday=st.none() | st.integers(1, 7),
    day=st.none() | st.integers(1, 31),
    zone=st.sampled_from(["", "Europe/Paris", "America/St_Johns"]),
    max_runs=st.none() | st.integers(1, 30),
    ends_at=st.none() | st.integers(1, 300).map(lambda days: DUE + timedelta(days=days, minutes=7)),
)
absences = st.timedeltas(timedelta(0), timedelta(days=2))
long_absences = st.timedeltas(timedelta(0), timedelta(days=800))


def absence_of(schedule: Schedule) -> st.SearchStrategy[timedelta]:
    return absences if schedule.unit in (Unit.MINUTE, Unit.HOUR) else long_absences


@settings(max_examples=300, deadline=None)
@given(st.data(), schedules, st.sampled_from(Missed), st.integers(0, 29))
def test_every_date_that_passed_runs_or_is_said_to_be_skipped(
    data: st.DataObject, schedule: Schedule, missed: Missed, runs: int
) -> None:
    late = data.draw(absence_of(schedule))
    now = DUE + late
    found = decided(schedule, late, missed, runs=runs)
    together = sorted([*found.starts, *found.skipped])

    # Each date once, none in the future, none before the first.
    assert len(set(together)) == len(together)
    assert together[0] == DUE
    assert all(DUE <= date <= now for date in together)
    # They are the dates of the schedule, without a gap: one follows the other.
    for date, later in pairwise(together):
        begun = runs + sum(start <= date for start in found.starts)
        assert after(schedule)(date, begun) == later
    # What comes next lies in the future, or there is nothing.
    assert found.next_at is None or found.next_at > now
    assert found.next_at == after(schedule)(together[-1], runs + len(found.starts))


@settings(max_examples=200, deadline=None)
@given(st.data(), schedules, st.integers(0, 29))
def test_skipping_begins_one_run_at_most_and_only_the_latest(
    data: st.DataObject, schedule: Schedule, runs: int
) -> None:
    late = data.draw(absence_of(schedule))
    found = decided(schedule, late, Missed.SKIP, runs=runs)
    assert len(found.starts) <= 1
    assert all(start > date for start in found.starts for date in found.skipped)
    assert all(DUE + late - start <= HOUR for start in found.starts)


@settings(max_examples=200, deadline=None)
@given(st.data(), schedules, st.integers(0, 29))
def test_catching_up_skips_nothing_before_ten_runs_have_begun(
    data: st.DataObject, schedule: Schedule, runs: int
) -> None:
    found = decided(schedule, data.draw(absence_of(schedule)), Missed.CATCH_UP, runs=runs)
    assert len(found.starts) <= MOST_CAUGHT_UP + 1
    assert not found.skipped or len(found.starts) >= MOST_CAUGHT_UP
    if schedule.max_runs is not None and runs < schedule.max_runs:
        assert runs + len(found.starts) <= schedule.max_runs
