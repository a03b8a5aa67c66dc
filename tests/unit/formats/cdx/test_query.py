"""Questions to the index: which stretch of it they cover, and which are refused."""

import pytest

from armarium.core.errors import Refused
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Collapse, Filter, Match, Operator, Query


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        (Query("http://www.example.com/a"), (b"com,example)/a ", b"com,example)/a \xff")),
        (Query(key="com,example)/a"), (b"com,example)/a ", b"com,example)/a \xff")),
        (
            Query("http://example.com/", from_="2020", to="202106"),
            (b"com,example)/ 2020", b"com,example)/ 202106\xff"),
        ),
        (Query("http://example.com/a/", match=Match.PREFIX), (b"com,example)/a/", b"com,example)/a0")),
        (Query("http://example.com/a", match=Match.PREFIX), (b"com,example)/a", b"com,example)/b")),
        (Query(key="com,example)/a", match=Match.PREFIX), (b"com,example)/a", b"com,example)/b")),
        (Query("http://example.com/a", match=Match.HOST), (b"com,example)/", b"com,example*")),
        (Query(key="com,example)/a", match=Match.HOST), (b"com,example)/", b"com,example*")),
        (Query("http://example.com/a", match=Match.DOMAIN), (b"com,example)/", b"com,example-")),
        (Query(key="com,example)/a", match=Match.DOMAIN), (b"com,example)/", b"com,example-")),
        (Query("com", match=Match.DOMAIN), (b"com,", b"com-")),
        (Query(key="com", match=Match.DOMAIN), (b"com,", b"com-")),
        (Query(key="com,a", to_key="com,c", match=Match.RANGE), (b"com,a", b"com,c")),
        (Query(match=Match.RANGE), (b"", None)),
    ],
)
def test_the_bounds_are_those_of_pywb(query: Query, bounds: tuple[bytes, bytes | None]) -> None:
    query.check()
    assert query.bounds() == bounds


@pytest.mark.parametrize("digits", ["1", "20", "202", "20261"])
def test_any_first_digits_of_a_date_are_a_bound(digits: str) -> None:
    query = Query("a.example", from_=digits, to=digits)
    query.check()
    line = CdxLine("example,a)/", "20261231000000", {})
    assert query.wants(line) == line.timestamp.startswith(digits)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (Query(), "url"),
        (Query("a.example", from_="June"), "from"),
        (Query("a.example", to="2020-01-01"), "to"),
        (Query("a.example", limit=0), "limit"),
        (Query("a.example", closest="2020", match=Match.PREFIX), "closest"),
        (Query("a.example", closest="20201399"), "closest"),
        (Query("a.example", filters=(Filter("url", "(", Operator.REGEX),)), "filter"),
        (Query("a.example", filters=(Filter("url", "x" * 5000),)), "filter"),
    ],
)
def test_a_question_without_an_answer_is_refused_by_its_field(query: Query, field: str) -> None:
    with pytest.raises(Refused) as refused:
        query.check()
    assert refused.value.field == field


LINE = CdxLine(
    "com,example)/", "20200131120000", {"url": "http://example.com/", "mime": "text/html", "status": "200"}
)


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (Filter("status", "200"), True),
        (Filter("statuscode", "200", negated=True), False),
        (Filter("mime", "html", Operator.CONTAINS), True),
        (Filter("mimetype", "html", Operator.EQUALS), False),
        (Filter("url", "https?://[a-z.]+/", Operator.REGEX), True),
        (Filter("original", "http", Operator.REGEX), False),
        (Filter("urlkey", "com,example)/"), True),
        (Filter("timestamp", "2020.*", Operator.REGEX), True),
        (Filter("digest", "-"), True),
    ],
)
def test_filters_know_the_names_of_all_servers(condition: Filter, passes: bool) -> None:
    assert condition.passes(LINE) is passes


def test_half_a_character_pair_can_be_filtered() -> None:
    odd = CdxLine("com,a)/", "2020", {"title": "\ud800"})
    assert not Filter("title", "[a-z]+", Operator.REGEX).passes(odd)


def test_dates_compare_by_as_many_digits_as_were_given() -> None:
    assert Query("a", from_="2020", to="2020").wants(LINE)
    assert Query("a", from_="20200131", to="20200131").wants(LINE)
    assert not Query("a", from_="202002").wants(LINE)
    assert not Query("a", to="2019").wants(LINE)


def test_lines_collapse_by_the_first_letters_of_a_field() -> None:
    assert Collapse("timestamp", 6).of(LINE) == "202001"
    assert Collapse("digest").of(LINE) == "-"
