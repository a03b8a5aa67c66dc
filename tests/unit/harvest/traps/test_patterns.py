import re

import pytest

from armarium.harvest.traps.calendars import date_in
from armarium.harvest.traps.suspicion import on_host, years_after, years_before


@pytest.mark.parametrize("year", [1986, 1999, 2000, 2026, 2029, 2099])
def test_years_before_and_after_are_all_those_and_no_others(year: int) -> None:
    years = [f"{number:04}" for number in range(10_000)]
    assert [int(text) for text in years if re.fullmatch(years_after(year), text)] == list(
        range(year + 1, 10_000)
    )
    assert [int(text) for text in years if re.fullmatch(years_before(year), text)] == list(range(year))


def test_a_host_is_matched_whole() -> None:
    pattern = on_host("a.org", "/x.y")
    assert re.search(pattern, "https://www.a.org:8080/x.y/z")
    assert not re.search(pattern, "https://www.a.org/x-y")
    assert not re.search(pattern, "https://a.org.evil.com/x.y")
    assert not re.search(pattern, "https://evil.com/?http://a.org/x.y")


@pytest.mark.parametrize(
    ("path", "query", "before", "year"),
    [
        ("/calendar/2024/01/", "", "/calendar/", 2024),
        ("/a/2024-01-31", "", "/a/", 2024),
        ("/a/20240131.html", "", "/a/", 2024),
        ("/a", "date=2024-1", "/a?date=", 2024),
        ("/a", "day=31&month=1&year=2024", "/a", 2024),
    ],
)
def test_dates_are_found(path: str, query: str, before: str, year: int) -> None:
    dated = date_in(path, query)
    assert dated
    assert (dated.before, dated.year, dated.number > 0) == (before, year, True)


@pytest.mark.parametrize(
    ("path", "query"), [("/a/12345/01", ""), ("/a", "y=2024"), ("/x/2024", ""), ("/99999999", "")]
)
def test_other_numbers_are_no_dates(path: str, query: str) -> None:
    assert date_in(path, query) is None


def test_a_month_above_twelve_is_no_date_and_tells_so() -> None:
    dated = date_in("/item/2024-77", "")
    assert dated
    assert dated.number == 0
