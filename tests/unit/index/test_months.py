"""Captures by month: what is counted, and where it stands in the picture."""

from collections import Counter

from armarium.index.captures.pages import LEVELS, MOST_YEARS, WIDTH, count_months, drawn
from tests.unit.index.captures import capture

LINES = [capture("org,example)/", f"{month}05120000") for month in ("202403", "202601", "202601")]


def test_months_are_counted() -> None:
    assert count_months(LINES) == (Counter({"202601": 2, "202403": 1}), True)
    assert count_months(LINES, most=2)[1] is False


def test_every_month_between_the_first_and_the_last_year_is_drawn() -> None:
    drawing = drawn(*count_months(LINES))
    assert drawing is not None
    assert [year for year, _, _ in drawing.years] == ["2024", "2025", "2026"]
    assert [(one.digits, one.count) for one in drawing.squares if one.count] == [("202403", 1), ("202601", 2)]
    assert max(one.x for one in drawing.squares) < WIDTH
    assert [one.level for one in drawing.squares if one.count][-1] == LEVELS


def test_dates_that_are_none_do_not_spoil_the_picture() -> None:
    assert drawn(Counter({"999999": 1, "2026": 1, "x": 3}), True) is None
    drawing = drawn(Counter({"000101": 1, "202601": 1}), True)
    assert drawing is not None
    assert len(drawing.years) == MOST_YEARS
