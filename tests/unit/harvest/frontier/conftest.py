"""A dialogue with a frontier: what was found, what it asks for next, what was answered."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.core.crawl_order import CrawlOrder, Harvest, Politeness, QueueBy, Queues, Retries, Scope
from armarium.harvest.frontier import Frontier, Item
from armarium.harvest.model import Candidate

BEGINNING = 1_800_000_000.0


class Dialogue:
    """Times are seconds since the crawl began."""

    def __init__(self, path: Path, order: CrawlOrder, shard: int = 0, shards: int = 1) -> None:
        self.path, self.order = path, order
        self.shard, self.shards = shard, shards
        self.out: dict[str, Item] = {}
        self.frontier = Frontier(path, order, shard, shards)

    def found(self, *urls: str, hops: str = "L", via: str = "", **more: Any) -> list[bool]:
        return [self.frontier.add(Candidate(url, hops, via, "seed", "a/@href"), **more) for url in urls]

    def asks(self, at: float = 0.0) -> str | None:
        """The address it wants to have fetched."""
        item = self.frontier.next(BEGINNING + at)
        if item is None:
            return None
        self.out[item.url] = item
        return item.url

    def asks_all(self, at: float = 0.0) -> list[str]:
        """Everything it wants, one after the other, each answered at once."""
        urls = []
        while (url := self.asks(at)) is not None:
            urls.append(url)
            self.answered(url, at=at)
        return urls

    def resolved(self, url: str, address: str, at: float = 0.0) -> bool:
        may_go = self.frontier.server(self.out[url], address, BEGINNING + at)
        if not may_go:
            del self.out[url]
        return may_go

    def answered(
        self,
        url: str,
        status: int = 200,
        size: int = 100,
        *,
        at: float = 0.0,
        duration: float = 0.0,
        **more: Any,
    ) -> None:
        item = self.out.pop(url)
        self.frontier.finish(item, status, size, duration=duration, now=BEGINNING + at, **more)

    def failed(
        self, url: str, status: int, at: float = 0.0, retry_after: float | None = None, **more: Any
    ) -> bool:
        again = self.frontier.retry(self.out[url], status, BEGINNING + at, retry_after, **more)
        if again:
            del self.out[url]
        return again

    def wakes(self) -> float | None:
        wake = self.frontier.wake()
        return None if wake is None else round(wake - BEGINNING, 3)

    def killed(self) -> None:
        """The same crawl goes on in another process; what was not committed is lost."""
        self.frontier.close()
        self.out.clear()
        self.frontier = Frontier(self.path, self.order, self.shard, self.shards)


Open = Callable[..., Dialogue]


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Open]:
    """Begins a crawl; without politeness unless some is asked for."""
    opened: list[Dialogue] = []

    def begin(
        *, min_delay: float = 0, max_delay: float = 30, delay_factor: float = 0,
        server_min_delay: float | None = None, max_bytes_per_second: int | None = None, attempts: int = 3,
        delay: float = 60, shard: int = 0, shards: int = 1, registries: tuple[str, ...] = (),
        by: QueueBy = QueueBy.HOST, job: int | None = None, **queues: Any,
    ) -> Dialogue:  # fmt: skip
        order = CrawlOrder(
            queues=Queues(by=by, **queues),
            politeness=Politeness(
                delay_factor=delay_factor, min_delay=min_delay, max_delay=max_delay,
                server_min_delay=server_min_delay, max_bytes_per_second=max_bytes_per_second,
            ),
            retries=Retries(attempts=attempts, delay=delay),
            scope=Scope(registries=registries),
            harvest=Harvest(job=job),
        )  # fmt: skip
        opened.append(Dialogue(tmp_path / f"frontier-{shard}.sqlite", order, shard, shards))
        return opened[-1]

    yield begin
    for dialogue in opened:
        dialogue.frontier.close()
