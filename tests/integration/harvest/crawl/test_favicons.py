"""The icon of a site is asked for, although no page may name it, and is in nobody's way."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.why import why
from tests.integration.harvest.crawl.harvesting import POLITE, harvested, ordered
from tests.integration.harvest.crawl.website import Answer, links, page, redirect, text, website

ICON = "/favicon.ico"
ASKED_FOR = {"favicon": True}
SITE: dict[str, Answer] = {"/": links("/one", "/two"), "/one": page(b"1"), "/two": page(b"2")}


def test_the_icon_is_asked_for_by_default() -> None:
    assert CrawlOrder().extraction.favicon


def test_the_icon_of_each_host_comes_once_and_last_and_is_no_object(tmp_path: Path) -> None:
    with website({**SITE, ICON: text("icon")}) as site, website(SITE, host="127.0.0.2") as other:
        seeds = (site.address, f"{site.address}one", other.address)
        harvest = harvested(tmp_path, ordered(*seeds, extraction=ASKED_FOR))

    assert sorted(site.paths[:-1]) == ["/", "/one", "/two"]
    assert site.paths[-1] == other.paths[-1] == ICON
    (line,) = (line for line in harvest.log if line.url == f"{site.address}favicon.ico")
    assert (line.hops, line.via, line.status) == ("I", site.address, 200)
    assert [domain["objects"] for domain in harvest.summary["domains"]] == [3, 3]
    assert sum(source["objects"] for source in harvest.summary["sources"]) == 6
    assert {seed["verdict"] for seed in harvest.summary["seeds"]} == {"fine"}, "404 is no fault of a seed"
    said = why(tmp_path, line.url)
    assert "for that of the seed" in said.sentence
    assert "with status 200" in said.sentence


@pytest.mark.parametrize("limit", ["whole", "source"])
def test_an_icon_takes_no_place_of_a_page(tmp_path: Path, limit: str) -> None:
    """Its host has nothing else left, while pages of the other one still wait."""
    with website(SITE) as site, website({"/": page(b"x")}, host="127.0.0.2") as other:
        most = {"max_objects": 4}
        limits = most if limit == "whole" else {"sources": {"a": most}}
        order = ordered(extraction=ASKED_FOR, limits=limits).model_dump()
        seeds = [{"url": one, "tag": "a"} for one in (site.address, other.address)]
        harvest = harvested(tmp_path, CrawlOrder.model_validate({**order, "seeds": seeds}))

    pages = {line.url for line in harvest.log if not line.url.endswith(ICON)}
    assert pages == {site.address, f"{site.address}one", f"{site.address}two", other.address}
    assert harvest.summary["sources"][0]["objects"] == 4


def test_a_page_alone_has_its_icon_too_wherever_the_seed_has_moved(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {}
    with website(pages) as old, website({"/a/b": page(b"x")}, host="127.0.0.2") as new:
        pages["/"] = redirect(f"{new.address}a/b")
        harvested(tmp_path, ordered(old.address, scope={"kind": "page"}, extraction=ASKED_FOR))

    assert (old.paths, new.paths) == (["/"], ["/a/b", ICON])


def test_a_seed_that_is_not_there_has_no_icon(tmp_path: Path) -> None:
    with website({}) as site:
        harvested(tmp_path, ordered(site.address, extraction=ASKED_FOR))

    assert site.paths == ["/"]


def test_robots_txt_and_filters_may_forbid_the_icon(tmp_path: Path) -> None:
    forbids = text(f"User-agent: *\nDisallow: {ICON}")
    extraction = {**POLITE["extraction"], **ASKED_FOR}  # type: ignore[dict-item]
    with website({"/": page(b"x"), "/robots.txt": forbids}) as site:
        harvest = harvested(tmp_path / "1", ordered(site.address, robots="obey", extraction=extraction))
        refused = ordered(site.address, scope={"reject": ["icon"]}, extraction=ASKED_FOR)
        harvested(tmp_path / "2", refused)

    assert ICON not in site.paths
    assert harvest.statuses[f"{site.address}favicon.ico"] == -9998
    assert "reject-filter" in why(tmp_path / "2", f"{site.address}favicon.ico").sentence


def test_a_page_in_place_of_the_icon_leads_nowhere(tmp_path: Path) -> None:
    with website({"/": page(b"x"), ICON: links("/not-found-help")}) as site:
        harvested(tmp_path, ordered(site.address, extraction=ASKED_FOR))

    assert site.paths == ["/", ICON]
