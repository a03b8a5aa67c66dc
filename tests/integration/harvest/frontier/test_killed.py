"""A real process, killed at random moments: nothing is lost, nothing comes twice but what was in flight."""

import random
import sqlite3  # noqa: TID251  (reads what a crawl left)
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests import forked
from tests.integration.harvest.frontier.crawler import ADDRESSES, url_of

KILLS = 12
CRAWLER = Path(__file__).with_name("crawler.py")


def begin(frontier: Path, journal: Path) -> subprocess.Popen[bytes]:
    return forked.Popen([sys.executable, str(CRAWLER), str(frontier), str(journal)])


def lives(journal: Path) -> list[list[str]]:
    """The lines of each process."""
    found: list[list[str]] = []
    for line in journal.read_text().splitlines():
        if line == "started":
            found.append([])
        else:
            found[-1].append(line)
    return found


def committed(life: list[str]) -> Iterator[str]:
    """Visits that a commit followed."""
    last = max((number for number, line in enumerate(life) if line == "committed"), default=0)
    return (line for line in life[:last] if line != "committed")


def run_and_kill(frontier: Path, journal: Path, chance: random.Random) -> None:
    started = lives(journal) if journal.exists() else []
    process = begin(frontier, journal)
    while process.poll() is None and len(lives(journal) if journal.exists() else []) == len(started):
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 0.15))
    process.kill()
    process.wait()


def test_a_crawl_killed_at_any_moment_visits_everything_and_repeats_only_what_was_not_committed(
    tmp_path: Path,
) -> None:
    frontier, journal = tmp_path / "frontier.sqlite", tmp_path / "journal"
    chance = random.Random(20261115)
    for _ in range(KILLS):
        run_and_kill(frontier, journal, chance)
    assert begin(frontier, journal).wait(timeout=100) == 0

    done: set[str] = set()
    visited: set[str] = set()
    for life in lives(journal):
        visits = [line for line in life if line != "committed"]
        assert len(visits) == len(set(visits)), "an address came twice in one process"
        assert done.isdisjoint(visits), "an address came again although its visit was committed"
        done.update(committed(life))
        visited.update(visits)
    assert visited == {url_of(number) for number in range(ADDRESSES)}
    assert len(lives(journal)) == KILLS + 1


def test_the_counts_of_every_queue_are_right_after_a_kill(tmp_path: Path) -> None:
    frontier, journal = tmp_path / "frontier.sqlite", tmp_path / "journal"
    chance = random.Random(1)
    run_and_kill(frontier, journal, chance)
    while "committed" not in journal.read_text():  # killed so early that there is nothing to look at
        run_and_kill(frontier, journal, chance)

    reader = sqlite3.connect(frontier)
    assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    queues = reader.execute(
        "SELECT queued, (SELECT count(*) FROM pending WHERE queue = q.id)"
        " + (SELECT count(*) FROM waiting WHERE queue = q.id) FROM queues q"
    ).fetchall()
    reader.close()
    assert queues
    assert all(queued == found for queued, found in queues)
