"""A crawl ends where it was told to, and says why."""

from pathlib import Path

import pytest

from armarium.harvest.engine import engine
from armarium.harvest.engine.engine import End
from armarium.harvest.model import Status
from armarium.harvest.view import drawn, line
from tests.integration.harvest.crawl.harvesting import POLITE, harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import links, page, text, website
from tests.sites.drop import drop
from tests.sites.endless import endless
from tests.sites.full import full
from tests.sites.silence import silence
from tests.sites.slow_drip import slow_drip

MANY = {
    "/": links(*(f"/{number}" for number in range(30))),
    **{f"/{number}": page(b"%04d" % number * 250) for number in range(30)},
}


@pytest.mark.parametrize("most", [0, 1, 7])
def test_the_number_of_objects_is_exact(tmp_path: Path, most: int) -> None:
    with website(MANY) as site:
        parallel = {"parallel": 5, "parallel_server": 5}
        order = ordered(site.address, limits={"max_objects": most}, queues=parallel)
        harvest = harvested(tmp_path, order)

    assert len(site.asked) == len(harvest.captures) == most
    assert harvest.summary["status"] == End.OBJECTS


def test_robots_txt_does_not_count_as_an_object(tmp_path: Path) -> None:
    with website({**MANY, "/robots.txt": text("")}) as site:
        harvest = harvested(tmp_path, ordered(site.address, limits={"max_objects": 3}, **POLITE))

    assert len(site.asked) == len(harvest.captures) == 4


def test_a_crawl_ends_after_its_bytes(tmp_path: Path) -> None:
    with website(MANY, seconds=0.1) as site:
        harvest = harvested(tmp_path, ordered(site.address, limits={"max_bytes": 3000}))

    assert harvest.summary["status"] == End.BYTES
    received = sum(outcome.size or 0 for outcome in harvest.log)
    assert 3000 <= received < 9000, "what is under way when the limit is noticed comes to its end"


def test_a_crawl_ends_after_its_seconds(tmp_path: Path) -> None:
    with website(MANY, seconds=0.2) as site:
        harvest = harvested(tmp_path, ordered(site.address, limits={"max_seconds": 1}))

    assert harvest.summary["status"] == End.TIME
    assert 3 <= len(site.asked) <= 8


def test_the_seconds_before_an_interruption_count(tmp_path: Path) -> None:
    with website(MANY, seconds=0.2) as site:
        order = ordered(site.address, limits={"max_seconds": 1.5})
        with running(tmp_path, order) as live:
            assert soon(lambda: len(site.asked) >= 5)
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        before = len(site.asked)
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.TIME
    assert len(site.asked) - before <= 5


def test_a_budget_ends_a_queue_and_not_the_crawl(tmp_path: Path) -> None:
    with website(MANY) as site, website(MANY, host="127.0.0.2") as other:
        order = ordered(site.address, other.address, queues={"max_objects": 4})
        harvest = harvested(tmp_path, order)

    assert len(site.asked) == len(other.asked) == 4
    assert {domain["reason"] for domain in harvest.summary["domains"]} == {"max-objects"}
    assert [domain["remaining"] for domain in harvest.summary["domains"]] == [27, 27]


def test_a_download_that_is_too_large_can_be_dropped(tmp_path: Path) -> None:
    with endless() as site:
        limits = {"max_download_bytes": 100_000, "over_limit": "drop"}
        harvest = harvested(tmp_path, ordered(site.address, limits=limits))

    assert harvest.captures == []
    (outcome,) = harvest.log
    assert (outcome.status, outcome.annotations) == (200, ("lenTrunc", "unwritten:limit"))


def test_a_download_that_takes_too_long_can_be_dropped(tmp_path: Path) -> None:
    with slow_drip() as site:
        limits = {"max_download_seconds": 0.4, "over_limit": "drop"}
        harvest = harvested(tmp_path, ordered(site.address, limits=limits))

    assert harvest.captures == []
    assert harvest.log[0].annotations == ("timeTrunc", "unwritten:limit")


def test_what_the_server_broke_off_is_no_download_over_a_limit(tmp_path: Path) -> None:
    with drop() as site:
        harvest = harvested(tmp_path, ordered(site.address, limits={"over_limit": "drop"}))

    assert [capture.truncated for capture in harvest.captures] == ["disconnect"]


def test_a_crawl_to_which_nobody_answers_ends(tmp_path: Path) -> None:
    with silence() as site:
        order = ordered(
            site.address,
            limits={"no_response_seconds": 1},
            fetching={"silence_seconds": 0.3},
            retries={"attempts": 50, "delay": 0.1},
        )
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.NO_RESPONSE
    assert len(site.visits) >= 2


def test_a_crawl_in_which_nothing_goes_on_ends(tmp_path: Path) -> None:
    with full() as site:
        order = ordered(
            site.address,
            limits={"inactivity_seconds": 1},
            fetching={"connect_seconds": 0.2},
            retries={"attempts": 5, "delay": 60},
        )
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.INACTIVE
    assert harvest.summary["counts"]["queued"] == 1
    assert harvest.log == [], "it would be tried again"


def test_a_failed_seed_is_told_apart_from_an_empty_site(tmp_path: Path) -> None:
    with website({"/": page()}) as site:
        order = ordered(site.address, "http://127.0.0.9:9/", fetching={"connect_seconds": 0.5})
        harvest = harvested(tmp_path, order)

    results = {seed["url"]: (seed["result"], seed["status"]) for seed in harvest.summary["seeds"]}
    assert results == {
        site.address: ("crawled", 200),
        "http://127.0.0.9:9/": ("not-crawled", Status.CONNECT_FAILED),
    }


def test_a_disk_that_is_nearly_full_pauses_the_crawl_before_it_begins(tmp_path: Path) -> None:
    with website(MANY) as site:
        order = ordered(site.address, limits={"min_free_disk": 10**18})
        with running(tmp_path, order) as live:
            assert soon(lambda: live.ask("status")["state"] == "paused")
            status = live.ask("status")
            live.ask("terminate")
            live.wait()

    assert "The disk is nearly full" in status["pause_reason"]
    assert "1,000,000,000,000,000,000 are wanted" in status["pause_reason"]
    assert "The disk is nearly full" in line(status), "who has no terminal must see it too"
    drawn(status)
    assert site.asked == []
    assert "The disk is nearly full" in (tmp_path / "logs" / "alerts.log").read_text()


def test_a_crawl_goes_on_when_there_is_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "DISK_LOOK", 0.3)
    with website(MANY) as site:
        order = ordered(site.address, limits={"min_free_disk": 10**18})
        with running(tmp_path, order) as live:
            assert soon(lambda: live.ask("status")["state"] == "paused")
            assert live.crawl is not None
            roomy = order.limits.model_copy(update={"min_free_disk": 0})
            monkeypatch.setattr(live.crawl.engine, "_limits", roomy)
            live.wait()

    assert live.harvest.summary["status"] == End.FINISHED
    assert len(site.asked) == 31
