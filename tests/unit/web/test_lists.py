import csv
import io

from armarium.web.lists import csv_lines


def cells(*values: object, delimiter: str = ",") -> list[str]:
    [row] = csv.reader(io.StringIO(csv_lines([values]), newline=""), delimiter=delimiter)
    return row


def test_no_value_starts_a_formula_with_whatever_separator_it_is_opened() -> None:
    assert cells("=1", "\n=1", "＝1", -1) == ["'=1", "\n'=1", "'＝1", "-1"]
    assert cells("A title;=1+1", delimiter=";") == ["A title", "'=1+1"]


def test_other_values_are_left_alone() -> None:
    assert cells("a=1", 5, None, 'x"y', "a,b\nc", ["d"]) == ["a=1", "5", "", 'x"y', "a,b\nc", "['d']"]
