"""The report: which months it is about, and what stands in them."""

from datetime import UTC, date, datetime

from armarium.core.message import message
from armarium.web.chapters import monthly, period_of, within

NOW = datetime(2026, 3, 31, 23, 30, tzinfo=UTC)


def test_the_last_twelve_months_end_with_this_one_where_people_live() -> None:
    here, east = period_of(None, NOW, "UTC"), period_of(None, NOW, "Europe/Paris")
    assert (here.months[0], here.months[-1]) == (date(2025, 4, 1), date(2026, 3, 1))
    assert (east.months[0], east.months[-1]) == (date(2025, 5, 1), date(2026, 4, 1))
    assert here.is_present
    assert east.since == datetime(2025, 4, 30, 22, tzinfo=UTC)


def test_a_year_has_its_months_and_is_over_some_day() -> None:
    past, present = period_of(2025, NOW, "UTC"), period_of(2026, NOW, "UTC")
    assert (past.months[0], past.months[-1]) == (date(2025, 1, 1), date(2025, 12, 1))
    assert past.until == datetime(2026, 1, 1, tzinfo=UTC)
    assert not past.is_present
    assert present.is_present
    assert present.until == NOW


def test_months_without_a_value_have_none_and_others_do_not_count() -> None:
    period = period_of(2025, NOW, "UTC")
    values = {date(2025, 2, 1): 5, date(2026, 1, 1): 100}
    plot = monthly("x", message("Records"), period, (message("Records"), values, "first"))
    assert list(plot.series[0].values) == [0, 5, *[0] * 10]
    assert within(values, period) == 5
