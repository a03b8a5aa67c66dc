"""The frontier at a size: memory, bytes on disk, and what each address costs.

    python -m bench.frontier --urls 1000000

It commits about as often as a crawl of a thousand addresses a second would. Times are of this process's CPU;
the time that the kernel needs for writing is in them, the time that a disk needs is not.
"""

import argparse
import itertools
import random
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from armarium.core.crawl_order import CrawlOrder, Politeness
from armarium.formats.url import canonical
from armarium.harvest.frontier import Frontier
from armarium.harvest.model import Candidate

SEED = 20261115
NEW_IN_A_COMMIT = 10_000
FETCHED_IN_A_COMMIT = 1_000
SAMPLE = 200_000
LINKS_OF_A_PAGE = 20
WORDS = ("archive", "news", "article", "images", "forum", "list", "2026", "view", "photo", "catalogue")
AT_ONCE = CrawlOrder(politeness=Politeness(delay_factor=0, min_delay=0, max_delay=0))


def candidate(number: int, hosts: int) -> Candidate:
    """Always the same for a number: the home page of each host, then pages with links to their own host."""
    if number < hosts:
        return Candidate(f"https://www.host-{number}.example/", "", "", "seed")
    site = f"https://www.host-{number // LINKS_OF_A_PAGE % hosts}.example/"
    word = WORDS[number // 7 % len(WORDS)]
    url = f"{site}{word}/{number * 2654435761 % 2**32:08x}/page-{number}.html"
    return Candidate(url, "L" * (1 + number // 1000 % 4), site, "seed", "a/@href")


def resident() -> int:
    """The most memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def each(seconds: float, number: int) -> str:
    return f"{seconds / number * 1e6:8.2f} µs"


def report(what: str, figure: str) -> None:
    print(f"{what:44}{figure}", flush=True)  # noqa: T201


def add_all(frontier: Frontier, candidates: Iterable[Candidate]) -> float:
    """CPU seconds, commits included; making the candidates is not."""
    spent = 0.0
    candidates = iter(candidates)
    while group := list(itertools.islice(candidates, NEW_IN_A_COMMIT)):
        started = time.process_time()
        for one in group:
            frontier.add(one, rule="host")
        frontier.commit()
        spent += time.process_time() - started
    return spent


def fetch(frontier: Frontier, number: int, now: float) -> float:
    started = time.process_time()
    for done in range(1, number + 1):
        item = frontier.next(now)
        assert item is not None, "the queues ran empty"
        assert frontier.server(item, "192.0.2.1" if not item.id % 2 else "192.0.2.2", now)
        frontier.finish(
            item, 200, 30_000, duration=0.05, now=now, mime="text/html", digest="sha1:" + "A" * 32
        )
        if not done % FETCHED_IN_A_COMMIT:
            frontier.commit()
    frontier.commit()
    return time.process_time() - started


def canonical_alone(candidates: list[Candidate]) -> float:
    started = time.process_time()
    for one in candidates:
        canonical(one.url)
    return time.process_time() - started


def on_disk(path: Path) -> int:
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))


def run(path: Path, urls: int, hosts: int) -> None:
    chance = random.Random(SEED)  # noqa: S311  (a sample, not a secret)
    frontier = Frontier(path, AT_ONCE)
    everything: Iterator[Candidate] = (candidate(number, hosts) for number in range(urls))
    report("add of a new URL", each(add_all(frontier, everything), urls))
    sample = min(SAMPLE, urls)
    latest = [candidate(number, hosts) for number in range(urls - sample, urls)]
    any_ = [candidate(chance.randrange(urls), hosts) for _ in range(sample)]
    report("canonical() alone", each(canonical_alone(any_), sample))
    report("add of a URL seen lately", each(add_all(frontier, latest), sample))
    report("add of a URL seen at any time", each(add_all(frontier, any_), sample))
    report(
        "next + server + finish",
        each(fetch(frontier, min(urls, 2 * sample), 1_800_000_000.0), min(urls, 2 * sample)),
    )
    own = sum(len(candidate(number, hosts).url) for number in range(0, urls, 100)) / len(range(0, urls, 100))
    frontier.close()
    report(
        "on disk for each URL, beside its own length", f"{on_disk(path) / urls - own:8.1f} B (own: {own:.1f})"
    )
    started = time.process_time()
    Frontier(path, AT_ONCE).close()
    report("opened again in", f"{time.process_time() - started:8.2f} s")
    report("most memory", f"{resident():8d} MB")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--urls", type=int, default=1_000_000)
    arguments.add_argument("--hosts", type=int, default=2_000)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "frontier.sqlite", chosen.urls, chosen.hosts)


if __name__ == "__main__":
    main()
