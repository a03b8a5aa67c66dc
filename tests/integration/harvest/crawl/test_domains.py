"""A mixed crawl: many domains, each with its own limits, and an end of its own."""

import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from armarium.collector.result import end_of
from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.team.crawl import TeamCrawl
from tests.integration.harvest.crawl.harvesting import Harvest, harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import links, page, text, website
from tests.sites.name_server import NameServer, name_server

PAGES = {
    "/": links(*(f"/{number}" for number in range(12))),
    **{f"/{number}": page(b"%04d" % number * 250) for number in range(12)},
}
OBJECTS = 13
NAMES = ("whole", "counted", "weighed", "nothing", "plain")
BUDGETS: dict[str, dict[str, int]] = {
    "whole.example": {"max_objects": 50},
    "counted.example": {"max_objects": 5},
    "weighed.example": {"max_bytes": 2500},
    "nothing.example": {"max_objects": 0},
}
QUEUES = {"by": "domain", "max_objects": 8, "budgets": BUDGETS}


@pytest.fixture
def names() -> Iterator[NameServer]:
    zone = [f"{host}{name}.example. 300 IN A 127.0.0.1" for name in NAMES for host in ("", "www.")]
    zone += ["refused.example. 300 IN A 127.0.0.9"]
    with name_server(NameServer(zone)) as server:
        yield server


def mixed(names: NameServer, port: int, *domains: str, **settings: Any) -> CrawlOrder:
    order = ordered(
        queues=QUEUES, fetching={"dns_servers": [names.address]}, scope={"kind": "domain"}, **settings
    )
    seeds = [{"url": f"http://{host}{one}:{port}/", "tag": one} for one in domains for host in ("", "www.")]
    return CrawlOrder.model_validate({**order.model_dump(), "seeds": seeds})


def ends(harvest: Harvest) -> dict[str, tuple[int, str]]:
    return {row["domain"]: (row["objects"], row["reason"]) for row in harvest.summary["domains"]}


def test_each_domain_has_its_own_limit_and_says_why_it_ended(tmp_path: Path, names: NameServer) -> None:
    domains = [f"{name}.example" for name in (*NAMES, "unknown")]
    with website(PAGES) as site:
        harvest = harvested(tmp_path, mixed(names, site.port, *domains))

    # Two seeds, and what each of the two hosts has.
    assert ends(harvest) == {
        "whole.example": (2 * OBJECTS, "complete"),
        "plain.example": (8, "max-objects"),
        "counted.example": (5, "max-objects"),
        "weighed.example": (5, "max-bytes"),
        "nothing.example": (0, "max-objects"),
        "unknown.example": (0, "unreachable"),
    }
    sources = {source["tag"]: source["objects"] for source in harvest.summary["sources"]}
    assert sources == {domain: objects for domain, (objects, _) in ends(harvest).items()}
    remaining = {row["domain"]: row["remaining"] for row in harvest.summary["domains"]}
    assert remaining["whole.example"] == 0
    assert remaining["nothing.example"] == 2


def test_objects_are_what_was_asked_for_without_names_and_robots_txt(
    tmp_path: Path, names: NameServer
) -> None:
    with website({**PAGES, "/robots.txt": text("")}) as site:
        order = mixed(names, site.port, "whole.example", robots="obey")
        harvest = harvested(tmp_path, order)

    assert harvest.summary["counts"]["succeeded"] == 2 * OBJECTS + 4  # two names, two robots.txt
    assert ends(harvest) == {"whole.example": (2 * OBJECTS, "complete")}
    end = end_of(1, harvest.summary, "", order, [])
    assert (end.objects, end.domains[0].objects) == (2 * OBJECTS, 2 * OBJECTS)
    assert end.bytes == end.domains[0].bytes


def test_a_domain_that_nobody_serves_is_unreachable_and_one_that_forbids_us_is_complete(
    tmp_path: Path, names: NameServer
) -> None:
    with website({"/robots.txt": text("User-agent: *\nDisallow: /\n")}) as site:
        order = mixed(names, site.port, "refused.example", "plain.example", robots="obey")
        harvest = harvested(tmp_path, order)

    assert ends(harvest)["refused.example"] == (0, "unreachable")
    assert ends(harvest)["plain.example"][1] == "complete"


def test_a_domain_that_was_not_begun_says_that_the_crawl_ended(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES) as site:
        order = mixed(names, site.port, "whole.example", "plain.example", limits={"max_objects": 0})
        harvest = harvested(tmp_path, order)

    assert ends(harvest) == {"whole.example": (0, "crawl-ended"), "plain.example": (0, "crawl-ended")}


def test_limits_of_domains_hold_over_an_interruption(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES, seconds=0.05) as site:
        order = mixed(names, site.port, "whole.example", "counted.example")
        with running(tmp_path, order) as live:
            assert soon(lambda: len(site.asked) >= 4)
            shown = {queue["queue"]: queue["max_objects"] for queue in live.ask("queues")["queues"]}
            status = live.ask("status")
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        harvest = harvested(tmp_path, order)

    assert shown == {"whole.example": 50, "counted.example": 5}
    assert status["hosts"] == 2
    assert status["mimes"][0]["mime"] in ("text/html", "text/dns")
    assert ends(harvest) == {"whole.example": (26, "complete"), "counted.example": (5, "max-objects")}


def led(names: NameServer, port: int, kind: str = "page", **sources: dict[str, int]) -> CrawlOrder:
    """Each seed links to its own site and to all others."""
    order = ordered(
        fetching={"dns_servers": [names.address]},
        scope={"kind": kind, "page_hops": 2},
        limits={"sources": {f"{name}.example": budget for name, budget in sources.items()}},
    )
    seeds = [{"url": f"http://{name}.example:{port}/{name}", "tag": f"{name}.example"} for name in sources]
    return CrawlOrder.model_validate({**order.model_dump(), "seeds": seeds})


def leading(port: int) -> dict[str, Any]:
    """Pages that lead to each other for ever, on whatever host."""
    pages = {name: [f"http://{to}.example:{port}/from-{name}" for to in NAMES] for name in NAMES}
    found = {f"/{name}": links(*to) for name, to in pages.items()}
    further = [f"http://{to}.example:{port}/{{}}-{number}" for to in NAMES for number in range(3)]
    return found | {f"/from-{name}": links(*(url.format(name) for url in further)) for name in NAMES}


def source_ends(summary: dict[str, Any]) -> dict[str, tuple[int, str]]:
    return {row["tag"]: (row["objects"], row["reason"]) for row in summary["sources"]}


def test_a_budget_of_seeds_holds_wherever_they_lead(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Any] = {}
    with website(pages) as site:
        pages |= leading(site.port)
        order = led(names, site.port, whole={"max_objects": 3}, counted={"max_objects": 10}, plain={})
        harvest = harvested(tmp_path, order)

    found = source_ends(harvest.summary)
    assert found["whole.example"] == (3, "max-objects")
    assert found["counted.example"] == (10, "max-objects")
    assert found["plain.example"][1] == "complete"
    assert harvest.summary["counts"]["queued"] > 0


def _team(root: Path, facts: dict[str, Any]) -> None:
    async def crawl() -> None:
        team = TeamCrawl(CrawlFolder(root), order, 2)
        await team.start()
        await team.run()

    order = CrawlOrder.model_validate(facts)
    CrawlFolder(root).write_order(order)
    uvloop.run(crawl())


def test_a_budget_of_seeds_holds_for_several_processes_together(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Any] = {}
    with website(pages) as site:
        pages |= leading(site.port)
        order = led(names, site.port, whole={"max_objects": 3}, counted={"max_objects": 15}, plain={})
        team = multiprocessing.get_context("spawn").Process(target=_team, args=(tmp_path, order.model_dump()))
        team.start()
        team.join(60)

    assert team.exitcode == 0
    found = source_ends(json.loads((tmp_path / "summary.json").read_text()))
    assert found["whole.example"] == (3, "max-objects")
    assert found["counted.example"] == (15, "max-objects")
    assert found["plain.example"] == (21, "complete")


def test_limits_of_domains_hold_for_several_processes_together(tmp_path: Path, names: NameServer) -> None:
    with website(PAGES) as site:
        order = mixed(names, site.port, *(f"{name}.example" for name in NAMES))
        # A process of its own: the members are started from its main module.
        team = multiprocessing.get_context("spawn").Process(target=_team, args=(tmp_path, order.model_dump()))
        team.start()
        team.join(60)

    assert team.exitcode == 0
    found = ends(Harvest(tmp_path, json.loads((tmp_path / "summary.json").read_text())))
    assert {name.removesuffix(".example"): end[1] for name, end in found.items()} == {
        "whole": "complete",
        "plain": "max-objects",
        "counted": "max-objects",
        "weighed": "max-bytes",
        "nothing": "max-objects",
    }
    assert {found[f"{name}.example"][0] for name in ("plain", "counted", "nothing")} == {8, 5, 0}
