"""The rule of missed runs, for all schedules and all absences."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.planning.harvests.dates import MOST_CAUGHT_UP, Decision, after, decide
from armarium.planning.model import Missed, Unit
from armarium.planning.schedules.model import Schedule

DUE = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
DAILY = Schedule(Unit.DAY, hour=3, minute=0)


def decided(
    schedule: Schedule | None,
    late: timedelta,
    missed: Missed,
    *,
    runs: int = 3,
    first: datetime = DUE,
    busy: bool = False,
) -> Decision:
    follows = after(schedule, DUE)
    return decide(first, DUE + late, follows, runs=runs, missed=missed, patience=HOUR, busy=busy)


def caught_up(schedule: Schedule, late: timedelta, *, runs: int = 3) -> tuple[list[datetime], list[datetime]]:
    """What runs and what is skipped, if each run has ended before the next minute's look."""
    starts: list[datetime] = []
    skipped: list[datetime] = []
    date: datetime | None = DUE
    while date is not None and date <= DUE + late:
        found = decided(schedule, late, Missed.CATCH_UP, runs=runs + len(starts), first=date)
        starts += [found.start] if found.start else []
        skipped += found.skipped
        date = found.next_at
    return starts, skipped


def test_a_run_that_is_due_now_begins_and_the_next_date_follows() -> None:
    for missed in Missed:
        found = decided(DAILY, timedelta(seconds=40), missed)
        assert found == Decision(DUE, (), DUE + timedelta(days=1))


def test_a_run_within_the_patience_is_no_missed_one() -> None:
    assert decided(DAILY, HOUR, Missed.SKIP).start == DUE
    assert decided(DAILY, HOUR + timedelta(seconds=1), Missed.SKIP).skipped == (DUE,)


def test_skipped_dates_are_named_and_the_one_that_is_on_time_runs() -> None:
    found = decided(DAILY, timedelta(days=3, minutes=1), Missed.SKIP)
    assert found.skipped == tuple(DUE + timedelta(days=n) for n in range(3))
    assert found.start == DUE + timedelta(days=3)
    assert found.next_at == DUE + timedelta(days=4)


def test_missed_dates_are_caught_up_one_run_for_each_and_one_at_a_time() -> None:
    found = decided(DAILY, timedelta(days=3, hours=5), Missed.CATCH_UP)
    assert found == Decision(DUE, (), DUE + timedelta(days=1))
    starts, skipped = caught_up(DAILY, timedelta(days=3, hours=5))
    assert starts == [DUE + timedelta(days=n) for n in range(4)]
    assert skipped == []


def test_a_missed_date_waits_while_jobs_of_earlier_runs_wait_or_run() -> None:
    assert decided(DAILY, timedelta(days=3), Missed.CATCH_UP, busy=True) == Decision(None, (), DUE)
    long_ago = decided(DAILY, timedelta(days=30), Missed.CATCH_UP, busy=True)
    assert (long_ago.start, long_ago.next_at) == (None, DUE + timedelta(days=20))


def test_a_run_on_time_begins_although_others_are_under_way() -> None:
    for missed in Missed:
        assert decided(DAILY, HOUR, missed, busy=True).start == DUE


def test_no_more_than_ten_are_caught_up_and_those_before_are_said() -> None:
    starts, skipped = caught_up(DAILY, timedelta(days=30, hours=5))
    assert skipped == [DUE + timedelta(days=n) for n in range(21)]
    assert starts == [DUE + timedelta(days=n) for n in range(21, 31)]


def test_the_run_on_time_begins_besides_the_ten() -> None:
    starts, _ = caught_up(DAILY, timedelta(days=30, minutes=5))
    assert len(starts) == MOST_CAUGHT_UP + 1
    assert starts[-1] == DUE + timedelta(days=30)


def test_the_last_run_that_a_schedule_allows_ends_it() -> None:
    twice = Schedule(Unit.DAY, hour=3, max_runs=5)
    starts, skipped = caught_up(twice, timedelta(days=9, hours=5))
    assert (len(starts), skipped) == (2, [])


def test_a_skipped_date_takes_no_run_away() -> None:
    last = Schedule(Unit.DAY, hour=3, max_runs=4)
    found = decided(last, timedelta(days=2, hours=5), Missed.SKIP)
    assert (found.start, len(found.skipped), found.next_at) == (None, 3, DUE + timedelta(days=3))


def test_a_schedule_of_one_date_ends_whether_it_ran_or_was_missed() -> None:
    once = Schedule(Unit.ONCE)
    assert decided(once, timedelta(0), Missed.SKIP, runs=0) == Decision(DUE, (), None)
    assert decided(once, timedelta(days=2), Missed.SKIP, runs=0) == Decision(None, (DUE,), None)
    assert decided(once, timedelta(days=2), Missed.CATCH_UP, runs=0) == Decision(DUE, (), None)


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
@given(st.data(), schedules, st.sampled_from(Missed), st.integers(0, 29), st.booleans())
def test_every_date_that_passed_runs_or_waits_or_is_said_to_be_skipped(
    data: st.DataObject, schedule: Schedule, missed: Missed, runs: int, busy: bool
) -> None:
    late = data.draw(absence_of(schedule))
    now = DUE + late
    found = decided(schedule, late, missed, runs=runs, busy=busy)
    together = [*found.skipped, *([found.start] if found.start else [])]

    # Each date once, in their order, none in the future, none before the first.
    assert together == sorted(set(together))
    assert all(DUE <= date <= now for date in together)
    # They are the dates of the schedule, without a gap: one follows the other, and what comes next the last.
    follows = after(schedule, DUE)
    for date, later in pairwise(together):
        assert follows(date, runs) == later
    if together:
        assert together[0] == DUE
        assert found.next_at == follows(together[-1], runs + (found.start is not None))
    else:
        assert (busy, found.next_at) == (True, DUE)
    # Only who catches up leaves a date for later that has passed.
    if missed is Missed.SKIP:
        assert found.next_at is None or found.next_at > now


@settings(max_examples=100, deadline=None)
@given(st.data(), schedules, st.integers(0, 29))
def test_catching_up_runs_the_newest_and_skips_nothing_if_they_are_ten(
    data: st.DataObject, schedule: Schedule, runs: int
) -> None:
    starts, skipped = caught_up(schedule, data.draw(absence_of(schedule)), runs=runs)
    assert len(starts) <= MOST_CAUGHT_UP + 1
    assert all(date < start for date in skipped for start in starts)
    if schedule.max_runs is None:
        assert not skipped or len(starts) >= MOST_CAUGHT_UP
    elif runs < schedule.max_runs:
        assert runs + len(starts) <= schedule.max_runs
