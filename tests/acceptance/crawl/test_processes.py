"""Several processes share a crawl, and leave what one would leave."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forked
from tests.acceptance.crawl.crawling import Crawled, arguments, armarium, crawl
from tests.acceptance.crawl.web import Web, missed, served


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    options = ("--sites", "8", "--pages", "20", "--seed", "3", "--html-median", "3000")
    with served(tmp_path_factory.mktemp("testweb"), *options) as web:
        yield web


@pytest.fixture(scope="module")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """All of it, by two processes."""
    return crawl(tmp_path_factory.mktemp("crawl") / "out", *web.seeds, "--delay", "0", "--processes", "2")


def test_two_processes_find_all_that_one_finds(web: Web, crawled: Crawled) -> None:
    score = web.score(*crawled.warcs)
    assert missed(score) == {}
    assert score["repeated"] == 0
    assert len(crawled.warcs) == 2
    assert (
        crawled.summary["counts"]["succeeded"] == len(crawled.log) - crawled.summary["counts"]["disregarded"]
    )
    assert [line[0] for line in crawled.log] == sorted(line[0] for line in crawled.log)


def test_each_server_is_asked_by_one_process(crawled: Crawled) -> None:
    by_host: dict[str, set[str]] = {}
    for line in crawled.log:
        if line[1].isdigit():
            by_host.setdefault(line[3].split("/")[2], set()).add(json.loads(line[12])["warcFilename"])
    assert Counter(len(files) for files in by_host.values()) == {1: len(by_host)}


def test_what_the_pages_of_one_site_embed_is_found_by_whichever_process(web: Web, tmp_path: Path) -> None:
    crawled = crawl(tmp_path / "out", web.seeds[0], "--delay", "0", "--processes", "2")
    assert not [line for line in crawled.log if line[1] == "-5001"]


def test_the_limit_holds_for_all_together(web: Web, tmp_path: Path) -> None:
    crawled = crawl(tmp_path / "out", *web.seeds, "--delay", "0", "--processes", "2", "--max-objects", "41")
    assert crawled.summary["status"] == "Finished - Maximum number of documents limit hit"
    captured = [line for line in crawled.log if int(line[1]) > 0 and not line[4].rstrip("R").endswith("P")]
    assert len(captured) == 41


def test_a_team_is_steered_as_one(web: Web, tmp_path: Path) -> None:
    folder, out, err = tmp_path / "out", tmp_path / "said", tmp_path / "complained"
    command = arguments(folder, *web.seeds, "--delay", "1", "--processes", "2")
    with out.open("wb") as said, err.open("wb") as complained:
        running = forked.start(
            "armarium", *command, folder=tmp_path, environment=os.environ, out=said, err=complained
        )
    status = _ask("status", folder)
    assert status["queues_active"] <= 8 + 1
    assert _ask("filter", folder, "/gallery/", "--preview")["queued"] >= 0
    assert len(_ask("queues", folder)) >= 8
    _ask("terminate", folder)
    running.wait(60)
    assert json.loads(out.read_text())["status"] == "Finished - Ended by operator"


def _ask(verb: str, folder: Path, *more: str) -> dict[str, int]:
    """Ask until the crawl has begun."""
    until = time.monotonic() + 60
    while (done := armarium("harvest", verb, folder, *more, "--json")).returncode:
        assert time.monotonic() < until, done.stderr
        time.sleep(0.5)
    answer: dict[str, int] = json.loads(done.stdout)
    return answer
