"""Lists that go on, past whatever is hidden: nothing of that shows in where they go on."""

from dataclasses import replace
from pathlib import Path

import pytest

from armarium.access.model import OPEN, Decision
from armarium.access.search import addresses, calendar, listing
from armarium.access.search.listing import closest
from armarium.access.search.question import Question, before
from armarium.access.view import Budget
from armarium.core.errors import Refused
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Match
from tests.unit.access.search.shelves import HIDDEN, line, view_of

URL = "http://example.org/"
DOMAIN = Question(URL, Match.DOMAIN)


def many(count: int, year: str = "2010", url: str = URL) -> list[CdxLine]:
    return [line(url, f"{year}0101{n // 3600:02}{n // 60 % 60:02}{n % 60:02}") for n in range(count)]


@pytest.mark.parametrize("newest", [False, True])
def test_a_list_goes_on_behind_the_last_capture_that_was_shown(tmp_path: Path, newest: bool) -> None:
    lines = many(150)
    hidden = {lines[n].timestamp for n in (49, 50, 51, 99, 100, 101)}
    view = view_of(tmp_path, lines, lambda line: HIDDEN if line.timestamp in hidden else OPEN)
    question, told = Question(URL, newest=newest), []
    while True:
        page = listing.captures(view, question)
        told += [row.timestamp for row in page.rows]
        if page.resume is None:
            break
        assert page.resume == f"{page.rows[-1].timestamp}-1"
        question = question.with_(resume=page.resume)
    shown = [one.timestamp for one in lines if one.timestamp not in hidden]
    assert told == (shown[::-1] if newest else shown)


@pytest.mark.parametrize("newest", [False, True])
def test_captures_of_one_second_are_told_apart_where_a_page_ends(tmp_path: Path, newest: bool) -> None:
    lines = [
        line(f"{scheme}://{www}example.org{slash}", "20100101000000", f"{n}")
        for n in range(15)
        for scheme in ("http", "https")
        for www in ("", "www.")
        for slash in ("", "/")
    ]
    view, question, told = view_of(tmp_path, lines), Question(URL, newest=newest), 0
    while True:
        page = listing.captures(view, question)
        told += len(page.rows)
        if page.resume is None:
            break
        question = question.with_(resume=page.resume)
    assert told == len(lines)


def test_what_is_behind_and_hidden_is_not_hinted_at(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        [*many(listing.ROWS), *many(100, "2015")],
        lambda line: HIDDEN if line.timestamp.startswith("2015") else OPEN,
    )
    assert listing.captures(view, Question(URL)).resume is None


def test_a_mark_that_no_list_gave_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        listing.captures(view_of(tmp_path, many(2)), Question(URL, resume="org,example)/ 2010!77"))


def test_addresses_go_on_at_one_that_the_reader_may_know_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "LINES", 10)
    monkeypatch.setattr(addresses, "MOST_PAGES", 3)
    lines = [line(f"{URL}{n:03}", "20110101120000") for n in range(100)]
    hidden = {f"org,example)/{n:03}" for n in range(100) if n % 10 > 5}
    view = view_of(tmp_path, lines, lambda line: HIDDEN if line.key in hidden else OPEN)
    question, told = DOMAIN.with_(from_="2011", words="5"), []
    while True:
        page = addresses.find(view, question)
        told += [entry.key for entry in page.entries]
        if page.resume is None:
            break
        assert page.resume.rstrip("!") not in hidden
        question = question.with_(resume=page.resume)
    assert told == [one.key for one in lines if one.key not in hidden and "5" in one.key]


def test_dates_are_found_in_an_address_with_very_many_captures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "MOST_COUNTED", 20)
    monkeypatch.setattr(addresses, "LINES", 8)
    monkeypatch.setattr(addresses, "MOST_PAGES", 12)
    busy = [*many(500, "2008"), *many(3, "2010"), *many(500, "2012")]
    view = view_of(tmp_path, [*busy, line(f"{URL}calm", "20100101120000")])
    found = addresses.find(view, DOMAIN.with_(from_="2010", to="2010")).entries
    assert [(entry.count, entry.more) for entry in found] == [(3, False), (1, False)]
    assert addresses.find(view, DOMAIN.with_(from_="2008", to="2010")).entries[0].last == "20100101000002"


def test_a_domain_is_looked_through_only_as_far_as_one_request_may(tmp_path: Path) -> None:
    lines = [line(f"{URL}{n:05}", "20110101120000") for n in range(6000)]
    view = replace(view_of(tmp_path, lines), budget=Budget(lines=3000))
    found = addresses.find(view, DOMAIN.with_(from_="1996", to="1996"))
    assert not found.entries
    assert found.resume is not None
    assert "org,example)/02" < found.resume < "org,example)/05"


def test_what_lies_behind_too_much_that_is_hidden_is_said_to_be_too_much(tmp_path: Path) -> None:
    lines = [line(f"{URL}{n:05}", "20110101120000") for n in range(6000)]
    view = view_of(tmp_path, lines, lambda line: OPEN if line.key.endswith("05999") else HIDDEN)
    found = addresses.find(replace(view, budget=Budget(lines=3000)), DOMAIN)
    assert (found.entries, found.resume, found.stuck) == ([], None, True)


def test_a_count_that_may_not_read_on_is_not_called_complete(tmp_path: Path) -> None:
    view = replace(view_of(tmp_path, many(9000)), budget=Budget(lines=3000))
    counted = calendar.count(view, Question(URL))
    assert counted.total
    assert not counted.complete


def test_hundreds_of_hidden_captures_do_not_make_the_others_unfindable(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return HIDDEN if line.timestamp.startswith("2015") else OPEN

    view = view_of(
        tmp_path, [*many(1, "2009"), *many(800, "2015"), *many(800, "2015", "http://exampla.org/")], decide
    )
    assert (nearest := closest(view, URL, "20150101000500")) is not None
    assert nearest.line.timestamp.startswith("2009")
    assert (earlier := before(view, URL, "20150101001200")) is not None
    assert earlier.line.timestamp.startswith("2009")
    assert addresses.look_around(view, "http://exmaple.org/").hosts == ["example.org"]


@pytest.mark.parametrize("asked", ["http://example.org/", "http://www.example.org/"])
def test_of_captures_in_one_second_the_page_is_meant_and_not_the_redirect_to_it(
    tmp_path: Path, asked: str
) -> None:
    lines = [
        line("http://example.org", "20140127171238", "A", status="302"),
        line("http://www.example.org/", "20140127171238", "B"),
        line("http://example.org/", "20140127171238", "C", status="304"),
    ]
    found = closest(view_of(tmp_path, lines), asked, "20140127171238")
    assert found is not None
    assert found.line.status == 200
