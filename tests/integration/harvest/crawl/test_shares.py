"""A crawl that shares a budget with others waits at the end of its share, until it is told what to do."""

import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Unavailable
from armarium.harvest.engine.control import Caller
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.team.crawl import TeamCrawl
from tests.integration.harvest.crawl.harvesting import ordered, running, soon
from tests.integration.harvest.crawl.website import Website, links, page, website

PAGES = {
    "/": links(*(f"/{number}" for number in range(30))),
    **{f"/{number}": page(b"%04d" % number * 250) for number in range(30)},
}
PARALLEL = {"parallel": 4, "parallel_server": 4}


@pytest.fixture
def site() -> Iterator[Website]:
    with website(PAGES) as site:
        yield site


def test_a_crawl_waits_at_its_share_and_goes_on_with_a_larger_one(tmp_path: Path, site: Website) -> None:
    order = ordered(site.address, limits={"share": {"max_objects": 5}}, queues=PARALLEL)
    with running(tmp_path, order) as live:
        assert soon(lambda: live.ask("status")["waits_for_budget"])
        first = len(site.asked)
        live.ask("budget", share={"objects": 12})
        assert soon(lambda: live.ask("status")["objects"] == 12)
        assert soon(lambda: live.ask("status")["waits_for_budget"])
        told = live.ask("status")
        live.ask("terminate", why="budget")
        live.wait()

    assert (first, len(site.asked)) == (5, 12)
    assert (told["share_objects"], told["share_bytes"]) == (12, None)
    assert live.harvest.summary["status"] == End.BUDGET
    assert [row["reason"] for row in live.harvest.summary["domains"]] == ["crawl-ended"]


def test_bytes_go_over_a_share_by_what_is_under_way_at_most(tmp_path: Path, site: Website) -> None:
    order = ordered(site.address, limits={"share": {"max_bytes": 5000}}, queues=PARALLEL)
    with running(tmp_path, order) as live:
        assert soon(lambda: live.ask("status")["waits_for_budget"])
        received = live.ask("status")["bytes"]
        live.ask("terminate", why="budget")
        live.wait()

    assert 5000 <= received < 5000 + 4 * 1100


def test_a_crawl_with_nothing_left_ends_by_itself(tmp_path: Path, site: Website) -> None:
    with running(tmp_path, ordered(site.address, limits={"share": {"max_objects": 31}})) as live:
        live.wait()

    assert live.harvest.summary["status"] == End.FINISHED


def test_waiting_for_a_budget_is_no_silence(tmp_path: Path, site: Website) -> None:
    limits = {"share": {"max_objects": 5}, "no_response_seconds": 0.6, "inactivity_seconds": 0.6}
    with running(tmp_path, ordered(site.address, limits=limits)) as live:
        assert soon(lambda: live.ask("status")["waits_for_budget"])
        assert soon(lambda: live.ask("status")["seconds"] > 2.5)
        live.ask("budget", share={"objects": 31})
        live.wait()

    assert live.harvest.summary["status"] == End.FINISHED
    assert len(site.asked) == 31


def _team(root: Path, facts: dict[str, Any]) -> None:
    async def crawl() -> None:
        team = TeamCrawl(CrawlFolder(root), order, 2)
        await team.start()
        await team.run()

    order = CrawlOrder.model_validate(facts)
    CrawlFolder(root).write_order(order)
    uvloop.run(crawl())


@pytest.mark.parametrize(
    ("name", "small", "large", "over"), [("objects", 7, 20, 0), ("bytes", 7000, 20_000, 4400)]
)
def test_several_processes_keep_one_share_together(
    tmp_path: Path, site: Website, name: str, small: int, large: int, over: int
) -> None:
    with website(PAGES, host="127.0.0.2", seconds=0.05) as other:
        order = ordered(site.address, other.address, limits={"share": {f"max_{name}": small}})
        arguments = (tmp_path, order.model_dump())
        team = multiprocessing.get_context("spawn").Process(target=_team, args=arguments)
        team.start()
        caller = Caller(CrawlFolder(tmp_path).control_file)
        assert soon(lambda: _waits(caller))
        first = caller.ask("status")[name]
        caller.ask("budget", share={name: large})
        assert soon(lambda: caller.ask("status")[name] >= large and _waits(caller))
        second = caller.ask("status")[name]
        caller.ask("terminate", why="budget")
        team.join(60)

    assert small <= first <= small + over
    assert large <= second <= large + over
    assert json.loads((tmp_path / "summary.json").read_text())["status"] == End.BUDGET


def _waits(caller: Caller) -> bool:
    try:
        return bool(caller.ask("status").get("waits_for_budget"))
    except Unavailable:  # it has just been started
        return False
