"""A crawl without a network, to be killed: `python crawler.py FRONTIER JOURNAL`.

The addresses form a tree: number n links to 2n + 1 and 2n + 2. Every visit is a line in the journal, written
before the commit, as a record in a WARC file is; every commit that has ended is a line `committed`.
"""

import os
import sys
import time
from pathlib import Path

from armarium.core.crawl_order import CrawlOrder, Politeness, Queues, Retries
from armarium.harvest.frontier import Frontier, Item
from armarium.harvest.model import Candidate, Status

ADDRESSES = 20_000
HOSTS = 50
IN_FLIGHT = 20
COMMIT_EVERY = 100
ORDER = CrawlOrder(
    queues=Queues(active=20, replenish=7, parallel_server=5),
    politeness=Politeness(delay_factor=0, min_delay=0, max_delay=0),
    retries=Retries(attempts=3, delay=0.01),
)


def url_of(number: int) -> str:
    return f"http://host-{number % HOSTS}.example/{number}"


def number_of(url: str) -> int:
    return int(url.rpartition("/")[2])


def visit(frontier: Frontier, item: Item, journal: int) -> None:
    number = number_of(item.url)
    if number % 17 == 3 and item.attempts == 0:
        assert frontier.retry(item, Status.TIMEOUT, time.time())
        return
    os.write(journal, f"{item.url}\n".encode())
    for child in (2 * number + 1, 2 * number + 2):
        if child < ADDRESSES:
            frontier.add(Candidate(url_of(child), item.hops + "L", item.url, "seed"))
    frontier.finish(item, 200, 1, duration=0, now=time.time())


def crawl(frontier: Frontier, journal: int) -> None:
    out: list[Item] = []
    visits = 0
    while frontier.counts.queued:
        while len(out) < IN_FLIGHT and (item := frontier.next(time.time())) is not None:
            address = f"192.0.2.{number_of(item.url) % HOSTS % 9}"
            if frontier.server(item, address, time.time()):
                out.append(item)
        if not out:
            time.sleep(0.001)
            continue
        visit(frontier, out.pop(visits % len(out)), journal)
        visits += 1
        if visits % COMMIT_EVERY == 0:
            frontier.commit()
            os.write(journal, b"committed\n")
    frontier.commit()


def main(path: str, journal_path: str) -> None:
    journal = os.open(journal_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    frontier = Frontier(Path(path), ORDER)
    frontier.add(Candidate(url_of(0), "", "", "seed"))
    os.write(journal, b"started\n")
    crawl(frontier, journal)
    frontier.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
