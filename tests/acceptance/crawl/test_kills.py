"""Killed at any moment and resumed, a crawl captures what an undisturbed one captures, each address once.

A few kills in every test run; more with: pytest tests/acceptance/crawl/test_kills.py --kills 50 --seed N
"""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response, Revisit
from tests import forked
from tests.acceptance.crawl.crawling import Crawled, arguments, crawl
from tests.acceptance.crawl.web import Web, served

LONGEST = 1.5  # seconds of crawling until a kill
EARLY = 0.2  # of the kills come before anything is recorded, in the middle of the start
OPTIONS = ("--delay", "0", "--connections", "10")  # so many downloads at the same time


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory, kills: int) -> Iterator[Web]:
    """So large that hardly any crawl of it ends before all kills are done."""
    options = ("--sites", "8", "--pages", str(10 * kills), "--seed", "5", "--html-median", "2000")
    # Each answer takes a while, so that kills hit downloads as well as the work between them.
    with served(tmp_path_factory.mktemp("testweb"), *options, serving=("--latency", "40")) as web:
        yield web


@pytest.fixture(scope="module")
def calm(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """What an undisturbed crawl brings; how many processes share it makes no difference."""
    return crawl(tmp_path_factory.mktemp("calm") / "out", *web.seeds, *OPTIONS, timeout=600)


def captures(crawled: Crawled) -> Counter[tuple[str, int]]:
    """Address and payload of every capture; a revisit has none of its own, and would be one too many."""
    found: Counter[tuple[str, int]] = Counter()
    for path in crawled.warcs:
        with path.open("rb") as file:
            for record in ArchiveReader(file):
                url = record.target_uri or ""
                if isinstance(record, Response | Revisit) and url.startswith("http"):
                    record.http  # noqa: B018  (read before the body)
                    found[url, hash(record.body.read())] += 1
    return found


@pytest.mark.parametrize("processes", [1, 2])
def test_a_killed_crawl_is_resumed_without_loss(
    web: Web, calm: Crawled, tmp_path: Path, kills: int, seed: int, processes: int
) -> None:
    chance = random.Random(seed)
    options = (*OPTIONS, "--processes", str(processes))
    folder, done = tmp_path / "killed", 0
    for _ in range(kills):
        begun = (folder / "order.json").exists()
        command = arguments(folder, *(("--resume",) if begun else (*web.seeds, *options)))
        if not _kill(command, folder, chance):
            break  # on a fast machine it may have come to its end
        done += 1
    begun = (folder / "order.json").exists()
    killed = crawl(folder, *(("--resume",) if begun else (*web.seeds, *options)), timeout=600)
    assert done, "nothing was killed: the web is too small for this machine"
    assert captures(killed) == captures(calm)
    assert Counter(line[3] for line in killed.log if line[1].isdigit()) == Counter(
        line[3] for line in calm.log if line[1].isdigit()
    ), "the log tells each capture once, too"


def _kill(command: list[str], folder: Path, chance: random.Random) -> bool:
    """Start, and kill after a random while; False if it had ended before."""
    before = _recorded(folder)
    early = chance.random() < EARLY
    moment, all_at_once = chance.uniform(0, LONGEST), chance.random() < 0.5
    with Path(os.devnull).open("wb") as nowhere:
        process = forked.start(
            "armarium", *command, folder=folder.parent, environment=os.environ, out=nowhere, err=nowhere
        )
    # However loaded the machine is: the moment counts from where there is something to lose.
    while not early and process.poll() is None and _recorded(folder) == before:
        time.sleep(0.01)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        if all_at_once:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()  # the others notice that it is gone
        process.wait()
        return True
    return False


def _recorded(folder: Path) -> set[str]:
    return {path.name for path in (folder / "warcs").glob("*.open")}
