"""The figures of the home page: a year by week, of which a young archive shows what it has."""

from datetime import UTC, date, datetime, timedelta

from armarium.core.message import message
from armarium.core.services import Services
from armarium.web.home import year_shown
from armarium.web.overview import Asked, Figure, Series, grown
from armarium.web.plots.model import Plot

NOW = datetime(2026, 11, 19, 22, 30, tzinfo=UTC)
MONDAY = date(2026, 11, 16)


def week(back: int) -> date:
    return MONDAY - timedelta(weeks=back)


def shown(*values: dict[date, int]) -> list[Plot]:
    asked = Asked(Services({}), None, NOW, "Europe/Paris")  # type: ignore[arg-type]
    return year_shown(
        [Figure("things", message("Things"), [Series(message("T"), one)]) for one in values], asked
    )


def test_a_year_has_52_weeks_and_ends_with_this_one() -> None:
    (plot,) = shown({week(51): 3, week(0): 5})
    assert len(plot.labels) == 52
    assert (plot.labels[0], plot.labels[-1]) == (week(51), MONDAY)
    assert list(plot.series[0].values) == [3, *[0] * 50, 5]


def test_a_young_archive_begins_with_its_first_week_in_all_figures() -> None:
    older, younger = shown({week(7): 3}, {week(2): 5})
    assert older.labels == younger.labels
    assert older.labels[0] == week(7)
    assert list(younger.series[0].values) == [0, 0, 0, 0, 0, 5, 0, 0]


def test_there_are_never_fewer_weeks_than_can_be_drawn() -> None:
    (plot,) = shown({week(0): 3})
    assert len(plot.labels) == 3


def test_what_grows_is_known_at_the_end_of_each_week() -> None:
    weeks = [week(back) for back in (3, 2, 1, 0)]
    assert grown(100, {week(2): 30, week(0): 20}, weeks) == {
        week(3): 50,
        week(2): 80,
        week(1): 80,
        week(0): 100,
    }
