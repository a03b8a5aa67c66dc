"""Dates in sitemaps and feeds."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.text.dates import parse_date


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2004-04-06T23:05:43-05:00", datetime(2004, 4, 7, 4, 5, 43, tzinfo=UTC)),
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("20240501", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01 10:20", datetime(2024, 5, 1, 10, 20, tzinfo=UTC)),
        ("2024-05-01T10:20:30.5Z", datetime(2024, 5, 1, 10, 20, 30, 500_000, tzinfo=UTC)),
        ("2024-05-01T24:00:00Z", datetime(2024, 5, 2, tzinfo=UTC)),
        ("Mon, 06 Sep 2010 00:01:00 +0000", datetime(2010, 9, 6, 0, 1, tzinfo=UTC)),
        ("6 Sep 10 00:01 EST", datetime(2010, 9, 6, 5, 1, tzinfo=UTC)),
        ("Thu Jan  1 00:00:00 2004", datetime(2004, 1, 1, tzinfo=UTC)),
        ("lundi 3 mars 2003", datetime(2003, 3, 3, tzinfo=UTC)),
        ("Sun, 31 Dec 1999 23:59:60 GMT", datetime(1999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_date_is_a_moment_in_utc(text: str, moment: datetime) -> None:
    assert parse_date(text) == moment


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13-01", "31 Feb 2024", "0000-00-00", "99 Jan 99999"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


@given(st.text(alphabet="0123456789-+:T ZJanGMTé.", max_size=40))
def test_any_text_may_be_asked_for_its_date(text: str) -> None:
    moment = parse_date(text)
    assert moment is None or moment.tzinfo is UTC


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_the_form_of_the_standard_is_read_exactly(moment: datetime) -> None:
    assert parse_date(moment.isoformat()) == moment
