"""Which addresses are visited, and from which: measured at the server."""

from pathlib import Path

from armarium.core.crawl_order import Fetching, Limits
from armarium.harvest.fetch import Exchange, Fetcher
from armarium.harvest.model import Status
from tests.integration.harvest.fetch.fetching import fetched, ordered, with_fetcher
from tests.sites.serving import Visit, page, serving
from tests.sites.well_behaved import well_behaved


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page())


def test_the_loopback_is_denied_until_a_seed_lies_there(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> tuple[Exchange, Exchange]:
        denied = await fetcher.fetch(site.address)
        assert site.visits == []
        fetcher.open_range_of("127.0.0.1")
        return denied, await fetcher.fetch(site.address)

    with well_behaved() as site:
        denied, allowed = with_fetcher(tmp_path, work, Fetching())

    assert denied.status == Status.BLOCKED
    assert "allowed_ranges" in denied.error
    assert allowed.status == 200


def test_an_address_given_with_the_url_is_checked_too(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> Exchange:
        return await fetcher.fetch(f"http://www.library.example:{site.port}/", addresses=("127.0.0.1",))

    with well_behaved() as site:
        exchange = with_fetcher(tmp_path, work, Fetching())

    assert exchange.status == Status.BLOCKED
    assert site.visits == []


def test_an_ipv4_address_in_ipv6_clothes_is_still_denied(tmp_path: Path) -> None:
    with well_behaved() as site:
        exchange = fetched(tmp_path, f"http://[::ffff:127.0.0.1]:{site.port}/", Fetching())

    assert exchange.status == Status.BLOCKED
    assert site.visits == []


def test_ipv6_is_fetched(tmp_path: Path) -> None:
    with serving(behaviour, host="::1") as site:
        exchange = fetched(tmp_path, site.address)

        assert (exchange.status, exchange.address) == (200, "::1")
        assert f"\r\nHost: [::1]:{site.port}\r\n".encode() in site.requests[0]


def test_the_next_address_is_tried_when_one_refuses(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> Exchange:
        url = f"http://www.library.example:{site.port}/"
        return await fetcher.fetch(url, addresses=("127.0.0.9", "::1", "127.0.0.1"))

    with well_behaved() as site:
        exchange = with_fetcher(tmp_path, work)

    assert (exchange.status, exchange.address) == (200, "127.0.0.1")


def test_a_refused_connection_is_a_failure_that_names_the_address(tmp_path: Path) -> None:
    with well_behaved() as site:
        port = site.port
    exchange = fetched(tmp_path, f"http://127.0.0.1:{port}/")

    assert exchange.status == Status.CONNECT_FAILED
    assert "127.0.0.1" in exchange.error


def test_connections_come_from_the_address_that_the_order_names(tmp_path: Path) -> None:
    with well_behaved() as site:
        exchange = fetched(tmp_path, site.address, ordered(bind_address="127.0.0.5"))

        assert exchange.status == 200
        assert site.visits[0].writer.get_extra_info("peername")[0] == "127.0.0.5"


def test_an_address_that_http_cannot_ask_for_is_unfetchable(tmp_path: Path) -> None:
    for url in ("ftp://library.example/", "http:///", "http://a b/", "http://h:99999/", "nonsense", ""):
        assert fetched(tmp_path, url).status == Status.UNFETCHABLE, url


def test_a_smaller_limit_may_be_set_for_one_request(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> Exchange:
        return await fetcher.fetch(site.address, limit_bytes=4)

    with well_behaved() as site:
        exchange = with_fetcher(tmp_path, work, limits=Limits(max_download_bytes=100))

    assert exchange.entity() == b"<p>A"
    assert exchange.truncated == "length"
