import csv
import io

import pytest

from armarium.administration.audit import csv_line, day


@pytest.mark.parametrize("value", ["=1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_a_value_that_would_start_a_formula_becomes_text(value: str) -> None:
    assert next(csv.reader(io.StringIO(csv_line(value), newline=""))) == [f"'{value}"]


def test_other_values_are_left_alone() -> None:
    [row] = csv.reader(io.StringIO(csv_line("a=1", 5, None, 'x"y', "a,b\nc", ["d"]), newline=""))
    assert row == ["a=1", "5", "", 'x"y', "a,b\nc", "['d']"]


def test_a_day_that_is_none_asks_nothing() -> None:
    assert day("yesterday") is None
    assert day("2026-02-30") is None
    assert str(day("2026-12-31")) == "2026-12-31"
