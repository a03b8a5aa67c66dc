"""Names resolved by a real name server on the loopback."""

import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from armarium.harvest.fetch import Fetcher, Resolution
from armarium.harvest.fetch import look_up as look_up_module
from armarium.harvest.model import Status
from tests.integration.harvest.fetch.fetching import ordered, with_fetcher
from tests.sites.name_server import NameServer, name_server
from tests.sites.well_behaved import well_behaved

ZONE = (
    "www.library.example. 300 IN A 127.0.0.1",
    "www.library.example. 300 IN AAAA ::1",
    "alias.library.example. 200 IN CNAME www.library.example.",
    "only4.library.example. 300 IN A 127.0.0.1",
    "only6.library.example. 300 IN AAAA ::1",
    "mail.library.example. 300 IN MX 10 www.library.example.",
    "metadata.library.example. 300 IN A 169.254.169.254",
    "mixed.library.example. 300 IN A 10.0.0.1",
    "mixed.library.example. 300 IN A 127.0.0.1",
    "loop.library.example. 300 IN CNAME loop.library.example.",
)


def asked(folder: Path, server: NameServer, *names: str, **settings: object) -> list[Resolution]:
    async def work(fetcher: Fetcher) -> list[Resolution]:
        return [await fetcher.resolve(name) for name in names]

    with name_server(server):
        return with_fetcher(folder, work, ordered(**({"dns_servers": (server.address,)} | settings)))


def test_a_name_gives_its_addresses_and_a_record_in_heritrixs_form(tmp_path: Path) -> None:
    (resolution,) = asked(tmp_path, NameServer(ZONE), "alias.library.example")

    assert resolution.addresses == ("127.0.0.1", "::1")
    assert resolution.record is not None
    first, *lines = resolution.record.text.decode().splitlines()
    assert re.fullmatch(r"20\d{12}", first)
    assert lines == [
        "alias.library.example.\t200\tIN\tCNAME\twww.library.example.",
        "www.library.example.\t300\tIN\tA\t127.0.0.1",
        "www.library.example.\t300\tIN\tAAAA\t::1",
    ]
    assert resolution.record.server == "127.0.0.1"
    assert resolution.record.name == "alias.library.example"
    assert 0 < resolution.record.duration < 2


def test_an_answer_is_kept_and_recorded_only_once(tmp_path: Path) -> None:
    server = NameServer(ZONE)
    first, second, third = asked(
        tmp_path, server, "www.library.example", "WWW.library.example.", "www.library.example"
    )

    assert first.addresses == second.addresses == third.addresses
    assert [each.record is not None for each in (first, second, third)] == [True, False, False]
    assert sorted(server.asked) == ["A www.library.example.", "AAAA www.library.example."]


def test_an_answer_is_asked_for_again_when_its_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_up_module, "LEAST_SECONDS", 0.2)
    server = NameServer(("www.library.example. 0 IN A 127.0.0.1",))

    async def work(fetcher: Fetcher) -> None:
        await fetcher.resolve("www.library.example")
        time.sleep(0.3)  # noqa: ASYNC251  (nothing else runs here)
        await fetcher.resolve("www.library.example")

    with name_server(server):
        with_fetcher(tmp_path, work, ordered(dns_servers=(server.address,), ip_version="4"))

    assert len(server.asked) == 2


@pytest.mark.parametrize(("version", "addresses"), [("4", ("127.0.0.1",)), ("6", ("::1",))])
def test_only_the_version_that_the_order_wants_is_asked_for(
    tmp_path: Path, version: str, addresses: tuple[str, ...]
) -> None:
    server = NameServer(ZONE)
    (resolution,) = asked(tmp_path, server, "www.library.example", ip_version=version)

    assert resolution.addresses == addresses
    assert len(server.asked) == 1


def test_a_name_that_does_not_exist_is_not_asked_for_twice(tmp_path: Path) -> None:
    server = NameServer(ZONE)
    first, second = asked(tmp_path, server, "none.library.example", "none.library.example")

    assert first.addresses == second.addresses == ()
    assert "NXDOMAIN" in first.error
    assert first.record is None
    assert len(server.asked) == 2, "A and AAAA, once each"


def test_a_name_without_an_address_says_so(tmp_path: Path) -> None:
    (resolution,) = asked(tmp_path, NameServer(ZONE), "mail.library.example")

    assert resolution.addresses == ()
    assert "has no address" in resolution.error


def test_an_alias_is_followed_where_the_server_leaves_that_to_us(tmp_path: Path) -> None:
    (resolution,) = asked(tmp_path, NameServer(ZONE, chases=False), "alias.library.example")

    assert resolution.addresses == ("127.0.0.1", "::1")
    assert resolution.record is not None
    assert resolution.record.text.count(b"CNAME") == 1


def test_an_alias_of_itself_comes_to_an_end(tmp_path: Path) -> None:
    (resolution,) = asked(tmp_path, NameServer(ZONE), "loop.library.example")

    assert resolution.addresses == ()


@pytest.mark.parametrize("server", [NameServer(ZONE, cuts=True), NameServer(ZONE, lies=True)])
def test_a_cut_answer_is_asked_for_over_tcp_and_a_false_one_is_passed_over(
    tmp_path: Path, server: NameServer
) -> None:
    (resolution,) = asked(tmp_path, server, "www.library.example")

    assert resolution.addresses == ("127.0.0.1", "::1")


def test_the_next_server_is_asked_when_one_fails(tmp_path: Path) -> None:
    with name_server(NameServer(ZONE, fails=True)) as failing:
        good = NameServer(ZONE)

        async def work(fetcher: Fetcher) -> Resolution:
            return await fetcher.resolve("www.library.example")

        with name_server(good):
            order = ordered(dns_servers=(failing.address, good.address))
            resolution = with_fetcher(tmp_path, work, order)

    assert resolution.addresses == ("127.0.0.1", "::1")


def test_a_server_that_is_silent_costs_no_more_than_the_time_allowed(tmp_path: Path) -> None:
    began = time.monotonic()
    (resolution,) = asked(tmp_path, NameServer(ZONE, silent=True), "www.library.example", dns_seconds=0.5)

    assert time.monotonic() - began < 9  # the time that is allowed otherwise is 10 s
    assert "did not answer in time" in resolution.error


@pytest.mark.parametrize("name", ["a" * 64 + ".example", "a..b", "", "x" * 300])
def test_what_is_no_name_is_not_asked_for(tmp_path: Path, name: str) -> None:
    server = NameServer(ZONE)
    (resolution,) = asked(tmp_path, server, name)

    assert resolution.addresses == ()
    assert resolution.error
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "addresses"),
    [("127.0.0.1", ("127.0.0.1",)), ("[::1]", ("::1",)), ("localhost", ("127.0.0.1", "::1"))],
)
def test_an_address_and_the_localhost_need_no_server(
    tmp_path: Path, name: str, addresses: tuple[str, ...]
) -> None:
    server = NameServer(ZONE)
    (resolution,) = asked(tmp_path, server, name)

    assert resolution.addresses == addresses
    assert server.asked == []


def with_names(folder: Path, work: Callable[[Fetcher], Awaitable[None]], **settings: object) -> None:
    with name_server(NameServer(ZONE)) as server:
        with_fetcher(folder, work, ordered(**({"dns_servers": (server.address,)} | settings)))


def test_a_page_is_fetched_by_name(tmp_path: Path) -> None:
    with well_behaved() as site:

        async def work(fetcher: Fetcher) -> None:
            exchange = await fetcher.fetch(f"http://only4.library.example:{site.port}/")
            assert (exchange.status, exchange.address) == (200, "127.0.0.1")

        with_names(tmp_path, work)
        assert f"\r\nHost: only4.library.example:{site.port}\r\n".encode() in site.requests[0]


def test_a_name_that_leads_to_a_denied_address_is_not_visited(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> None:
        exchange = await fetcher.fetch("http://metadata.library.example/")
        assert exchange.status == Status.BLOCKED
        assert "169.254.169.254" in exchange.error

    with_names(tmp_path, work)


def test_of_several_addresses_only_the_allowed_ones_are_tried(tmp_path: Path) -> None:
    with well_behaved() as site:

        async def work(fetcher: Fetcher) -> None:
            exchange = await fetcher.fetch(f"http://mixed.library.example:{site.port}/")
            assert (exchange.status, exchange.address) == (200, "127.0.0.1")

        with_names(tmp_path, work)


def test_a_name_that_does_not_resolve_is_a_failure_of_its_own(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> None:
        exchange = await fetcher.fetch("http://none.library.example/")
        assert exchange.status == Status.DNS_FAILED
        assert "NXDOMAIN" in exchange.error

    with_names(tmp_path, work)
