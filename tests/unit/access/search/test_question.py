"""What readers type, and the addresses that come of it."""

import pytest

from armarium.access.search import links
from armarium.access.search.question import Question, address_of, dashed, digits_of
from armarium.core.errors import Refused
from armarium.formats.cdx.query import Match


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "http://example.org"),
        ("  “example.org/news” ", "http://example.org/news"),
        ("http//example.org", "http://example.org"),
        ("http:/example.org/a", "http://example.org/a"),
        ("https:example.org", "https://example.org"),
        ("http;//example.org", "http://example.org"),
        ("http.example.org", "http://http.example.org"),
        ("example.org:8080/x", "http://example.org:8080/x"),
        ("https://a.example/?to=http://b.example", "https://a.example/?to=http://b.example"),
        ("bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4"),
    ],
)
def test_slips_of_typing_are_repaired(typed: str, url: str) -> None:
    assert address_of(typed, "") == (url, Match.EXACT)


def test_asterisks_say_how_much_is_wanted() -> None:
    assert address_of("*.example.org", "exact") == ("http://example.org", Match.DOMAIN)
    assert address_of("example.org/news*", "") == ("http://example.org/news", Match.PREFIX)
    assert address_of("example.org", "host") == ("http://example.org", Match.HOST)


@pytest.mark.parametrize("typed", ["", "  ", "*", "two words", "x" * 10_001])
def test_what_is_no_address_is_refused_at_its_field(typed: str) -> None:
    with pytest.raises(Refused) as refused:
        address_of(typed, "")
    assert refused.value.field == "url"


@pytest.mark.parametrize(
    ("typed", "digits"),
    [("", ""), ("2010", "2010"), ("2010-03", "201003"), ("2010-03-31 12:00", "201003311200")],
)
def test_dates_are_taken_as_people_write_them(typed: str, digits: str) -> None:
    assert digits_of(typed, "date") == digits
    assert dashed(digits) == typed


@pytest.mark.parametrize("typed", ["yesterday", "2010-02-31", "20", "2010-3", "31.12.2010"])
def test_what_is_no_date_is_refused_at_its_field(typed: str) -> None:
    with pytest.raises(Refused) as refused:
        digits_of(typed, "date")
    assert refused.value.field == "date"


def test_a_plain_question_has_a_short_address_and_any_other_a_form() -> None:
    plain = Question("http://example.org/")
    assert plain.href("all") == "/all/*/http://example.org/"
    assert plain.with_(from_="2010", to="2010").href("all") == "/all/2010*/http://example.org/"
    assert plain.with_(from_="2010", to="2012").href("a+b") == "/a+b/2010-2012/http://example.org/"
    changes = plain.with_(from_="2010", to="2010", changes=True)
    assert changes.href("all") == "/all/search?url=http%3A%2F%2Fexample.org%2F&from=2010&to=2010&changes=yes"


def test_a_question_comes_back_from_its_own_values() -> None:
    question = Question(
        "http://example.org/x",
        Match.PREFIX,
        "2010",
        "2012",
        "201101",
        "2",
        "page",
        True,
        True,
        "news",
        "count",
    )
    assert Question.of(question.values) == question


def test_an_archived_address_stands_in_ours_as_it_is_but_for_its_fragment() -> None:
    assert links.in_path("http://a.example/%41?b=c&d=é#e") == "http://a.example/%41?b=c&d=%C3%A9%23e"
    assert links.in_path("http://a.example/\udce9") == "http://a.example/%E9"
    assert links.in_path("http://a.example/\ud800") == "http://a.example/%EF%BF%BD"
    assert links.readable("http://a.example/\udce9") == "http://a.example/?"


def test_a_name_of_a_collection_cannot_lead_elsewhere() -> None:
    assert links.calendar("/evil.example", "http://a.example/").startswith("/%2Fevil.example/")
