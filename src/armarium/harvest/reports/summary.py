"""summary.json: the result of a crawl for programs. Its fields are described in docs/reference/summary.md."""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TextIO

from armarium import __version__
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.url import registered_domain
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.reports.crawl_log import DNS_HOST, milliseconds_time, word
from armarium.harvest.reports.seeds import SeedBook
from armarium.harvest.reports.statistics import (
    BYTES,
    FAILED,
    NOVEL_BYTES,
    ROBOTS,
    SAME,
    UNCOUNTED,
    URLS,
    Statistics,
)
from armarium.harvest.reports.tally import Tally

FORMAT = 1
MOST_TYPES = 20


class Ending(NamedTuple):
    """Why a domain, or the seeds of one tag, have no more captures than they have."""

    #: complete, max-objects, max-bytes, crawl-ended, blocked, unreachable; of sources also dead and empty
    reason: str = "complete"
    remaining: int = 0  # addresses that were found and not fetched


class Finish(NamedTuple):
    """What statistics do not know of a crawl that ended."""

    status: str  # one of Heritrix's: "Finished", "Finished - Timelimit hit" …
    begun: datetime
    ended: datetime
    seconds: float  # at work, in all its sittings
    discovered: int
    queued: int
    seeds: SeedBook
    domain_end: Callable[[str], Ending] = lambda _: Ending()
    source_end: Callable[[str], Ending] = lambda _: Ending()


class WarcFile(NamedTuple):
    name: str
    size: int
    sha256: str


def warc_files(folder: Path) -> list[WarcFile]:
    """The finished files, each read once for its digest."""
    return [_measured(path) for path in sorted(folder.glob("*.warc.gz"))]


def _measured(path: Path) -> WarcFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return WarcFile(path.name, file.tell(), digest)


def write_summary(
    path: Path, order: CrawlOrder, finish: Finish, statistics: Statistics, files: Iterable[WarcFile]
) -> None:
    """Whole or not at all. Domains are written as they are counted: there may be millions."""
    fresh = path.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8") as file:
        file.write("{\n")
        for name, value in _members(order, finish, statistics, [one._asdict() for one in files]):
            file.write(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n")
        _write_domains(file, order, finish, statistics, path.parent)
        file.write("}\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _members(
    order: CrawlOrder, finish: Finish, statistics: Statistics, files: list[dict[str, object]]
) -> Iterator[tuple[str, object]]:
    totals = statistics.totals
    yield "format", FORMAT
    yield "name", order.name
    yield "status", finish.status
    yield "begun", milliseconds_time(finish.begun)
    yield "ended", milliseconds_time(finish.ended)
    yield "seconds", round(finish.seconds, 1)
    yield (
        "counts",
        {
            "discovered": finish.discovered,
            "queued": finish.queued,
            "processed": totals.processed,
            "succeeded": totals.successes,
            "failed": totals.failures,
            "disregarded": totals.disregards,
            "novel": totals.novel,
            "duplicate": totals.duplicates,
            "not_modified": totals.not_modified,
            "dropped_links": totals.dropped_links,
            "cut_documents": totals.cut_documents,
        },
    )
    yield (
        "bytes",
        {
            "received": totals.bytes,
            "novel": totals.novel_bytes,
            "duplicate": totals.duplicate_bytes,
            "not_modified": totals.not_modified_bytes,
            "written": sum(int(str(file["size"])) for file in files),
        },
    )
    yield "types", statistics.biggest_types(MOST_TYPES)
    yield "statuses", statistics.by_status()
    tags = {seed.url: seed.tag for seed in order.seeds}
    yield "seeds", [_seed(url, tags.get(url, ""), statistics, finish.seeds) for url in statistics.seeds]
    yield "sources", list(_sources(order, statistics, finish))
    yield "files", files
    yield "versions", {"armarium": __version__, "python": platform.python_version()}
    # Secrets are stars in it: this file is passed on.
    yield "order", order.model_dump(mode="json")


def _seed(url: str, tag: str, statistics: Statistics, seeds: SeedBook) -> dict[str, object]:
    status, end = statistics.seeds[url].status, seeds.end_of(url)
    return {
        "url": url,
        "tag": tag,
        "status": status,
        "result": "crawled" if status > 0 else "not-crawled",
        "redirect": end.address if end.address != url else None,
        "final_status": end.status,
        "verdict": str(end.verdict),
    }


def _sources(order: CrawlOrder, statistics: Statistics, finish: Finish) -> Iterator[dict[str, object]]:
    """What each tag led to, on whatever hosts; those that led to nothing come last."""
    silent = {word(seed.tag or seed.url): seed.tag or seed.url for seed in order.seeds}
    for tag, rows in groupby(statistics.sources.by_name(), key=lambda row: row[0].partition(" ")[0]):
        objects = volume = 0
        for _, numbers in rows:
            objects += numbers[0] - numbers[2]  # a robots.txt is no object: nobody asked for it
            volume += numbers[1]
        end = finish.source_end(silent.pop(tag, tag))
        yield {"tag": tag, "objects": objects, "bytes": volume, **end._asdict()}
    for tag, name in silent.items():
        yield {"tag": tag, "objects": 0, "bytes": 0, **finish.source_end(name)._asdict()}


def _write_domains(
    file: TextIO, order: CrawlOrder, finish: Finish, statistics: Statistics, folder: Path
) -> None:
    domains = Tally(folder, ".summary-domains", 6)
    registries = order.scope.registries
    for seed in order.seeds:  # each has its row, be there anything of it or nothing
        if host := host_of(seed.url):
            domains.row(registered_domain(host, registries) or host)
    for host, row in statistics.hosts.by_name():
        if host != DNS_HOST:
            numbers = domains.row(registered_domain(host, registries) or host)
            for place, column in enumerate((URLS, BYTES, NOVEL_BYTES, SAME, FAILED, ROBOTS)):
                numbers[place] += row[column]
            numbers[0] -= row[UNCOUNTED]  # a robots.txt is no object: nobody asked for it
    names = ("objects", "bytes", "novel_bytes", "duplicates", "failed", "robots_denied")
    file.write('  "domains": [')
    separator = "\n"
    for domain, numbers in domains.by_count():
        end = finish.domain_end(domain)
        facts = {"domain": domain, **dict(zip(names, numbers, strict=True)), **end._asdict()}
        file.write(f"{separator}    {json.dumps(facts, ensure_ascii=False)}")
        separator = ",\n"
    file.write("\n  ]\n")
    domains.discard()
