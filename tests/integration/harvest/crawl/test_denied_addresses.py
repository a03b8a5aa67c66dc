"""Addresses that must not be visited are not, by whatever way a page, a name or a redirect leads there."""

from pathlib import Path

import pytest

from armarium.harvest.engine.engine import End
from armarium.harvest.fetch import look_up
from armarium.harvest.model import Status
from tests.integration.harvest.crawl.harvesting import harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import images, links, page, redirect, website
from tests.sites.name_server import NameServer, name_server

# Only 127.0.0.2 stands for the public internet: seeds there open nothing.
PUBLIC = "127.0.0.2"
INTERNET = {"allowed_ranges": [f"{PUBLIC}/32"]}


def test_a_name_that_leads_to_the_loopback_is_refused(tmp_path: Path) -> None:
    zone = [f"www.example. 300 IN A {PUBLIC}", "evil.example. 300 IN A 127.0.0.1"]
    with website({"/": page(b"secret")}) as inside, name_server(NameServer(zone)) as names:
        evil = f"http://evil.example:{inside.port}/"
        with website({"/": images(evil)}, host=PUBLIC) as site:
            fetching = {**INTERNET, "dns_servers": [names.address]}
            seed = f"http://www.example:{site.port}/"
            harvest = harvested(tmp_path, ordered(seed, fetching=fetching, scope={"kind": "any"}))

    assert harvest.statuses == {seed: 200, evil: Status.BLOCKED}
    assert inside.site.visits == []
    assert next(line for line in harvest.log if line.url == evil).annotations == ("deniedAddress",)
    assert "127.0.0.1, which is denied" in (tmp_path / "logs" / "nonfatal-errors.log").read_text()


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://localhost:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://0.0.0.0:{port}/",
        "http://10.0.0.1/",
    ],
)
@pytest.mark.parametrize("way", [redirect, links])
def test_the_way_inside_is_closed(tmp_path: Path, target: str, way: object) -> None:
    with website({"/": page(b"secret")}) as inside:
        target = target.format(port=inside.port)
        with website({"/": redirect(target) if way is redirect else images(target)}, host=PUBLIC) as site:
            order = ordered(site.address, fetching=INTERNET, scope={"kind": "any"})
            harvest = harvested(tmp_path, order)

    assert inside.site.visits == []
    statuses = harvest.statuses
    assert statuses.pop(site.address) in (200, 302)
    assert list(statuses.values()) == [Status.BLOCKED]


def test_a_seed_on_the_loopback_does_not_open_the_link_local_range(tmp_path: Path) -> None:
    target = "http://169.254.169.254/latest/"
    with website({"/": redirect(target)}) as site:
        harvest = harvested(tmp_path, ordered(site.address, scope={"kind": "any"}))

    assert harvest.statuses == {site.address: 302, target: Status.BLOCKED}


def test_a_name_that_changes_its_address_between_two_requests_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_up, "LEAST_SECONDS", 0.0)  # an answer holds for a minute, even if it says less
    with website({"/page": page(b"secret")}) as inside:
        names = NameServer([f"www.example. 0 IN A {PUBLIC}"])

        def rebind(_: bytes) -> bytes:
            names.zone = ["www.example. 0 IN A 127.0.0.1"]
            return links(f"http://www.example:{inside.port}/page")

        with name_server(names), website({"/": rebind}, host=PUBLIC) as site:
            fetching = {**INTERNET, "dns_servers": [names.address]}
            seed = f"http://www.example:{site.port}/"
            harvest = harvested(tmp_path, ordered(seed, fetching=fetching))

    assert harvest.statuses == {seed: 200, f"http://www.example:{inside.port}/page": Status.BLOCKED}
    assert inside.site.visits == []


def test_a_kept_answer_of_the_name_server_outlives_its_rebinding(tmp_path: Path) -> None:
    names = NameServer([f"www.example. 0 IN A {PUBLIC}"])

    def rebind(_: bytes) -> bytes:
        names.zone = ["www.example. 0 IN A 127.0.0.1"]
        return links("/page")

    with name_server(names), website({"/": rebind, "/page": page()}, host=PUBLIC) as site:
        seed = f"http://www.example:{site.port}/"
        fetching = {**INTERNET, "dns_servers": [names.address]}
        harvest = harvested(tmp_path, ordered(seed, fetching=fetching))

    assert site.paths == ["/", "/page"]
    assert set(harvest.statuses.values()) == {200}


def test_a_range_that_the_order_denies_is_not_opened_by_a_seed(tmp_path: Path) -> None:
    with website({"/": page()}) as site:
        harvest = harvested(tmp_path, ordered(site.address, fetching={"denied_ranges": ["127.0.0.0/8"]}))

    assert harvest.statuses == {site.address: Status.BLOCKED}
    assert site.site.visits == []


def test_a_range_that_a_seed_opened_stays_open_when_the_crawl_is_resumed(tmp_path: Path) -> None:
    with website({"/": links("/a"), "/a": page()}) as site:
        order = ordered(site.address, politeness={"min_delay": 0.5, "max_delay": 0.5})
        with running(tmp_path, order) as live:
            assert soon(lambda: site.paths == ["/"])
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        harvest = harvested(tmp_path, order)

    assert site.paths == ["/", "/a"]
    assert harvest.statuses[f"{site.address}a"] == 200


def test_a_seed_whose_name_leads_to_a_cable_s_own_addresses_opens_nothing(tmp_path: Path) -> None:
    zone = ["evil.example. 300 IN A 127.0.0.1", "evil.example. 300 IN A 169.254.169.254"]
    with website({"/": page(b"secret")}) as inside, name_server(NameServer(zone)) as names:
        seed = f"http://evil.example:{inside.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"dns_servers": [names.address]}))

    assert harvest.statuses == {seed: Status.BLOCKED}
    assert inside.site.visits == []


def test_a_seed_opens_nothing_in_an_order_that_says_so(tmp_path: Path) -> None:
    names = NameServer(["inside.example. 300 IN A 127.0.0.1"])
    with website({"/": page(b"secret")}) as inside, name_server(names):
        seed = f"http://inside.example:{inside.port}/"
        fetching = {"seeds_open_ranges": False, "dns_servers": [names.address]}
        harvest = harvested(tmp_path, ordered(seed, fetching=fetching))

    assert harvest.statuses == {seed: Status.BLOCKED}
    assert inside.site.visits == []


def test_nor_does_a_seed_that_is_an_address_itself(tmp_path: Path) -> None:
    with website({"/": page(b"secret")}) as inside:
        seed = f"http://127.0.0.1:{inside.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"seeds_open_ranges": False}))

    assert harvest.statuses == {seed: Status.BLOCKED}
    assert inside.site.visits == []
