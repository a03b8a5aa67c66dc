"""What is in the WARC file is what the server sent, whatever the server did."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import pytest

from armarium.harvest.model import Status
from tests.integration.harvest.crawl.harvesting import Harvest, harvested, ordered
from tests.sites.broken_chunks import broken_chunks
from tests.sites.close_without_length import close_without_length
from tests.sites.closes_when_asked import closes_when_asked
from tests.sites.closes_when_idle import closes_when_idle
from tests.sites.cut_chunks import cut_chunks
from tests.sites.drop import drop
from tests.sites.endless import HEAD as ENDLESS_HEAD
from tests.sites.endless import endless
from tests.sites.full import full
from tests.sites.gzip_bomb import gzip_bomb
from tests.sites.half_head import half_head
from tests.sites.hang_up import hang_up
from tests.sites.header_flood import header_flood
from tests.sites.interim import interim
from tests.sites.interim_flood import interim_flood
from tests.sites.large import large
from tests.sites.line_feeds import line_feeds
from tests.sites.no_http import no_http
from tests.sites.odd_chunks import odd_chunks
from tests.sites.redirect_loop import redirect_loop
from tests.sites.reset import reset
from tests.sites.serving import Site, page
from tests.sites.silence import silence
from tests.sites.slow_drip import HEAD as DRIP_HEAD
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


class Expected(NamedTuple):
    truncated: str | None = None  # as the WARC record says it
    annotation: str = ""  # as crawl.log says it


WHOLE = Expected()
CUT = Expected("disconnect", "disconnectTrunc")
ANSWERED: dict[Sin, Expected] = {
    well_behaved: WHOLE,
    broken_chunks: Expected("unspecified", "midFetchTrunc"),
    close_without_length: WHOLE,
    closes_when_asked: WHOLE,
    closes_when_idle: WHOLE,
    gzip_bomb: Expected(annotation="decodedTrunc"),  # not all of it was searched for links
    interim: WHOLE,
    large: WHOLE,
    line_feeds: WHOLE,
    odd_chunks: WHOLE,
    slow_head: WHOLE,
    tires_of_waiting: WHOLE,
    two_lengths: WHOLE,
    drop: CUT,
    cut_chunks: CUT,
    half_head: Expected("disconnect", "disconnectTrunc,headerTrunc"),
    stall: Expected("time", "timeTrunc"),
}
UNANSWERED: dict[Sin, set[Status]] = {
    full: {Status.CONNECT_FAILED},
    hang_up: {Status.CONNECTION_LOST},
    interim_flood: {Status.CONNECTION_LOST},
    no_http: {Status.CONNECTION_LOST},
    reset: {Status.CONNECTION_LOST},
    silence: {Status.TIMEOUT},
    speaks_first: {Status.CONNECTION_LOST, Status.TIMEOUT},  # its greeting comes early or late
}
HASTE = {"silence_seconds": 0.4, "connect_seconds": 0.4, "max_head_bytes": 65_536}


def of(sin: Sin) -> str:
    return sin.__name__


def harvested_from(site: Site, folder: Path, **limits: object) -> Harvest:
    return harvested(folder, ordered(site.address, fetching=HASTE, limits=limits))


@pytest.mark.parametrize("sin", ANSWERED, ids=of)
def test_an_answer_is_recorded_to_the_byte(tmp_path: Path, sin: Sin) -> None:
    with sin() as site:
        harvest = harvested_from(site, tmp_path / "crawl")
        sent = bytes(site.visits[0].sent)

    (capture,) = harvest.captures
    assert (capture.url, capture.kind) == (site.address, "response")
    assert capture.block == sent
    assert capture.truncated == ANSWERED[sin].truncated
    (line,) = harvest.log
    assert line.status == 200
    assert ",".join(line.annotations) == ANSWERED[sin].annotation
    assert line.content_size == len(sent)


@pytest.mark.parametrize("sin", UNANSWERED, ids=of)
def test_where_no_answer_came_nothing_is_recorded_and_the_log_says_why(tmp_path: Path, sin: Sin) -> None:
    with sin() as site:
        harvest = harvested_from(site, tmp_path / "crawl")

    assert harvest.captures == []
    (line,) = harvest.log
    assert (line.url, line.size) == (site.address, None)
    assert line.status in UNANSWERED[sin]
    assert site.address in (tmp_path / "crawl" / "logs" / "nonfatal-errors.log").read_text()


def test_what_comes_behind_an_answer_is_no_part_of_it(tmp_path: Path) -> None:
    with wrong_length() as site, two_answers() as other:
        harvest = harvested(tmp_path / "crawl", ordered(site.address, other.address))

    assert harvest.block(site.address) == page(b"exactly so much")
    assert harvest.block(other.address) == page(b"the one")


def test_an_endless_body_is_cut_to_the_byte(tmp_path: Path) -> None:
    with endless() as site:
        harvest = harvested_from(site, tmp_path / "crawl", max_download_bytes=2_000_003)

    (capture,), (line,) = harvest.captures, harvest.log
    body = (b"and so on, " * 200_000)[:2_000_003]
    assert capture.block == ENDLESS_HEAD + body
    assert capture.truncated == "length"
    assert (line.status, line.size, line.annotations) == (200, 2_000_003, ("lenTrunc",))


def test_a_body_that_drips_is_cut_when_its_time_is_over(tmp_path: Path) -> None:
    with slow_drip() as site:
        harvest = harvested_from(site, tmp_path / "crawl", max_download_seconds=0.5)
        sent = bytes(site.visits[0].sent)

    (capture,), (line,) = harvest.captures, harvest.log
    assert sent.startswith(capture.block)
    assert len(capture.block) > len(DRIP_HEAD) + 5
    assert capture.truncated == "time"
    assert (line.status, line.annotations) == (200, ("timeTrunc",))


def test_a_flood_of_headers_is_recorded_as_far_as_it_was_read(tmp_path: Path) -> None:
    with header_flood() as site:
        harvest = harvested_from(site, tmp_path / "crawl")

    (capture,), (line,) = harvest.captures, harvest.log
    assert len(capture.block) == HASTE["max_head_bytes"]
    assert capture.block.startswith(b"HTTP/1.1 200 OK\r\nX-Flood-0: xxx")
    assert capture.truncated == "length"
    assert line.annotations == ("lenTrunc", "headerTrunc")


def test_requests_are_recorded_as_they_were_received(tmp_path: Path) -> None:
    with well_behaved() as site:
        harvest = harvested_from(site, tmp_path / "crawl")

    content = b"".join(path.read_bytes() for path in harvest.warcs)
    assert content.startswith(b"\x1f\x8b")
    assert harvest.blocks("request") == site.requests


def test_a_way_of_redirects_without_an_end_is_left_after_as_many_as_the_order_allows(tmp_path: Path) -> None:
    with redirect_loop() as site:
        order = ordered(site.address, fetching={"max_redirects": 5})
        harvest = harvested(tmp_path / "crawl", order)

    assert len(harvest.captures) == len(site.requests) == 6
