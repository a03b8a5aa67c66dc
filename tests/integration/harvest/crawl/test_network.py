"""Names, certificates, proxies and both families of addresses, all of them real."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from armarium.harvest.model import Status
from tests.integration.harvest.crawl.harvesting import POLITE, harvested, ordered
from tests.integration.harvest.crawl.website import links, page, redirect, text, website
from tests.sites.certificates import Authority
from tests.sites.name_server import NameServer, name_server
from tests.sites.proxies import Proxy, http_proxy, socks_proxy

NAME = "www.library.example"
PAGES = {"/": links("/a"), "/a": page(b"a"), "/robots.txt": text("")}
Kind = Callable[[], AbstractContextManager[Proxy]]


@pytest.fixture
def names() -> Iterator[NameServer]:
    zone = [f"{NAME}. 300 IN A 127.0.0.1", "alias.example. 300 IN CNAME www.library.example."]
    with name_server(NameServer(zone)) as server:
        yield server


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.create(tmp_path)


# Names ---------------------------------------------------------------------------------------------------


def test_the_answers_of_the_name_server_are_recorded_and_logged(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES) as site:
        order = ordered(f"http://{NAME}:{site.port}/", fetching={"dns_servers": [names.address]})
        harvest = harvested(tmp_path, order)

    (record,) = [capture for capture in harvest.captures if capture.url.startswith("dns:")]
    assert record.url == f"dns:{NAME}"
    assert record.fields.get("content-type") == "text/dns"
    assert record.fields.get("warc-ip-address") == "127.0.0.1"
    moment, *lines = record.block.decode().splitlines()
    assert len(moment) == 14
    assert lines == [f"{NAME}.\t300\tIN\tA\t127.0.0.1"]
    first, *others = harvest.whole_log
    assert (first.url, first.status, first.hops, first.mime) == (f"dns:{NAME}", 1, "P", "text/dns")
    assert not [line for line in others if line.url.startswith("dns:")], "it is asked once"
    assert sorted(names.asked) == [f"A {NAME}.", f"AAAA {NAME}."]


def test_an_alias_is_recorded_with_what_it_leads_to(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES) as site:
        seed = f"http://alias.example:{site.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"dns_servers": [names.address]}))

    text_of = next(capture.block for capture in harvest.captures if capture.url == "dns:alias.example")
    assert b"alias.example.\t300\tIN\tCNAME\twww.library.example." in text_of
    assert site.asked[0].host == f"alias.example:{site.port}"
    assert harvest.statuses[seed] == 200


def test_a_name_that_nobody_knows_is_tried_again_and_then_given_up(tmp_path: Path, names: NameServer) -> None:
    order = ordered(
        "http://nobody.example/",
        fetching={"dns_servers": [names.address]},
        retries={"attempts": 2, "delay": 0.1},
    )
    harvest = harvested(tmp_path, order)

    (line,) = harvest.log
    assert (line.status, line.annotations) == (Status.DNS_FAILED, ("2t",))
    assert "NXDOMAIN" in (tmp_path / "logs" / "nonfatal-errors.log").read_text()
    assert harvest.summary["seeds"][0]["result"] == "not-crawled"


@pytest.mark.parametrize("silent", [False, True], ids=["no-such-name", "no-answer"])
def test_a_crawl_does_not_wait_for_names_that_were_only_guessed(
    tmp_path: Path, names: NameServer, silent: bool
) -> None:
    guesses = ", ".join(f"'http://cdn{number}.nowhere.example/a.js'" for number in range(17))
    script = page(f"<script>var list = [{guesses}]</script>".encode())
    with website({"/": script}) as site:
        fetching = {"dns_servers": ["127.0.0.1:1" if silent else names.address]}
        patience = {"retries": {"attempts": 4, "delay": 300.0}, "limits": {"max_seconds": 120}}
        harvest = harvested(tmp_path, ordered(site.address, fetching=fetching, **patience))

    assert harvest.summary["status"] == "Finished"
    assert sum(line.status == Status.DNS_FAILED for line in harvest.log) == 17


def test_names_need_not_be_recorded(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES) as site:
        fetching = {"dns_servers": [names.address], "dns_records": False}
        harvest = harvested(tmp_path, ordered(f"http://{NAME}:{site.port}/", fetching=fetching))

    assert len(harvest.captures) == 2


# Addresses -----------------------------------------------------------------------------------------------


def test_a_site_of_the_sixth_version_is_harvested_whole(tmp_path: Path) -> None:
    with website(PAGES, host="::1") as site:
        harvest = harvested(tmp_path, ordered(site.address, **POLITE))

    assert site.address.startswith("http://[::1]:")
    assert site.paths == ["/robots.txt", "/", "/a"]
    assert site.asked[0].host == f"[::1]:{site.port}"
    captures = {capture.url: capture for capture in harvest.captures}
    assert captures[f"{site.address}a"].block == page(b"a")
    assert captures[site.address].fields.get("warc-ip-address") == "::1"


def test_a_name_with_both_kinds_of_addresses_is_reached_by_the_one_that_works(tmp_path: Path) -> None:
    zone = ["both.example. 300 IN A 127.0.0.7", "both.example. 300 IN AAAA ::1"]
    with name_server(NameServer(zone)) as names, website(PAGES, host="::1") as site:
        seed = f"http://both.example:{site.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"dns_servers": [names.address]}))

    assert harvest.statuses == {seed: 200, f"{seed}a": 200}


# Certificates --------------------------------------------------------------------------------------------

KINDS: dict[str, Callable[[Authority], ssl.SSLContext]] = {
    "right": lambda authority: authority.server(NAME),
    "other name": lambda authority: authority.server("other.example"),
    "run out": lambda authority: authority.server(NAME, days=-1),
    "self-signed": lambda authority: authority.self_signed(NAME),
}
TAKEN = {"open": set(KINDS), "normal": {"right", "other name"}, "strict": {"right"}}


@pytest.mark.parametrize("policy", TAKEN)
@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_is_taken_as_the_policy_says(
    tmp_path: Path, names: NameServer, authority: Authority, policy: str, kind: str
) -> None:
    fetching = {"dns_servers": [names.address], "tls": policy, "tls_authorities": str(authority.file)}
    with website(PAGES, tls=KINDS[kind](authority)) as site:
        seed = f"https://{NAME}:{site.port}/"
        harvest = harvested(tmp_path / "crawl", ordered(seed, fetching=fetching))
        sent = site.sent

    if kind not in TAKEN[policy]:
        assert harvest.statuses == {seed: Status.CONNECT_FAILED}
        assert site.asked == []
        assert "TLS with" in (tmp_path / "crawl" / "logs" / "nonfatal-errors.log").read_text()
        return
    assert harvest.statuses == {seed: 200, f"{seed}a": 200}
    answers = [capture for capture in harvest.captures if capture.url.startswith("https:")]
    assert b"".join(capture.block for capture in answers) == sent
    assert "tls/1.3" in answers[0].fields.get_all("warc-protocol")


def test_a_redirect_from_http_to_https_is_followed_and_sends_no_referrer_back(
    tmp_path: Path, names: NameServer, authority: Authority
) -> None:
    with website({}) as nobody:
        port = nobody.port
    fetching = {"dns_servers": [names.address], "tls": "strict", "tls_authorities": str(authority.file)}
    pages = {"/": links(f"http://{NAME}:{port}/plain")}
    with website(pages, tls=authority.server(NAME)) as secured:
        secure = f"https://{NAME}:{secured.port}/"
        with website({"/": redirect(secure), "/plain": page()}) as plain:
            pages["/"] = links(f"http://{NAME}:{plain.port}/plain")
            seed = f"http://{NAME}:{plain.port}/"
            harvest = harvested(tmp_path / "crawl", ordered(seed, fetching=fetching))

    assert harvest.statuses[secure] == 200
    assert f"Referer: {seed}".encode() in secured.asked[0].request
    assert plain.paths == ["/", "/plain"]
    assert b"Referer" not in plain.asked[1].request


# Proxies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "kind"), [("socks5", socks_proxy), ("http", http_proxy)])
def test_everything_goes_through_the_proxy(
    tmp_path: Path, names: NameServer, authority: Authority, scheme: str, kind: Kind
) -> None:
    with website(PAGES, tls=authority.server(NAME)) as site, kind() as proxy:
        fetching = {
            "dns_servers": [names.address],
            "proxy": f"{scheme}://127.0.0.1:{proxy.site.port}",
            "tls": "strict",
            "tls_authorities": str(authority.file),
        }
        seed = f"https://{NAME}:{site.port}/"
        harvest = harvested(tmp_path / "crawl", ordered(seed, fetching=fetching, **POLITE))

    assert harvest.statuses[f"{seed}a"] == 200
    assert set(proxy.led_to) == {f"127.0.0.1:{site.port}"}
    answers = [capture.block for capture in harvest.captures if capture.url.startswith("https:")]
    assert b"".join(answers) == site.sent


def test_plain_pages_come_through_an_http_proxy_that_knows_the_names(tmp_path: Path) -> None:
    with website(PAGES) as site, http_proxy("me", "secret", {NAME: "127.0.0.1"}) as proxy:
        address = f"http://me:secret@127.0.0.1:{proxy.site.port}"
        order = ordered(f"http://{NAME}:{site.port}/", fetching={"proxy": address, "proxy_resolves": True})
        harvest = harvested(tmp_path, order)

    assert sorted(harvest.statuses.values()) == [200, 200]
    assert proxy.led_to[0] == f"{NAME}:{site.port}"
    requests = b"".join(harvest.blocks("request"))
    assert b"Proxy-Authorization: Basic withheld" in requests


def test_the_password_of_a_proxy_is_in_no_file_that_is_passed_on(tmp_path: Path) -> None:
    with website(PAGES) as site, http_proxy("me", "sesame-open", {NAME: "127.0.0.1"}) as proxy:
        address = f"http://me:sesame-open@127.0.0.1:{proxy.site.port}"
        order = ordered(f"http://{NAME}:{site.port}/", fetching={"proxy": address, "proxy_resolves": True})
        harvest = harvested(tmp_path, order)

    assert "sesame-open" not in (tmp_path / "summary.json").read_text()
    assert not [one for one in harvest.all_records if b"sesame-open" in one.block]


def test_a_proxy_that_is_away_is_a_failed_connection_and_not_a_way_around_it(tmp_path: Path) -> None:
    with website(PAGES) as site:
        order = ordered(site.address, fetching={"proxy": "socks5://127.0.0.1:1"})
        harvest = harvested(tmp_path, order)

    assert site.asked == []
    assert harvest.statuses == {site.address: Status.CONNECT_FAILED}
