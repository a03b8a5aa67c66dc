"""processors-report and threads-report: what works on the addresses, and on which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from armarium.harvest.reports.frontier_reports import digits12

CHAINS = ("CandidateChain", "FetchChain", "DispositionChain")


class Processor(NamedTuple):
    """One link of a chain, and its counters as lines."""

    name: str
    lines: Sequence[str] = ()

    @classmethod
    def extractor(cls, name: str, links: int, documents: int) -> "Processor":
        return cls(name, (f"{links} links from {documents} CrawlURIs",))


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
