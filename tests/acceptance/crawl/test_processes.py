"""Several processes share a crawl, and leave what one would leave."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.crawl.crawling import COMMAND, arguments, crawl
from tests.acceptance.crawl.web import Web, missed, served


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    options = ("--sites", "8", "--pages", "30", "--seed", "3", "--html-median", "3000")
    with served(tmp_path_factory.mktemp("testweb"), *options) as web:
        yield web


def test_two_processes_find_all_that_one_finds(web: Web, tmp_path: Path) -> None:
    crawled = crawl(tmp_path / "out", *web.seeds, "--delay", "0", "--processes", "2")
    score = web.score(*crawled.warcs)
    assert missed(score) == {}
    assert score["repeated"] == 0
    assert len(crawled.warcs) == 2
    assert (
        crawled.summary["counts"]["succeeded"] == len(crawled.log) - crawled.summary["counts"]["disregarded"]
    )
    assert [line[0] for line in crawled.log] == sorted(line[0] for line in crawled.log)


def test_each_server_is_asked_by_one_process(web: Web, tmp_path: Path) -> None:
    crawled = crawl(tmp_path / "out", *web.seeds, "--delay", "0", "--processes", "2")
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
    folder = tmp_path / "out"
    command = arguments(folder, *web.seeds, "--delay", "1", "--processes", "2")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        status = _ask("status", folder)
        assert status["queues_active"] <= 8 + 1
        assert _ask("filter", folder, "/gallery/", "--preview")["queued"] >= 0
        assert len(_ask("queues", folder)) >= 8
        _ask("terminate", folder)
        output, _ = running.communicate(timeout=60)
    assert json.loads(output)["status"] == "Finished - Ended by operator"


def _ask(verb: str, folder: Path, *more: str) -> dict[str, int]:
    """Ask until the crawl has begun."""
    command = [*COMMAND, "harvest", verb, str(folder), *more, "--json"]
    tries = 30
    while (done := subprocess.run(command, capture_output=True)).returncode and tries:
        tries -= 1
    answer: dict[str, int] = json.loads(done.stdout)
    return answer
