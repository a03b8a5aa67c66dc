"""Killed at any moment and resumed, a crawl captures what an undisturbed one captures, each address once.

A few kills in every test run; more with: pytest tests/acceptance/crawl/test_kills.py --kills 50 --seed N
"""

import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response
from tests.acceptance.crawl.crawling import Crawled, arguments, crawl
from tests.acceptance.crawl.web import Web, served

LONGEST = 3.0  # seconds until a kill
IN_FLIGHT = 10  # downloads at the same time


@pytest.fixture
def web(tmp_path: Path, kills: int) -> Iterator[Web]:
    """So large that hardly any crawl of it ends before all kills are done."""
    options = ("--sites", "12", "--pages", str(20 * kills), "--seed", "5", "--html-median", "4000")
    # Each answer takes a while, so that kills hit downloads as well as the work between them.
    with served(tmp_path, *options, serving=("--latency", "20")) as web:
        yield web


def captures(crawled: Crawled) -> Counter[tuple[str, str]]:
    """Address and payload of every response."""
    found: Counter[tuple[str, str]] = Counter()
    for path in crawled.warcs:
        with path.open("rb") as file:
            for record in ArchiveReader(file):
                if isinstance(record, Response) and (url := record.target_uri or "").startswith("http"):
                    record.http  # noqa: B018  (read before the body)
                    found[url, str(hash(record.body.read()))] += 1
    return found


@pytest.mark.parametrize("processes", [1, 2])
def test_a_killed_crawl_is_resumed_without_loss(
    web: Web, tmp_path: Path, kills: int, seed: int, processes: int
) -> None:
    chance = random.Random(seed)
    options = ("--delay", "0", "--connections", str(IN_FLIGHT), "--processes", str(processes))
    calm = crawl(tmp_path / "calm", *web.seeds, *options, timeout=600)
    expected = captures(calm)
    folder = tmp_path / "killed"
    for _ in range(kills):
        begun = (folder / "order.json").exists()
        if not _kill(arguments(folder, *(("--resume",) if begun else (*web.seeds, *options))), chance):
            break  # on a fast machine it may have come to its end
    found = captures(crawl(folder, "--resume", timeout=600))
    assert set(found) == set(expected)
    # Only what was in flight when the process died may have been recorded before and again.
    assert sum(found.values()) - len(found) <= kills * IN_FLIGHT


def _kill(command: list[str], chance: random.Random) -> bool:
    """Start, and kill after a random while; False if it had ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(chance.uniform(0.3, LONGEST))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False
