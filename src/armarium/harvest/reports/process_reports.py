"""processors-report and threads-report: what works on the addresses, and on which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from armarium.harvest.model import Status
from armarium.harvest.reports.frontier_reports import digits12
from armarium.harvest.reports.statistics import Statistics

CHAINS = ("CandidateChain", "FetchChain", "DispositionChain")


class Processor(NamedTuple):
    """One link of a chain, and its counters as lines."""

    name: str
    lines: Sequence[str] = ()

    @classmethod
    def extractor(cls, name: str, links: int, documents: int) -> "Processor":
        return cls(name, (f"{links} links from {documents} CrawlURIs",))


def chains(
    statistics: Statistics, discovered: int, extracted: Mapping[str, tuple[int, int]]
) -> dict[str, list[Processor]]:
    """What each part of the crawler has done: fetches by state, links by extractor, records by kind."""
    totals = statistics.totals
    statuses = dict(statistics.statuses)
    names = statuses.pop(Status.DNS_SUCCESS, 0)
    classes: dict[int, int] = {}
    for status, count in sorted(statuses.items()):
        classes[status // 100] = classes.get(status // 100, 0) + count
    fetched = [f"{sum(classes.values())} CrawlURIs fetched"]
    fetched += [f"{count} answered {hundreds}xx" for hundreds, count in classes.items()]
    fetched += [f"{totals.failures} failed", f"{totals.disregards} not asked for, by a rule"]
    written = (
        f"{totals.novel} novel",
        f"{totals.duplicates} duplicates by digest",
        f"{totals.not_modified} not modified, as the server said",
    )
    return {
        "CandidateChain": [Processor("Scope", (f"{discovered} CrawlURIs accepted",))],
        "FetchChain": [
            Processor("Resolver", (f"{names} names resolved",)),
            Processor("Fetcher", fetched),
            *(Processor.extractor(name, *counts[::-1]) for name, counts in sorted(extracted.items())),
        ],
        "DispositionChain": [Processor("Recorder", written)],
    }


def processors_report(moment: datetime, chains: Mapping[str, Sequence[Processor]]) -> Iterator[str]:
    for chain in CHAINS:
        processors = chains.get(chain, ())
        yield f"{chain} - Processors report - {digits12(moment)}\n"
        yield f"  Number of Processors: {len(processors)}\n\n"
        for processor in processors:
            yield f"Processor: {processor.name}\n"
            yield from (f"  {line}\n" for line in processor.lines)
            yield "\n"


class Download(NamedTuple):
    """What one of the downloads at the same time is doing; Heritrix has a thread for each."""

    number: int
    url: str = ""  # "" while it waits for one
    attempts: int = 0
    step: str = ""  # resolving, connecting, receiving, recording, extracting
    milliseconds: int = 0  # in this step


def threads_report(moment: datetime, name: str, downloads: Iterable[Download]) -> Iterator[str]:
    busy = list(downloads)
    yield f"Toe threads report - {digits12(moment)}\n"
    yield f" Job being crawled: {name}\n"
    yield f" Number of toe threads in pool: {len(busy)} ({sum(bool(one.url) for one in busy)} active)\n\n"
    for one in busy:
        yield f"[ToeThread #{one.number}: {one.url}\n"
        if one.url:
            yield f" {one.attempts} attempts\n    in processor: {one.step or '-'}\n"
            yield f"    ACTIVE for {one.milliseconds}ms\n"
            yield f"    step: {one.step or '-'} for {one.milliseconds}ms\n"
        else:
            yield f" no CrawlURI\n    WAITING for {one.milliseconds}ms\n    step: ABOUT_TO_GET_URI\n"
        yield "]\n\n"
