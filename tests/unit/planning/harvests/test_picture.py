"""Days stand in the picture of their month where a wall calendar has them."""

from datetime import date, timedelta

from armarium.planning.harvests.calendar import Month
from armarium.planning.harvests.calendar_pages import STEP, month_cells
from armarium.planning.harvests.dates import Volume


def test_weeks_begin_on_the_day_of_the_language() -> None:
    first = date(2026, 11, 1)  # a Sunday
    november = Month(first, {first + timedelta(days=n): Volume() for n in range(30)})

    from_monday = month_cells(november, "bytes", 0, 0, first)
    from_sunday = month_cells(november, "bytes", 0, 6, first)

    assert (from_monday[0].x, from_monday[1].x, from_monday[1].y) == (6 * STEP, 0, STEP)
    assert (from_sunday[0].x, from_sunday[6].x, from_sunday[7].y) == (0, 6 * STEP, STEP)
