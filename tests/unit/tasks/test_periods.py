"""Which moments of periodic tasks are due, hour by hour."""

from datetime import UTC, datetime

from procrastinate import SyncPsycopgConnector

from armarium.tasks.app import build_app
from armarium.tasks.context import TaskContext
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import TaskKind
from armarium.tasks.scheduler import Periods


def nothing(_context: TaskContext) -> None: ...


KINDS = TaskKinds(
    [TaskKind("a.minute", nothing, cron="* * * * *"), TaskKind("a.night", nothing, cron="17 3 * * *")]
)


def at(clock: str, day: int = 10) -> float:
    return datetime.fromisoformat(f"2026-03-{day}T{clock}").replace(tzinfo=UTC).timestamp()


def due(periods: Periods, now: float) -> dict[str, str]:
    return {
        period.task.name: datetime.fromtimestamp(moment, UTC).strftime("%d %H:%M")
        for period, moment in periods.due(now)
    }


def begun(clock: str, day: int = 10) -> Periods:
    periods = Periods(build_app(KINDS, SyncPsycopgConnector()).periodic_registry)
    due(periods, at(clock, day))
    return periods


def test_a_moment_is_named_once() -> None:
    periods = begun("09:00:30")
    assert due(periods, at("09:00:31")) == {}
    assert due(periods, at("09:01:00.5")) == {"a.minute": "10 09:01"}
    assert due(periods, at("09:01:01.5")) == {}


def test_at_the_start_the_last_moment_of_each_period_is_named_however_long_ago() -> None:
    periods = Periods(build_app(KINDS, SyncPsycopgConnector()).periodic_registry)
    assert due(periods, at("16:59:59")) == {"a.minute": "10 16:59", "a.night": "10 03:17"}


def test_of_many_missed_moments_only_the_last_is_named() -> None:
    periods = begun("17:00:30")
    assert due(periods, at("09:00:10", day=11)) == {"a.minute": "11 09:00", "a.night": "11 03:17"}


def test_periods_go_on_when_a_clock_that_was_a_day_ahead_is_corrected() -> None:
    periods = begun("09:00:30", day=11)
    assert due(periods, at("09:00:31")) == {"a.minute": "10 09:00", "a.night": "10 03:17"}
    assert due(periods, at("09:01:01")) == {"a.minute": "10 09:01"}


def test_a_clock_that_is_set_back_by_a_moment_repeats_nothing() -> None:
    periods = begun("09:01:00.2")
    assert due(periods, at("09:00:59.8")) == {}
    assert due(periods, at("09:01:00.8")) == {}
