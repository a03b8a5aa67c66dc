"""Why an address was not harvested, when it was a limit and not a rule that kept it out."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder, Extraction, Queues, Seed
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.discovery import Discovery
from armarium.harvest.extract import extract
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier
from armarium.harvest.model import Candidate
from armarium.harvest.record import CaptureFacts
from armarium.harvest.scope import Scope
from armarium.harvest.why import why
from tests.unit.harvest.record.exchanges import exchange, message

SEED = "http://example.org/"
PAGE = b"<a href=/1><a href=/1#x><a href=/2><a href=/3><a href=/4>"


def begun(root: Path, order: CrawlOrder, part: int | None = None) -> Frontier:
    folder = CrawlFolder(root, part)
    folder.create()
    folder.write_order(order)
    return Frontier(folder.frontier_file, order)


def taken_in(frontier: Frontier, page: bytes, most: int) -> None:
    discovery = Discovery(Scope(CrawlOrder().scope, [SEED]), frontier)
    found = extract(SEED, None, "text/html", page, "", Extraction(max_links=most))
    discovery.take(SEED, "", "", found)


@pytest.mark.parametrize("part", [None, 1])
def test_a_link_beyond_the_limit_of_its_page_is_told(tmp_path: Path, part: int | None) -> None:
    frontier = begun(tmp_path, CrawlOrder(seeds=(Seed(url=SEED),)), part)
    taken_in(frontier, PAGE, 2)
    frontier.commit()

    told = why(tmp_path, f"{SEED}4").sentence
    assert f"found by a link in {SEED}" in told
    assert "extraction.max_links" in told
    assert "It waits for its turn" in why(tmp_path, f"{SEED}2").sentence
    assert "Nothing in this crawl led to it." in why(tmp_path, f"{SEED}5").sentence
    frontier.close()


def test_what_a_killed_crawl_dropped_is_not_denied(tmp_path: Path) -> None:
    folder, order = CrawlFolder(tmp_path / "x"), CrawlOrder(seeds=(Seed(url=SEED),))
    folder.create()
    folder.write_order(order)
    killed = Crawl(folder, order)
    facts = CaptureFacts(seed=True, noted=("dol:3",))
    killed.parts.recorder.record(exchange(tmp_path, message(PAGE), url=SEED), item_facts=facts)
    killed.parts.recorder.flush()
    killed.parts.recorder.abandon()
    killed.close()
    Crawl(folder, order).close()

    assert "dol:3" in (folder.logs / "crawl.log").read_text()
    told = why(folder.root, f"{SEED}4").sentence
    assert "Nothing in this crawl is known to have led to it" in told
    assert "1 documents were not read to their end" in told


def test_what_was_never_read_is_not_denied(tmp_path: Path) -> None:
    frontier = begun(tmp_path, CrawlOrder(seeds=(Seed(url=SEED),)))
    frontier.remember("cut_documents", 2)
    frontier.remember("dropped_links", 123_456)
    frontier.commit()

    told = why(tmp_path, f"{SEED}5").sentence
    assert "2 documents were not read to their end" in told
    assert "123,456 links were beyond a limit" in told
    assert "Nothing in this crawl led to it" not in told
    frontier.close()


def test_a_spent_budget_is_told(tmp_path: Path) -> None:
    order = CrawlOrder(seeds=(Seed(url=SEED),), queues=Queues(max_objects=1))
    frontier = begun(tmp_path, order)
    for path in ("", "later"):
        frontier.add(Candidate(SEED + path, "", "", ""), rule="seed")
    first = frontier.next(0)
    assert first is not None
    frontier.finish(first, 200, 1, duration=0, now=0)
    assert frontier.next(100) is None
    frontier.commit()

    assert "The budget of example.org was spent" in why(tmp_path, f"{SEED}later").sentence
    frontier.close()


def test_an_address_that_still_waited_when_the_crawl_ended_waits_for_nothing(tmp_path: Path) -> None:
    frontier = begun(tmp_path, CrawlOrder(seeds=(Seed(url=SEED),)))
    frontier.add(Candidate(SEED, "", "", ""), rule="seed")
    frontier.commit()
    CrawlFolder(tmp_path).summary_file.write_text('{"status": "Finished - Timelimit hit"}')

    assert "The crawl ended (Finished - Timelimit hit) before its turn came" in why(tmp_path, SEED).sentence
    frontier.close()
