"""Captures of one address: counted by day, listed in order, and only those that a reader may know of."""

from pathlib import Path

import pytest

from armarium.access.model import OPEN, Decision
from armarium.access.search import calendar, listing
from armarium.access.search.listing import closest
from armarium.access.search.question import Question
from armarium.formats.cdx import CdxLine
from tests.unit.access.search.shelves import HIDDEN, RESTRICTED, line, revisit, view_of

URL = "http://example.org/"
LINES = [
    line(URL, "20100101120000", "A"),
    revisit(URL, "20100102120000", "A"),
    line(URL, "20100102180000", "A"),
    line(URL, "20110301120000", "B", status="404"),
    line(URL, "20120301120000", "C", mime="application/pdf"),
    revisit(URL, "20120302120000", "C"),
    line("http://example.org/other", "20100101120000"),
]


def by_year(line: CdxLine) -> Decision:
    return {"2010": HIDDEN, "2011": RESTRICTED}.get(line.timestamp[:4], OPEN)


def stamps(found: listing.Listing) -> list[str]:
    return [row.timestamp for row in found.rows]


def test_days_are_counted_and_revisits_are_captures(tmp_path: Path) -> None:
    counted = calendar.count(view_of(tmp_path, LINES), Question(URL))
    assert {day: found.count for day, found in counted.days.items()} == {
        "20100101": 1,
        "20100102": 2,
        "20110301": 1,
        "20120301": 1,
        "20120302": 1,
    }
    assert (counted.total, counted.first, counted.last) == (6, "20100101120000", "20120302120000")
    assert counted.years == {2010: 3, 2011: 1, 2012: 2}
    assert counted.complete


def test_a_count_that_was_cut_off_says_so(tmp_path: Path) -> None:
    counted = calendar.count(view_of(tmp_path, LINES), Question(URL), most=2)
    assert (counted.total, counted.complete) == (2, False)


def test_hidden_captures_are_neither_counted_nor_listed(tmp_path: Path) -> None:
    view = view_of(tmp_path, LINES, by_year)
    counted = calendar.count(view, Question(URL))
    assert (counted.total, counted.restricted, counted.first) == (3, 1, "20110301120000")
    assert stamps(listing.captures(view, Question(URL)))[0] == "20110301120000"


def test_a_restricted_capture_tells_its_date_and_why_but_nothing_else(tmp_path: Path) -> None:
    row = listing.captures(view_of(tmp_path, LINES, by_year), Question(URL)).rows[0]
    assert str(row.restricted) == "Only in the reading room."
    assert (row.status, row.mime, row.size, row.unchanged) == ("", "", None, False)


@pytest.mark.parametrize("narrow", [{"status": "4"}, {"kind": "page"}, {"changes": True}])
def test_no_filter_betrays_what_a_restricted_capture_is(tmp_path: Path, narrow: dict[str, object]) -> None:
    view = view_of(tmp_path, LINES, by_year)
    question = Question(URL).with_(**narrow)
    assert "20110301120000" not in stamps(listing.captures(view, question))
    assert calendar.count(view, question).restricted == 0


@pytest.mark.parametrize("newest", [False, True])
def test_what_did_not_change_is_called_so_whichever_way_the_list_goes(tmp_path: Path, newest: bool) -> None:
    found = listing.captures(view_of(tmp_path, LINES), Question(URL, newest=newest)).rows
    in_time = sorted(found, key=lambda row: row.timestamp)
    assert [row.unchanged for row in in_time] == [False, True, True, False, False, True]
    assert list(found) == (in_time[::-1] if newest else in_time)


def test_only_changes_can_be_listed_also_from_the_middle(tmp_path: Path) -> None:
    view = view_of(tmp_path, LINES)
    assert stamps(listing.captures(view, Question(URL, changes=True))) == [
        "20100101120000",
        "20110301120000",
        "20120301120000",
    ]
    day = Question(URL, from_="20100102", to="20100102", changes=True)
    assert stamps(listing.captures(view, day)) == []


def test_a_revisit_has_the_type_of_what_it_refers_to(tmp_path: Path) -> None:
    question = Question(URL, kind="document", from_="20120302", to="20120302")
    assert [row.mime for row in listing.captures(view_of(tmp_path, LINES), question).rows] == [
        "application/pdf"
    ]


def test_pages_of_the_list_follow_each_other_without_gap_or_repetition(tmp_path: Path) -> None:
    lines = [line(URL, f"2010{1 + n // 28:02}{1 + n % 28:02}120000", "ABC"[n % 3]) for n in range(170)]
    view, question, found = view_of(tmp_path, lines), Question(URL), []
    while True:
        page = listing.captures(view, question)
        found += stamps(page)
        if page.resume is None:
            break
        question = question.with_(resume=page.resume)
    assert found == [each.timestamp for each in lines]


def test_the_capture_at_a_moment_or_the_nearest_is_found(tmp_path: Path) -> None:
    view = view_of(tmp_path, LINES)
    nearest = closest(view, URL, "20110801000000")
    assert nearest is not None
    assert nearest.line.timestamp == "20110301120000"
    assert closest(view, "http://nothing.example/", "2011") is None


def test_years_reach_from_the_first_capture_to_now_and_days_have_their_weeks() -> None:
    counted = calendar.counted([("20100101120000", True), ("20100102120000", True)], 10)
    years = calendar.years(counted, 2026)
    assert (years[0].number, years[-1].number, len(years)) == (2010, 2026, 17)
    assert [year.number for year in years if year.count] == [2010]
    january = calendar.months(counted, 2010, first_week_day=0)[0]
    # The first of January 2010 was a Friday.
    assert january.weeks[0] == (0, 0, 0, 0, 1, 2, 3)
    assert (january.count, sorted(january.days)) == (2, [1, 2])


def test_dates_that_no_web_had_do_not_break_the_drawing() -> None:
    counted = calendar.counted([("00000000000000", True), ("20999999999999", True), ("xyz", True)], 10)
    assert calendar.years(counted, 2026)[-1].number == 2026
    assert len(calendar.months(counted, 2099, first_week_day=6)) == 12
