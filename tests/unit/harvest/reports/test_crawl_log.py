"""crawl.log has Heritrix's columns, whatever pages and servers put into them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.harvest.reports.crawl_log import Outcome, crawl_log_line, parse_crawl_log_line

FINISHED = datetime(2011, 6, 23, 17, 12, 8, 802_000, tzinfo=UTC)
STARTED = datetime(2011, 6, 23, 17, 12, 8, 546_999, tzinfo=UTC)
PAGE = Outcome(
    FINISHED,
    200,
    1299,
    "http://example.org/",
    "LLE",
    "http://example.org/a",
    "text/html; charset=utf-8",
    13,
    STARTED,
    225,
    "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N",
    "http://example.org/seed",
    ("2t", "lenTrunc"),
    1600,
    "A-1.warc.gz",
    4711,
    record_length=1234,
)


def test_a_line_has_twelve_columns_aligned_as_heritrix_does() -> None:
    assert crawl_log_line(PAGE) == (
        "2011-06-23T17:12:08.802Z   200       1299 http://example.org/ LLE http://example.org/a text/html "
        "#013 20110623171208546+225 sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N http://example.org/seed "
        "2t,lenTrunc\n"
    )


def test_what_is_not_known_is_a_hyphen() -> None:
    line = crawl_log_line(Outcome(FINISHED, -9998, None, "http://example.org/"))
    assert line == "2011-06-23T17:12:08.802Z -9998          - http://example.org/ - - unknown #001 - - - -\n"


def test_extra_information_is_json_behind_the_columns() -> None:
    line = crawl_log_line(PAGE, extra=True)
    assert line.endswith(
        ' 2t,lenTrunc {"contentSize":1600,"warcFilename":"A-1.warc.gz","warcFileOffset":4711,'
        '"warcRecordLength":1234}\n'
    )


def test_of_a_long_way_the_last_fifty_letters_are_kept() -> None:
    line = crawl_log_line(PAGE._replace(hops="R" + "L" * 61))
    assert line.split()[4] == "12+" + "L" * 50


def test_a_moment_without_fraction_has_its_zeros() -> None:
    whole = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    columns = crawl_log_line(PAGE._replace(finished=whole, started=whole)).split()
    assert (columns[0], columns[8]) == ("2026-01-02T03:04:05.000Z", "20260102030405000+225")


@pytest.mark.parametrize(
    ("mime", "logged"),
    [
        ("text/html;charset=x", "text/html"),
        (" image/png , x", "image/png"),
        ("", "unknown"),
        ("text html\n", "text"),
    ],
)
def test_media_types_lose_their_parameters(mime: str, logged: str) -> None:
    assert crawl_log_line(PAGE._replace(mime=mime)).split()[6] == logged


def test_nothing_that_was_crawled_can_break_a_line() -> None:
    hostile = PAGE._replace(
        url="http://a/ b\nc", via="x\u2028y", source="my tag", annotations=("a b", "c,d"), digest="sha1: x"
    )
    line = crawl_log_line(hostile, extra=True)
    assert len(line.splitlines()) == 1
    columns = line.split()
    assert len(columns) == 13
    assert columns[3] == "http://a/%20b%0Ac"
    assert columns[5] == "x%E2%80%A8y"
    assert columns[10:12] == ["my%20tag", "a%20b,c%2Cd"]


def test_letters_of_other_scripts_stay_as_they_are() -> None:
    assert " http://example.org/\u200bа " in crawl_log_line(PAGE._replace(url="http://example.org/\u200bа"))


@pytest.mark.parametrize("outcome", [PAGE, Outcome(FINISHED, -2, None, "dns:example.org", "P")])
def test_a_line_can_be_read_again(outcome: Outcome) -> None:
    started = outcome.started and outcome.started.replace(microsecond=546_000)
    expected = outcome._replace(started=started, mime=outcome.mime.partition(";")[0])
    assert parse_crawl_log_line(crawl_log_line(outcome, extra=True).rstrip("\n")) == expected


@pytest.mark.parametrize("line", ["", "a b c", "x " * 12, crawl_log_line(PAGE)[:60]])
def test_what_is_no_line_is_none(line: str) -> None:
    assert parse_crawl_log_line(line) is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://Example.org:8080/a@b", "Example.org"),
        ("https://u:p@example.org?x", "example.org"),
        ("http://[::1]:80/", "[::1]"),
        ("dns:example.org", "dns:"),
    ],
)
def test_the_host_is_told_from_the_rest(url: str, host: str) -> None:
    assert PAGE._replace(url=url).host == host


TEXT = st.text(max_size=20)


@given(TEXT.filter(bool), TEXT, TEXT, TEXT, st.lists(TEXT.filter(bool), max_size=3))
def test_any_text_makes_one_line_of_twelve_columns(
    url: str, via: str, mime: str, source: str, annotations: list[str]
) -> None:
    outcome = PAGE._replace(url=url, via=via, mime=mime, source=source, annotations=tuple(annotations))
    line = crawl_log_line(outcome)
    assert len(line.splitlines()) == 1
    assert len(line.split()) == 12
