"""No text of ours becomes a formula in somebody's spreadsheet, and every text comes back as it was."""

import csv
import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.spreadsheet import harmless, restored
from armarium.selection.exchange.csv_files import csv_line

STARTS = ("=", "+", "-", "@")
HOSTILE = st.text(alphabet="=+-@'\";,|\t\r\n a＝", max_size=12)


@given(HOSTILE)
def test_what_was_made_harmless_comes_back(text: str) -> None:
    assert restored(harmless(text)) == text


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert restored(harmless(text)) == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert harmless(text).startswith("'")


def test_what_is_no_formula_stays() -> None:
    for text in ("a=b", "L’art -- et la manière", "1-2", "'quoted'", "https://a.example/?a=1&b=-2"):
        assert harmless(text) == text


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@given(cells=st.lists(HOSTILE, min_size=1, max_size=4))
def test_no_cell_is_a_formula_whatever_separator_it_is_opened_with(separator: str, cells: list[str]) -> None:
    line = csv_line(cells)
    for row in csv.reader(io.StringIO(line, newline=""), delimiter=separator):
        for cell in row:
            assert not cell.strip(' "\t\r\n').startswith(STARTS)


@pytest.mark.parametrize("blank", ["\n", " ", "\n ", '"', "'", ";", ",'", "\t"])
def test_a_cell_of_nothing_but_blanks_takes_no_longer_than_another(blank: str) -> None:
    """With 20,000 line breaks in its notes, one record once held an export up for 17 seconds."""
    text = f"a{blank * 100_000}a'"
    began = time.process_time()
    assert restored(harmless(text)) == text
    assert time.process_time() - began < 10
