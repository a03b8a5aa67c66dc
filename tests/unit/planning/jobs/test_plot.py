"""Lines of a plot."""

from datetime import UTC, datetime, timedelta

from armarium.planning.jobs.contexts import HEIGHT, WIDTH, plotted
from armarium.planning.jobs.model import Sample

START = datetime(2026, 5, 1, tzinfo=UTC)


def sample(minute: int, rate: float) -> Sample:
    return Sample(START + timedelta(minutes=minute), 0, 0, 0, rate, 0.0, 0)


def test_a_line_goes_from_the_first_moment_to_the_last() -> None:
    drawn = plotted([sample(0, 0), sample(1, 4), sample(2, 2)], lambda one: one.objects_per_second)
    assert drawn is not None
    places = [tuple(map(float, point.split(","))) for point in drawn.points.split()]
    assert [across for across, _ in places] == [0, WIDTH / 2, WIDTH]
    assert min(down for _, down in places) == places[1][1]
    assert all(0 <= down <= HEIGHT for _, down in places)
    assert (drawn.highest, drawn.last) == (4, 2)


def test_one_sample_is_no_line() -> None:
    assert plotted([sample(0, 1)], lambda one: one.objects_per_second) is None


def test_a_job_at_rest_is_a_flat_line() -> None:
    drawn = plotted([sample(0, 0), sample(0, 0)], lambda one: one.objects_per_second)
    assert drawn is not None
    assert drawn.highest == 0
