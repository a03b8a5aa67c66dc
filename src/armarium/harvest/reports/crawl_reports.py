"""The reports that are made of statistics: crawl, seeds, hosts, media types, response codes, sources."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from armarium.harvest.reports.crawl_log import DNS_HOST
from armarium.harvest.reports.statistics import (
    BYTES,
    KEPT,
    KEPT_BYTES,
    NOVEL,
    NOVEL_BYTES,
    ROBOTS,
    SAME,
    SAME_BYTES,
    URLS,
    Statistics,
)

HOSTS_LEGEND = (
    "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] [#dup-by-hash-urls] "
    "[#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]"
)
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


class Running(NamedTuple):
    """What statistics do not know of a crawl."""

    name: str
    status: str  # "Finished", "Finished - Timelimit hit", "Running - Active" …
    milliseconds: int  # that it has been at work, pauses not counted


def crawl_report(crawl: Running, statistics: Statistics) -> Iterator[str]:
    totals = statistics.totals
    crawled = sum(result.status > 0 for result in statistics.seeds.values())
    hosts = sum(1 for host, row in statistics.hosts.by_name() if row[URLS] and host != DNS_HOST)
    yield f"crawl name: {crawl.name}\n"
    yield f"crawl status: {crawl.status}\n"
    yield f"duration: {duration(crawl.milliseconds)}\n\n"
    yield f"seeds crawled: {crawled}\n"
    yield f"seeds uncrawled: {len(statistics.seeds) - crawled}\n\n"
    yield f"hosts visited: {hosts}\n\n"
    yield f"URIs processed: {totals.processed}\n"
    yield f"URI successes: {totals.successes}\n"
    yield f"URI failures: {totals.failures}\n"
    yield f"URI disregards: {totals.disregards}\n\n"
    yield f"novel URIs: {totals.novel}\n"
    if totals.duplicates:
        yield f"duplicate-by-hash URIs: {totals.duplicates}\n"
    if totals.not_modified:
        yield f"not-modified URIs: {totals.not_modified}\n"
    if totals.dropped_links:
        yield f"links beyond a limit: {totals.dropped_links}\n"
    if totals.cut_documents:
        yield f"documents not read to their end: {totals.cut_documents}\n"
    yield f"\ntotal crawled bytes: {volume(totals.bytes)}\n"
    yield f"novel crawled bytes: {volume(totals.novel_bytes)}\n"
    if totals.duplicates:
        yield f"duplicate-by-hash crawled bytes: {volume(totals.duplicate_bytes)}\n"
    if totals.not_modified:
        yield f"not-modified crawled bytes: {volume(totals.not_modified_bytes)}\n"
    seconds = max(crawl.milliseconds, 1) / 1000
    yield f"\nURIs/sec: {totals.successes / seconds:.2f}\n"
    yield f"KB/sec: {totals.bytes / 1024 / seconds:.0f}\n"


def seeds_report(statistics: Statistics) -> Iterator[str]:
    yield "[code] [status] [seed] [redirect]\n"
    for seed, result in sorted(statistics.seeds.items(), key=lambda pair: -pair[1].status):
        status = "CRAWLED" if result.status > 0 else "NOTCRAWLED"
        yield " ".join(filter(None, (str(result.status), status, seed, result.redirect))) + "\n"


def hosts_report(statistics: Statistics, remaining: Callable[[str], int]) -> Iterator[str]:
    """`remaining` says how many addresses of a host are still queued."""
    yield HOSTS_LEGEND + "\n"
    for host, row in statistics.hosts.by_count():
        left = 0 if host == DNS_HOST else remaining(host)
        name = quote(host, safe=":[]-._~")
        numbers = (row[place] for place in (NOVEL, NOVEL_BYTES, SAME, SAME_BYTES, KEPT, KEPT_BYTES))
        columns = (row[URLS], row[BYTES], name, row[ROBOTS], left, *numbers)
        yield "".join(f"{column} " for column in columns) + "\n"


def mimetype_report(statistics: Statistics) -> Iterator[str]:
    yield "[#urls] [#bytes] [mime-types]\n"
    for mime, (urls, size) in sorted(statistics.mimes.items(), key=lambda pair: (-pair[1][0], pair[0])):
        yield f"{urls} {size} {mime}\n"


def responsecode_report(statistics: Statistics) -> Iterator[str]:
    yield "[#urls] [rescode]\n"
    for status, count in sorted(statistics.statuses.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"{count} {status}\n"


def source_report(statistics: Statistics) -> Iterator[str]:
    """By source; the hosts with most addresses are not first, but by name: there may be millions."""
    yield "[source] [host] [#urls]\n"
    for pair, row in statistics.sources.by_name():
        yield f"{pair} {row[0]}\n"


def duration(milliseconds: int) -> str:
    """`1d2h3m4s5ms`, as Heritrix writes it: what is zero in front is left out."""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s"), (rest, "ms"))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return "".join(f"{count}{unit}" for count, unit in parts[first:])


def volume(size: int) -> str:
    """`6405 (6.3 KiB)`"""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount /= 1024
        unit += 1
    pretty = f"{amount:.0f}" if unit == 0 or amount >= 100 else f"{amount:.1f}"
    return f"{size} ({pretty} {_UNITS[unit]})"
