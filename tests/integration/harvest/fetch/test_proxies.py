"""Through real proxies: what they are told, and what is recorded."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from armarium.core.crawl_order import Fetching, TlsPolicy
from armarium.harvest.fetch import Exchange, Fetcher
from armarium.harvest.fetch.proxy import parse_proxy
from armarium.harvest.model import Status
from tests.integration.harvest.fetch.fetching import ordered, wire_of, with_fetcher
from tests.sites.certificates import Authority
from tests.sites.proxies import Proxy, http_proxy, socks_proxy
from tests.sites.serving import Visit, page, serving
from tests.sites.well_behaved import well_behaved

NAME = "www.library.example"
Kind = Callable[[], AbstractContextManager[Proxy]]


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page())


def through(
    folder: Path, proxy: Proxy, url: str, scheme: str, account: str = "", **settings: object
) -> list[Exchange]:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        given = () if settings.get("proxy_resolves") else ("127.0.0.1",)
        return [await fetcher.fetch(url, addresses=given) for _ in range(2)]

    address = f"{scheme}://{account}127.0.0.1:{proxy.site.port}"
    return with_fetcher(folder, work, ordered(proxy=address, **settings))


def test_socks_is_given_the_address_that_we_resolved(tmp_path: Path) -> None:
    with well_behaved() as site, socks_proxy() as proxy:
        first, second = through(tmp_path, proxy, f"http://{NAME}:{site.port}/", "socks5")

        assert (first.status, second.status, second.reused) == (200, 200, True)
        assert first.address == "127.0.0.1"
        assert proxy.led_to == [f"127.0.0.1:{site.port}"]
        assert wire_of(first) + wire_of(second) == bytes(site.visits[0].sent)
        assert first.request == site.requests[0]


@pytest.mark.parametrize(("password", "status"), [("right", 200), ("wrong", Status.CONNECT_FAILED)])
def test_socks_with_a_password(tmp_path: Path, password: str, status: int) -> None:
    with well_behaved() as site, socks_proxy("me", "right") as proxy:
        exchange, _ = through(tmp_path, proxy, f"http://{NAME}:{site.port}/", "socks5", f"me:{password}@")

    assert exchange.status == status
    assert "right" not in exchange.error


def test_socks_that_does_not_lead_on_says_why(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> Exchange:
        return await fetcher.fetch(f"http://{NAME}/", addresses=("127.66.66.66",))

    with socks_proxy() as proxy:
        order = ordered(proxy=f"socks5://127.0.0.1:{proxy.site.port}")
        exchange = with_fetcher(tmp_path, work, order)

    assert exchange.status == Status.CONNECT_FAILED
    assert "connection refused" in exchange.error


@pytest.mark.parametrize(("scheme", "kind"), [("socks5", socks_proxy), ("http", http_proxy)])
def test_tls_goes_through_a_proxy_to_the_address_and_with_the_name(
    tmp_path: Path, scheme: str, kind: Kind
) -> None:
    authority = Authority.create(tmp_path)
    with serving(behaviour, tls=authority.server(NAME)) as site, kind() as proxy:
        url = f"https://{NAME}:{site.port}/"
        settings = {"tls": TlsPolicy.STRICT, "tls_authorities": str(authority.file)}
        first, second = through(tmp_path, proxy, url, scheme, **settings)

        assert (first.status, second.status, second.reused) == (200, 200, True)
        assert first.tls is not None
        assert first.tls.verified
        assert proxy.led_to == [f"127.0.0.1:{site.port}"]
        assert wire_of(first) + wire_of(second) == bytes(site.visits[0].sent)


def test_a_bad_certificate_behind_a_proxy_is_treated_as_without_one(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path)
    with serving(behaviour, tls=authority.self_signed(NAME)) as site, http_proxy() as proxy:
        url = f"https://{NAME}:{site.port}/"
        strict, _ = through(tmp_path, proxy, url, "http", tls=TlsPolicy.STRICT)
        opened, _ = through(tmp_path, proxy, url, "http", tls=TlsPolicy.OPEN)

    assert strict.status == Status.CONNECT_FAILED
    assert "self-signed" in strict.error
    assert opened.status == 200
    assert opened.tls is not None
    assert not opened.tls.verified


def test_an_http_proxy_is_asked_for_the_whole_address_and_its_password_is_not_recorded(
    tmp_path: Path,
) -> None:
    with well_behaved() as site, http_proxy("me", "right", {NAME: "127.0.0.1"}) as proxy:
        url = f"http://{NAME}:{site.port}/page?x=1"
        exchange, again = through(tmp_path, proxy, url, "http", "me:right@")

        assert exchange.status == 200
        assert exchange.request.startswith(f"GET {url} HTTP/1.1\r\n".encode())
        assert b"Proxy-Authorization: Basic withheld\r\n" in exchange.request
        assert exchange.port == proxy.site.port
        assert wire_of(exchange) + wire_of(again) == bytes(site.visits[0].sent)


def test_a_proxy_that_refuses_our_password_is_no_answer_of_the_server(tmp_path: Path) -> None:
    with well_behaved() as site, http_proxy("me", "right", {NAME: "127.0.0.1"}) as proxy:
        exchange, _ = through(tmp_path, proxy, f"http://{NAME}:{site.port}/", "http", "me:wrong@")

    assert exchange.status == Status.CONNECT_FAILED
    assert "fetching.proxy" in exchange.error


def test_an_address_is_checked_even_where_the_proxy_resolves_names(tmp_path: Path) -> None:
    with socks_proxy() as proxy:
        order = Fetching(proxy=f"socks5://127.0.0.1:{proxy.site.port}", proxy_resolves=True)
        exchange = with_fetcher(tmp_path, lambda fetcher: fetcher.fetch("http://127.0.0.1:1/"), order)

    assert exchange.status == Status.BLOCKED
    assert proxy.led_to == []


def test_a_denied_address_is_denied_behind_a_proxy_too(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> Exchange:
        return await fetcher.fetch(f"http://{NAME}/", addresses=("127.0.0.1",))

    with socks_proxy() as proxy:
        order = Fetching(proxy=f"socks5://127.0.0.1:{proxy.site.port}")
        exchange = with_fetcher(tmp_path, work, order)

    assert exchange.status == Status.BLOCKED
    assert proxy.led_to == []


def test_a_proxy_that_resolves_names_is_given_names(tmp_path: Path) -> None:
    with well_behaved() as site, socks_proxy(names={NAME: "127.0.0.1"}) as proxy:
        url = f"http://{NAME}:{site.port}/"
        exchange, _ = through(tmp_path, proxy, url, "socks5", proxy_resolves=True)

        assert exchange.status == 200
        assert proxy.led_to == [f"{NAME}:{site.port}"]


def test_a_proxy_that_is_not_there_is_a_failed_connection(tmp_path: Path) -> None:
    with socks_proxy() as proxy:
        pass
    exchange, _ = through(tmp_path, proxy, f"http://{NAME}/", "socks5")

    assert exchange.status == Status.CONNECT_FAILED


def test_what_is_no_proxy_is_refused_with_a_reason() -> None:
    with pytest.raises(ValueError, match="socks5://host:port"):
        parse_proxy("gopher://127.0.0.1:70")
