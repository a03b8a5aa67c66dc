"""Politeness, measured where it matters: at the server."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.integration.harvest.crawl.harvesting import POLITE, harvested, ordered
from tests.integration.harvest.crawl.website import Answer, images, links, page, redirect, text, website
from tests.sites.name_server import NameServer, name_server

DELAY = 0.3
PACE = {"delay_factor": 0, "min_delay": DELAY, "max_delay": DELAY}
A_HAIR = 0.005  # the crawler's pause begins when the answer is in; clocks tick


def test_requests_to_one_server_are_as_far_apart_as_the_order_says(tmp_path: Path) -> None:
    pages = {"/": links("/a", "/b"), "/a": images("/i.png"), "/b": redirect("/c"), "/c": page()}
    with website(pages) as site:
        harvested(tmp_path, ordered(site.address, politeness=PACE, **POLITE))

    assert sorted(site.paths) == ["/", "/a", "/b", "/c", "/i.png", "/robots.txt"]
    assert min(site.gaps) >= DELAY - A_HAIR


def test_two_names_of_one_address_share_its_pace(tmp_path: Path) -> None:
    zone = ["one.example. 300 IN A 127.0.0.1", "two.example. 300 IN A 127.0.0.1"]
    with website({"/": links("/a"), "/a": page()}) as site, name_server(NameServer(zone)) as names:
        seeds = [f"http://{name}.example:{site.port}/" for name in ("one", "two")]
        order = ordered(*seeds, politeness=PACE, fetching={"dns_servers": [names.address]})
        harvested(tmp_path, order)

    assert len(site.asked) == 4
    assert len({asked.host for asked in site.asked}) == 2
    assert min(site.gaps) >= DELAY - A_HAIR
    assert site.most_busy == 1


def test_two_ports_of_one_address_share_its_pace(tmp_path: Path) -> None:
    with website({"/": links("/a"), "/a": page()}) as site, website({"/": page()}) as other:
        harvested(tmp_path, ordered(site.address, other.address, politeness=PACE))

    moments = sorted(asked.moment for asked in [*site.asked, *other.asked])
    assert len(moments) == 3
    assert min(b - a for a, b in pairwise(moments)) >= DELAY - A_HAIR


def test_servers_at_different_addresses_do_not_wait_for_each_other(tmp_path: Path) -> None:
    pages = {"/": links(*(f"/{number}" for number in range(4))), **{f"/{n}": page() for n in range(4)}}
    with website(pages) as site, website(pages, host="127.0.0.2") as other:
        order = ordered(site.address, other.address, politeness=PACE)
        harvested(tmp_path, order)

    begin = max(site.asked[0].moment, other.asked[0].moment)
    end = min(site.asked[-1].moment, other.asked[-1].moment)
    assert len(site.asked) == len(other.asked) == 5
    assert end - begin > 3 * DELAY, "they were not visited at the same time"


def test_the_pause_grows_with_the_time_an_answer_takes(tmp_path: Path) -> None:
    pace = {"delay_factor": 3, "min_delay": 0, "max_delay": 5}
    with website({"/": links("/a"), "/a": page()}, seconds=0.2) as site:
        harvested(tmp_path, ordered(site.address, politeness=pace))

    assert site.gaps[0] >= 0.2 + 3 * 0.2 - A_HAIR


def test_a_crawl_delay_is_kept(tmp_path: Path) -> None:
    robots = text("User-agent: *\nCrawl-delay: 0.6\n")
    pages = {"/robots.txt": robots, "/": links("/a", "/b"), "/a": page(), "/b": page()}
    with website(pages) as site:
        harvested(tmp_path, ordered(site.address, **POLITE))

    assert site.paths[:2] == ["/robots.txt", "/"]
    assert min(site.gaps[1:]) >= 0.6 - A_HAIR


def test_a_crawl_delay_is_kept_no_longer_than_the_order_allows(tmp_path: Path) -> None:
    robots = text("User-agent: *\nCrawl-delay: 3600\n")
    with website({"/robots.txt": robots, "/": links("/a"), "/a": page()}) as site:
        harvested(tmp_path, ordered(site.address, politeness={"max_crawl_delay": 0.3}, **POLITE))

    assert 0.3 - A_HAIR <= site.gaps[-1] < 2


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_retry_after_is_kept_by_the_whole_server_and_the_page_comes_in_the_end(
    tmp_path: Path, status: str
) -> None:
    busy = [text("busy", status, "Retry-After: 1"), page(b"at last")]
    pages: dict[str, Answer] = {
        "/": lambda _: busy.pop(0) if len(busy) > 1 else busy[0],
        "/other": page(),
    }
    with website(pages) as site:
        # The first back-off without Retry-After is 5 seconds; the cap keeps the test short.
        order = ordered(
            site.address,
            f"{site.address}other",
            politeness={"max_retry_after": 1},
            retries={"attempts": 3, "delay": 0.1},
        )
        harvest = harvested(tmp_path, order)

    assert site.paths.count("/") == 2
    first = site.paths.index("/")
    assert site.gaps[first] >= 1 - A_HAIR, "the other page of this server came too early"
    assert harvest.block(site.address) == page(b"at last")
    line = next(line for line in harvest.log if line.url == site.address)
    assert (line.status, line.annotations) == (200, ("2t",))


def test_refusals_in_a_row_are_answered_by_longer_and_longer_pauses(tmp_path: Path) -> None:
    with website({"/": text("busy", "503 Service Unavailable")}) as site:
        order = ordered(site.address, politeness={"min_delay": 0.05, "max_delay": 0.05, "max_retry_after": 1})
        order = order.model_copy(update={"retries": order.retries.model_copy(update={"attempts": 3})})
        harvest = harvested(tmp_path, order)

    assert len(site.asked) == 3
    assert all(gap >= 1 - A_HAIR for gap in site.gaps)
    (line,) = harvest.log
    assert (line.status, line.annotations) == (503, ("3t",)), "the last answer is what the archive has"


def test_one_connection_at_a_time_serves_a_queue(tmp_path: Path) -> None:
    pages = {"/": links(*(f"/{n}" for n in range(20))), **{f"/{n}": page(b"%d" % n) for n in range(20)}}
    with website(pages, seconds=0.01) as site:
        harvested(tmp_path, ordered(site.address))

    assert len(site.asked) == 21
    assert site.most_busy == 1
    assert {asked.connection for asked in site.asked} == {1}, "the connection is kept"


def test_as_many_downloads_from_one_queue_as_the_order_says(tmp_path: Path) -> None:
    pages = {"/": links(*(f"/{n}" for n in range(20))), **{f"/{n}": page(b"%d" % n) for n in range(20)}}
    with website(pages, seconds=0.05) as site:
        harvested(tmp_path, ordered(site.address, queues={"parallel": 3, "parallel_server": 3}))

    assert site.most_busy == 3
