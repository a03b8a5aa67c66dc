"""Servers that misbehave cannot hurt, and what they sent is recorded as it came."""

import resource
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from armarium.core.crawl_order import Limits
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.exchange import IN_MEMORY
from armarium.harvest.model import Status
from tests.cost import processor_seconds
from tests.integration.harvest.fetch.fetching import body_of, fetched, fetched_often, ordered, wire_of
from tests.sites.broken_chunks import broken_chunks
from tests.sites.close_without_length import close_without_length
from tests.sites.closes_when_asked import closes_when_asked
from tests.sites.closes_when_idle import closes_when_idle
from tests.sites.cut_chunks import cut_chunks
from tests.sites.drop import drop
from tests.sites.endless import endless
from tests.sites.gzip_bomb import gzip_bomb
from tests.sites.half_head import half_head
from tests.sites.hang_up import hang_up
from tests.sites.header_flood import header_flood
from tests.sites.interim import interim
from tests.sites.interim_flood import interim_flood
from tests.sites.large import SIZE, large
from tests.sites.line_feeds import line_feeds
from tests.sites.no_http import no_http
from tests.sites.odd_chunks import odd_chunks
from tests.sites.redirect_loop import redirect_loop
from tests.sites.reset import reset
from tests.sites.serving import Site
from tests.sites.silence import silence
from tests.sites.slow_drip import slow_drip
from tests.sites.slow_head import slow_head
from tests.sites.speaks_first import speaks_first
from tests.sites.stall import stall
from tests.sites.tires_of_waiting import tires_of_waiting
from tests.sites.two_answers import two_answers
from tests.sites.two_lengths import two_lengths
from tests.sites.well_behaved import well_behaved
from tests.sites.wrong_length import wrong_length

Sin = Callable[[], AbstractContextManager[Site]]


def test_a_page_is_recorded_as_sent_and_the_request_as_received(tmp_path: Path) -> None:
    with well_behaved() as site:
        exchange = fetched(tmp_path, site.address)

    assert exchange.status == 200
    assert wire_of(exchange) == bytes(site.visits[0].sent)
    assert exchange.request == site.requests[0]
    assert exchange.entity() == b"<p>A page.</p>"
    assert (exchange.address, exchange.port) == ("127.0.0.1", site.port)
    assert 0 < exchange.first_byte <= exchange.duration < 1
    assert exchange.truncated is None


def test_one_connection_serves_many_requests(tmp_path: Path) -> None:
    with well_behaved() as site:
        exchanges = fetched_often(tmp_path, site.address, 5)

    assert len(site.visits) == 1
    assert [exchange.reused for exchange in exchanges] == [False, True, True, True, True]


@pytest.mark.parametrize("sin", [drop, cut_chunks])
def test_a_body_that_is_cut_by_the_server_is_kept_as_far_as_it_came(tmp_path: Path, sin: Sin) -> None:
    with sin() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.truncated) == (200, Truncation.DISCONNECT)
    assert wire_of(exchange) == bytes(site.visits[0].sent)


@pytest.mark.parametrize("sin", [close_without_length, two_lengths])
def test_a_body_whose_end_nobody_knows_ends_with_the_connection(tmp_path: Path, sin: Sin) -> None:
    with sin() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.truncated) == (200, None)
    assert wire_of(exchange) == bytes(site.visits[0].sent)


def test_chunks_that_cannot_be_read_are_kept_and_said_not_to_be_whole(tmp_path: Path) -> None:
    with broken_chunks() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.truncated) == (200, Truncation.UNSPECIFIED)
    assert wire_of(exchange) == bytes(site.visits[0].sent)


def test_a_connection_that_is_reset_without_an_answer_is_lost(tmp_path: Path) -> None:
    with reset() as site:
        exchange = fetched(tmp_path, site.address)

    assert exchange.status == Status.CONNECTION_LOST
    assert exchange.error
    assert exchange.response.length == 0


@pytest.mark.parametrize("sin", [hang_up, speaks_first])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_does_not_wait_for_a_request_is_a_failure(
    tmp_path: Path, sin: Sin, scheme: str
) -> None:
    with sin() as site:
        url = site.address.replace("http:", f"{scheme}:")
        exchanges = fetched_often(tmp_path, url, 10, ordered(silence_seconds=0.3))

    failures = {Status.CONNECTION_LOST, Status.CONNECT_FAILED, Status.TIMEOUT}
    assert {exchange.status for exchange in exchanges} <= failures
    assert all(exchange.error for exchange in exchanges)


def test_a_server_that_never_answers_is_given_up_after_the_silence(tmp_path: Path) -> None:
    with silence() as site:
        exchange = fetched(tmp_path, site.address, ordered(silence_seconds=0.3))

    assert exchange.status == Status.TIMEOUT
    assert 0.25 < exchange.duration < 2


def test_a_body_that_stalls_is_cut_by_time(tmp_path: Path) -> None:
    with stall() as site:
        exchange = fetched(tmp_path, site.address, ordered(silence_seconds=0.3))

    assert (exchange.status, exchange.truncated) == (200, Truncation.TIME)
    assert wire_of(exchange) == bytes(site.visits[0].sent)


def test_a_body_that_drips_is_cut_when_the_time_for_a_download_is_over(tmp_path: Path) -> None:
    with slow_drip() as site:
        exchange = fetched(
            tmp_path, site.address, ordered(silence_seconds=5), Limits(max_download_seconds=0.4)
        )

    assert (exchange.status, exchange.truncated) == (200, Truncation.TIME)
    assert 0.35 < exchange.duration < 2
    assert set(body_of(exchange)) == {ord(".")}


def test_an_endless_body_is_cut_at_the_limit_to_the_byte(tmp_path: Path) -> None:
    with endless() as site:
        exchange = fetched(tmp_path, site.address, limits=Limits(max_download_bytes=3_000_001))

    assert (exchange.status, exchange.truncated) == (200, Truncation.LENGTH)
    assert len(body_of(exchange)) == 3_000_001
    assert exchange.response.data is None, "it has to be in a file"


def test_a_head_that_drips_is_read_whole(tmp_path: Path) -> None:
    with slow_head() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.truncated, exchange.entity()) == (200, None, b"done")
    assert wire_of(exchange) == bytes(site.visits[0].sent)


def test_a_flood_of_headers_is_cut_at_the_limit(tmp_path: Path) -> None:
    with header_flood() as site:
        exchange = fetched(tmp_path, site.address, ordered(max_head_bytes=65_536))

    assert (exchange.status, exchange.head_truncated) == (200, True)
    assert exchange.truncated is Truncation.LENGTH
    assert exchange.response.length == exchange.response.head_length == 65_536


def test_a_head_without_its_end_is_taken_for_what_it_says(tmp_path: Path) -> None:
    with half_head() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.head_truncated) == (200, True)
    assert exchange.truncated is Truncation.DISCONNECT
    assert wire_of(exchange) == bytes(site.visits[0].sent)


def test_what_is_sent_beyond_the_length_is_no_part_of_the_answer(tmp_path: Path) -> None:
    with wrong_length() as site:
        exchanges = fetched_often(tmp_path, site.address, 2)

    assert [exchange.entity() for exchange in exchanges] == [b"exactly so much"] * 2
    assert exchanges[0].surplus == len(b" and then some more")
    assert len(site.visits) == 2, "a connection with something left in it may not be used again"


def test_of_two_answers_the_first_counts(tmp_path: Path) -> None:
    with two_answers() as site:
        exchanges = fetched_often(tmp_path, site.address, 3)

    assert [exchange.entity() for exchange in exchanges] == [b"the one"] * 3


def test_odd_chunks_are_recorded_as_sent_and_the_connection_goes_on(tmp_path: Path) -> None:
    with odd_chunks() as site:
        exchanges = fetched_often(tmp_path, site.address, 2)

    assert b"".join(map(wire_of, exchanges)) == bytes(site.visits[0].sent)
    assert [exchange.entity() for exchange in exchanges] == [b"firstsecond" + b"x" * 50] * 2
    assert len(site.visits) == 1


def test_interim_answers_are_no_part_of_the_record(tmp_path: Path) -> None:
    with interim() as site:
        exchanges = fetched_often(tmp_path, site.address, 2)

    assert b"".join(map(wire_of, exchanges)) == bytes(site.visits[0].sent)
    assert [exchange.status for exchange in exchanges] == [200, 200]


def test_a_flood_of_interim_answers_comes_to_an_end(tmp_path: Path) -> None:
    with interim_flood() as site:
        exchange = fetched(tmp_path, site.address)

    assert exchange.status < 0
    assert exchange.duration < 2


def test_something_that_is_not_http_is_a_failure_that_says_so(tmp_path: Path) -> None:
    with no_http() as site:
        exchange = fetched(tmp_path, site.address)

    assert exchange.status == Status.CONNECTION_LOST
    assert "not HTTP" in exchange.error
    assert "220 mail.example" in exchange.error


@pytest.mark.parametrize("sin", [closes_when_idle, closes_when_asked, tires_of_waiting])
def test_a_kept_connection_that_was_closed_is_replaced_by_a_new_one(tmp_path: Path, sin: Sin) -> None:
    with sin() as site:
        exchanges = fetched_often(tmp_path, site.address, 3)

    assert [exchange.status for exchange in exchanges] == [200] * 3
    assert [exchange.truncated for exchange in exchanges] == [None] * 3
    assert [exchange.entity() for exchange in exchanges] == [b"<p>Come again.</p>"] * 3


def test_a_large_body_is_kept_in_a_file_without_a_name(tmp_path: Path) -> None:
    with large() as site:
        exchange = fetched(tmp_path, site.address)

        assert exchange.response.length > IN_MEMORY
        assert exchange.response.data is None
        assert wire_of(exchange) == bytes(site.visits[0].sent)
        assert len(exchange.entity()) == SIZE
        assert exchange.content(1000) == exchange.entity()[:1000]
        assert list(tmp_path.iterdir()) == []
        exchange.response.close()


def test_a_bomb_is_unpacked_only_as_far_as_allowed(tmp_path: Path) -> None:
    with gzip_bomb() as site:
        exchange = fetched(tmp_path, site.address)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with processor_seconds(3):
        content = exchange.content(1_000_000)

    assert content == bytes(1_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


def test_a_redirect_is_given_back_and_not_followed(tmp_path: Path) -> None:
    with redirect_loop() as site:
        exchange = fetched(tmp_path, site.address + "step7")

    assert exchange.status == 302
    assert exchange.head is not None
    assert exchange.head.location == "/step8"
    assert len(site.requests) == 1


def test_lines_that_end_with_a_line_feed_are_lines(tmp_path: Path) -> None:
    with line_feeds() as site:
        exchange = fetched(tmp_path, site.address)

    assert (exchange.status, exchange.entity()) == (200, b"<p>Unix.</p>")
    assert wire_of(exchange) == bytes(site.visits[0].sent)
