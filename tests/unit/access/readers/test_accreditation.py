"""Accreditations: their states, their days, and lists of them."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from armarium.access.accreditation.model import Accreditation, AccreditationState, Period
from armarium.access.accreditation.service import lines_of
from armarium.core.errors import Refused

TODAY = date(2026, 6, 15)
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
AMELIE = Accreditation(
    1, 2, "amelie", "Amélie", True, date(2026, 1, 1), date(2026, 12, 31), "", MOMENT, "ada", None, ""
)


def test_both_days_are_included() -> None:
    assert AMELIE.state(date(2025, 12, 31)) is AccreditationState.COMING
    assert AMELIE.state(date(2026, 1, 1)) is AccreditationState.VALID
    assert AMELIE.state(date(2026, 12, 31)) is AccreditationState.SOON
    assert AMELIE.state(date(2027, 1, 1)) is AccreditationState.EXPIRED


def test_what_staff_ended_is_ended_on_every_day() -> None:
    assert replace(AMELIE, ended_at=MOMENT).state(TODAY) is AccreditationState.ENDED


@pytest.mark.parametrize(
    ("first", "last"), [(date(2026, 2, 1), date(2026, 1, 1)), (date(2026, 1, 1), date(2046, 1, 1))]
)
def test_periods_that_cannot_be_are_refused(first: date, last: date) -> None:
    with pytest.raises(Refused):
        Period(first, last).checked()


def test_a_list_may_have_titles_a_mark_of_order_empty_lines_and_semicolons() -> None:
    text = "\ufeffName;first_day;last_day;note\r\n\r\namelie;2026-01-01;2026-12-31;card 4711, north\r\n"
    (line,) = lines_of(text)
    assert (line.number, line.name, line.note, line.fault) == (3, "amelie", "card 4711, north", None)
    assert line.period == Period(date(2026, 1, 1), date(2026, 12, 31))


def test_a_note_may_be_quoted_or_left_out() -> None:
    first, second = lines_of('a,2026-01-01,2026-12-31,"card 1, blue"\nb,2026-01-01,2026-12-31')
    assert (first.note, second.note) == ("card 1, blue", "")


@pytest.mark.parametrize("line", ["amelie", "amelie,1.1.2026,31.12.2026", "amelie,,", "a,b,c,d,e"])
def test_a_line_without_days_is_told_so(line: str) -> None:
    (found,) = lines_of(line)
    assert found.fault is not None


def test_an_endless_list_is_refused() -> None:
    with pytest.raises(Refused):
        list(lines_of("a,2026-01-01,2026-12-31\n" * 10_001))
