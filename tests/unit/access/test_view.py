"""Captures as a reader may know them: pages of the index that hide much, cost much, or describe."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from armarium.access.captures.lines import Patience, Span, captures
from armarium.access.cdxserver.steps import with_originals
from armarium.access.model import OPEN, Collection, Decision, Policy, Reader, Seen
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import Rule, RuleEffect, Terms
from armarium.access.view import Budget, Hidden, Restricted, View
from armarium.core import clock
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Filter, Match, Query
from armarium.formats.url import surt
from tests.unit.access.search.shelves import (
    ATTIC,
    HIDDEN,
    RESTRICTED,
    Rules,
    line,
    revisit,
    shelves_of,
    view_of,
)

ADDRESS = "http://news.test/"


def _moments(count: int) -> list[str]:
    return [
        f"2020{month:02}{day:02}{hour:02}0000"
        for month in range(1, 13)
        for day in range(1, 29)
        for hour in range(3)
    ][:count]


def _only(*allowed: str) -> Callable[[CdxLine], Decision]:
    return lambda line: OPEN if line.timestamp in allowed else HIDDEN


def test_what_lies_behind_many_hidden_captures_is_found(tmp_path: Path) -> None:
    moments = _moments(900)
    view = view_of(tmp_path, [line(ADDRESS, each) for each in moments], _only(moments[-1]))
    found = view.search(Query(ADDRESS, limit=1))
    assert [seen.line.timestamp for seen in found.captures] == [moments[-1]]
    nearest = view.search(Query(ADDRESS, closest=moments[0], limit=5))
    assert [seen.line.timestamp for seen in nearest.captures] == [moments[-1]]


def test_a_page_has_no_more_captures_than_asked_for_and_the_next_goes_on_behind_it(tmp_path: Path) -> None:
    moments = _moments(400)
    allowed = moments[50:]
    view = view_of(tmp_path, [line(ADDRESS, each) for each in moments], _only(*allowed))
    query = Query(ADDRESS, limit=7)
    page = view.search(query)
    seen = [one.line.timestamp for one in page.captures]
    assert len(seen) == 7
    while page.resume is not None:
        page = view.search(replace(query, resume=page.resume))
        assert len(page.captures) <= 7
        seen += [one.line.timestamp for one in page.captures]
    assert seen == allowed


def test_a_search_that_finds_nothing_stops_when_its_lines_are_spent(tmp_path: Path) -> None:
    view = _limited(view_of(tmp_path, _many()), Budget(lines=1500))
    page = view.search(
        Query(key="test,", to_key="test-", match=Match.RANGE, from_="1999", to="1999", limit=50)
    )
    assert (page.captures, page.short, view.budget.spent) == ([], True, True)
    assert page.resume is not None


def test_it_stops_when_its_time_is_spent(tmp_path: Path) -> None:
    view = _limited(view_of(tmp_path, _many()), Budget(seconds=0.0))
    page = view.search(
        Query(key="test,", to_key="test-", match=Match.RANGE, limit=50, filters=(Filter("status", "404"),))
    )
    assert (page.captures, page.short) == ([], True)
    assert (
        list(view.all(Query(key="test,", to_key="test-", match=Match.RANGE, from_="1999", to="1999"))) == []
    )


def test_whoever_goes_on_gets_through(tmp_path: Path) -> None:
    """Each request has a budget of its own."""
    held = [*_many(), line("http://z.test/", "19990101000000")]
    view = view_of(tmp_path, held)
    query = Query(key="test,", to_key="test-", match=Match.RANGE, from_="1999", to="1999", limit=50)
    requests = 0
    resume: str | None = ""
    found: list[str] = []
    while resume is not None:
        page = _limited(view, Budget(lines=1000)).search(replace(query, resume=resume))
        found += [seen.line.key for seen in page.captures]
        resume, requests = page.resume, requests + 1
    assert (found, requests) == (["test,z)/"], 3)


def test_what_a_crawler_noted_about_a_capture_is_no_capture(tmp_path: Path) -> None:
    held = [
        line(ADDRESS, "20200101000000"),
        _note(ADDRESS, "text/anvl"),
        _note(ADDRESS, "application/warc-fields"),
    ]
    view = view_of(tmp_path, held)
    assert [seen.line.mime for seen in view.search(Query(ADDRESS)).captures] == ["text/html"]


def test_an_answer_of_that_type_and_notes_under_their_own_address_are_found(tmp_path: Path) -> None:
    answer = line("http://news.test/log", "20200101000000", mime="text/anvl")
    view = view_of(tmp_path, [answer, _note("metadata://crawl.test/log", "text/anvl")])
    for url in ("http://news.test/log", "metadata://crawl.test/log"):
        assert len(view.search(Query(key=surt(url))).captures) == 1


def _limited(view: View, budget: Budget) -> View:
    return replace(view, budget=budget)


def _many() -> list[CdxLine]:
    return [line(f"http://a{number:04}.test/", "20200101000000") for number in range(2500)]


def _note(url: str, mime: str) -> CdxLine:
    made = line(url, "20200101000000", mime=mime)
    return CdxLine(
        made.key, made.timestamp, {name: value for name, value in made.fields.items() if name != "status"}
    )


# Two captures of one content: the older outside the attic, the younger, in it, only refers to it.
ORIGINAL = line(ADDRESS, "20200101000000", "same", mime="text/css")
REVISIT = revisit(ADDRESS, "20210101000000", "same")


def _in_the_attic(folder: Path, policy: Policy) -> tuple[View, Seen]:
    view = View(shelves_of(folder, [ORIGINAL], [REVISIT]), policy, Reader(), ATTIC)
    [found] = view.search(Query(ADDRESS)).captures
    return view, found


def _told_by_the_cdx_server(view: View) -> CdxLine:
    [told] = with_originals(view, captures(view, Span.of_key(surt(ADDRESS)), Patience()))
    return told.line


def test_the_original_of_a_revisit_is_found_outside_the_collection(tmp_path: Path) -> None:
    view, found = _in_the_attic(tmp_path, Rules())
    assert view.original(found) == Seen(ORIGINAL)
    told = _told_by_the_cdx_server(view)
    assert (told.text("orig.filename"), told.mime) == (ORIGINAL.filename, "text/css")


def test_an_original_outside_the_collection_is_under_its_own_rules(tmp_path: Path) -> None:
    for number, denied in enumerate((RESTRICTED, HIDDEN)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rules = Rules(lambda line, denied=denied: denied if line == ORIGINAL else OPEN)  # type: ignore[misc]
        view, found = _in_the_attic(folder, rules)
        with pytest.raises(Hidden if denied is HIDDEN else Restricted):
            view.original(found)
        assert _told_by_the_cdx_server(view).text("orig.filename") is None


def test_a_rule_that_opens_a_collection_does_not_open_what_its_revisits_refer_to(tmp_path: Path) -> None:
    view, found = _in_the_attic(tmp_path, OpenAttic())
    with pytest.raises(Restricted):
        view.original(found)


class OpenAttic:
    """Nobody but staff sees anything, but for the attic, to which the younger file belongs."""

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        book = RuleBook([Rule(1, Terms(RuleEffect.ALLOW, collection=ATTIC.name))], "staff")
        members = {REVISIT.filename: frozenset({ATTIC.name})}
        return book.decide(reader, collection, line, clock.now(), lambda name: members.get(name, frozenset()))
