"""Which missing addresses are noted, and what people type for jobs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.access.viewings.job_pages import plain_name, title_of
from armarium.access.viewings.model import LONGEST_URL, MOST_JOBS, MissingKind
from armarium.access.viewings.protocols import MetadataRecord
from armarium.access.viewings.rules import (
    domain_of,
    jobs_in,
    kind_of,
    page_that_asked,
    stretches,
    worth_noting,
)
from armarium.core.errors import Refused


@pytest.mark.parametrize(
    ("url", "noted"),
    [
        ("http://example.org/a.png", "http://example.org/a.png"),
        ("HTTPS://Example.ORG:443/a b#part", "https://example.org/a%20b"),
        ("ftp://example.org/a", None),
        ("javascript:alert(1)", None),
        ("data:text/plain,a", None),
        ("about:blank", None),
        ("http://", None),
        ("http://example.org:99999/", None),
        ("http://example.org/" + "a" * LONGEST_URL, None),
        ("http://example.org/" + "é" * (LONGEST_URL // 3), None),
    ],
)
def test_only_addresses_of_the_web_that_can_be_kept_are_noted(url: str, noted: str | None) -> None:
    assert worth_noting(url) == noted


@given(st.text(max_size=200))
def test_no_text_that_a_script_invents_is_too_much(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.org/{text}"):
        noted = worth_noting(url)
        if noted is not None:
            assert noted.isascii()
            assert "\0" not in noted
            assert kind_of(noted) in MissingKind
            domain_of(noted)
        page_that_asked(url, 1).encode()
        page_that_asked(f"http://localhost/viewing-1/2020mp_/{text}", 1).encode()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://example.org/", MissingKind.PAGE),
        ("http://example.org", MissingKind.PAGE),
        ("http://example.org/news", MissingKind.PAGE),
        ("http://example.org/index.PHP?picture=a.png", MissingKind.PAGE),
        ("http://example.org/logo.PNG?v=2", MissingKind.IMAGE),
        ("http://example.org/style.css", MissingKind.STYLE),
        ("http://example.org/app.min.js", MissingKind.SCRIPT),
        ("http://example.org/film.m3u8", MissingKind.MEDIA),
        ("http://example.org/report.pdf", MissingKind.DOCUMENT),
        ("http://example.org/feed.rss", MissingKind.DATA),
        ("http://example.org/thing.xyz", MissingKind.OTHER),
        ("http://v1.2/", MissingKind.PAGE),
    ],
)
def test_an_address_looks_like_what_its_ending_says(url: str, kind: MissingKind) -> None:
    assert kind_of(url) is kind


@pytest.mark.parametrize(
    ("referrer", "page"),
    [
        ("http://a.example/x?y", "http://a.example/x?y"),
        ("http://localhost:8090/viewing-7/20200101000000mp_/http://a.example/x?y", "http://a.example/x?y"),
        (
            "http://localhost:8090/viewing-7/20200101000000cs_/http://a.example/s.css",
            "http://a.example/s.css",
        ),
        ("http://localhost:8090/viewing-7/", ""),
        ("javascript:0", ""),
        ("", ""),
    ],
)
def test_the_page_that_asked_is_named_as_it_was_on_the_web(referrer: str, page: str) -> None:
    assert page_that_asked(referrer, 7) == page


def test_the_domain_is_the_registered_one_or_the_host_where_there_is_none() -> None:
    assert domain_of("http://www.news.example.co.uk/a") == "example.co.uk"
    assert domain_of("http://127.0.0.1:8000/a") == "127.0.0.1"


def test_jobs_are_typed_as_numbers_and_stretches() -> None:
    assert jobs_in(" 12, 40 - 43;7\n8 7 ") == (7, 8, 12, 40, 41, 42, 43)
    assert jobs_in("") == ()


@pytest.mark.parametrize("text", ["a", "0", "5-3", "-4", "1.5", "12,,x", f"1-{10**30}", "٣-"])
def test_what_is_no_number_of_a_job_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        jobs_in(text)


@pytest.mark.parametrize(
    "text", [f"1-{MOST_JOBS + 1}", f"1-{MOST_JOBS} {2 * MOST_JOBS}-{3 * MOST_JOBS - 1} 1"]
)
def test_too_many_jobs_are_refused_before_they_are_counted_out(text: str) -> None:
    with pytest.raises(Refused, match="at most"):
        jobs_in(text)


@given(st.sets(st.integers(1, 300), max_size=40))
def test_jobs_are_written_as_they_can_be_typed(jobs: set[int]) -> None:
    ordered = tuple(sorted(jobs))
    assert jobs_in(stretches(ordered)) == ordered


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("metadata://armarium/crawl/logs/crawl.log?crawl=1", "logs/crawl.log"),
        ("metadata://netarkivet.dk/crawl/index/cdx?job=1&filename=a.warc.gz", "index/cdx a.warc.gz"),
        ("metadata://x", "metadata://x"),
    ],
)
def test_a_metadata_record_is_called_by_what_it_holds(url: str, title: str) -> None:
    assert title_of(MetadataRecord(url, 0, 0, "")) == title


def test_the_name_of_a_download_is_harmless() -> None:
    assert plain_name('job-1-a"\r\n/é.log') == "job-1-a-----.log"
