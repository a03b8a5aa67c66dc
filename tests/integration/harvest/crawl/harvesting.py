"""A whole crawl inside a test: the engine with all its parts, its folder, and what it left there."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop

from armarium.core.crawl_order import CrawlOrder, merged
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.reader import ArchiveReader
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.control import Caller
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.reports.crawl_log import Outcome, parse_crawl_log_line
from tests.unit.harvest.record.recording import assert_indexed

# Nothing waits, nothing is asked for that the test does not speak of, no name is asked of the machine's DNS.
QUICK: Mapping[str, Any] = {
    "robots": "ignore",
    "extraction": {"sitemaps": False, "favicon": False},
    "politeness": {"delay_factor": 0, "min_delay": 0, "max_delay": 0},
    "retries": {"attempts": 1, "delay": 0},
    "limits": {"min_free_disk": 0, "max_seconds": 30},
    "fetching": {"silence_seconds": 3, "connect_seconds": 3, "dns_servers": ["127.0.0.1:1"]},
}
POLITE = {"robots": "obey", "extraction": {"sitemaps": True}}


def ordered(*seeds: str, **settings: object) -> CrawlOrder:
    """An order that does not wait long; `settings` are sections of it."""
    facts = merged(QUICK, settings)
    return CrawlOrder.model_validate({**facts, "seeds": [{"url": seed} for seed in seeds]})


@dataclass(frozen=True)
class Capture:
    """A record of the WARC files."""

    url: str
    kind: str  # response, revisit, request …
    block: bytes
    truncated: str | None
    fields: Fields


@dataclass
class Harvest:
    """What a crawl left."""

    root: Path
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def log(self) -> list[Outcome]:
        """The lines of crawl.log, but for those of names."""
        return [line for line in self.whole_log if not line.url.startswith("dns:")]

    @property
    def whole_log(self) -> list[Outcome]:
        lines = (self.root / "logs" / "crawl.log").read_text(encoding="utf-8").splitlines()
        return [outcome for line in lines if (outcome := parse_crawl_log_line(line)) is not None]

    @property
    def statuses(self) -> dict[str, int]:
        return {line.url: line.status for line in self.log}

    @property
    def warcs(self) -> list[Path]:
        found = (self.root / "warcs").glob("*.warc.gz")
        return sorted(path for path in found if "-metadata-" not in path.name)

    def blocks(self, kind: str) -> list[bytes]:
        """The contents of all records of a kind."""
        return [record.block for record in self.records if record.kind == kind]

    @property
    def captures(self) -> list[Capture]:
        """Answers of servers, and of name servers."""
        return [record for record in self.records if record.kind in ("response", "revisit")]

    @property
    def records(self) -> list[Capture]:
        return _records(self.warcs)

    @property
    def all_records(self) -> list[Capture]:
        """Those of the file that describes the crawl, too."""
        return _records(sorted((self.root / "warcs").glob("*.warc.gz")))

    def block(self, url: str) -> bytes:
        """The bytes of the only capture of an address."""
        (capture,) = [capture for capture in self.captures if capture.url == url]
        return capture.block


def _records(paths: list[Path]) -> list[Capture]:
    found = []
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveReader(file, strict=True):
                url, kind = record.target_uri or "", record.record_type
                block = record.block.read()
                found.append(Capture(url, kind, block, record.truncated, record.fields))
    return found


def harvested(root: Path, order: CrawlOrder) -> Harvest:
    """Crawl to the end."""
    with running(root, order) as live:
        live.wait()
    assert assert_indexed(root / "warcs")
    return live.harvest


@dataclass
class Live:
    """A crawl that runs in a thread beside the test."""

    harvest: Harvest
    work: "Future[None]"
    crawl: Crawl | None = None

    def ask(self, verb: str, **facts: object) -> dict[str, Any]:
        return Caller(CrawlFolder(self.harvest.root).control_file).ask(verb, **facts)

    def wait(self, seconds: float = 60) -> None:
        """Until its end; what it raised is raised here."""
        self.work.result(seconds)

    @property
    def fault(self) -> BaseException | None:
        return self.work.exception() if self.work.done() else None

    @property
    def ended(self) -> bool:
        return self.work.done()


@contextmanager
def running(root: Path, order: CrawlOrder) -> Iterator[Live]:
    """A crawl that can be steered meanwhile; it is stopped at the end of the block. Resumes what is there."""
    folder = CrawlFolder(root)
    live = Live(Harvest(root), Future())
    ready = threading.Event()

    async def crawl() -> dict[str, Any]:
        live.crawl = Crawl(folder, order)
        await live.crawl.start()
        ready.set()
        return await live.crawl.run()

    def work() -> None:
        with folder.locked():
            if not folder.begun:
                folder.write_order(order)
            live.harvest.summary = uvloop.run(crawl())

    with ThreadPoolExecutor(1) as pool:
        live.work = pool.submit(work)
        live.work.add_done_callback(lambda _: ready.set())
        ready.wait(60)
        try:
            yield live
        finally:
            if live.crawl is not None:
                live.crawl.engine.stop(End.INTERRUPTED)


def soon(happened: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until something is so; False if it never was."""
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
