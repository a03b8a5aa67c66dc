"""The end of a crawl, or of one sitting of it: reports, summary, and the WARC file that keeps all of them."""

import json
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import armarium
from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.url import InvalidUrl
from armarium.harvest.endings import MOST_QUEUES, DomainEndings, SourceEndings, queues_of
from armarium.harvest.engine.changes import FACT as CHANGES
from armarium.harvest.engine.engine import End
from armarium.harvest.engine.ledger import EXTRACTORS, THREADS
from armarium.harvest.fetch.request import user_agent
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier, QueueReport, Whereabouts
from armarium.harvest.frontier import QueueState as FrontierState
from armarium.harvest.record.description import crawler_address, description
from armarium.harvest.reports.crawl_reports import (
    Running,
    crawl_report,
    hosts_report,
    mimetype_report,
    responsecode_report,
    seeds_report,
    source_report,
)
from armarium.harvest.reports.frontier_reports import (
    FrontierCounts,
    FrontierPicture,
    QueuePicture,
    QueueState,
    frontier_nonempty_report,
    frontier_summary_report,
)
from armarium.harvest.reports.logs import CRAWL, indexes
from armarium.harvest.reports.metadata_warc import MetadataWarc, Part, harvest_ids, harvest_parts
from armarium.harvest.reports.process_reports import (
    Download,
    Processor,
    chains,
    processors_report,
    threads_report,
)
from armarium.harvest.reports.seeds import Elsewhere, SeedBook, page_size
from armarium.harvest.reports.statistics import Statistics
from armarium.harvest.reports.summary import Finish, warc_files, write_summary

# --- The reports of a crawl, into its folder: at the end, and whenever somebody asks while it runs.


def write_reports(
    folder: Path,
    crawl: Running,
    moment: datetime,
    statistics: Statistics,
    frontier: FrontierPicture,
    *,
    remaining: Callable[[str], int] = lambda _: 0,
    chains: Mapping[str, Sequence[Processor]] | None = None,
    downloads: Iterable[Download] = (),
) -> list[Path]:
    """All ten; each is whole or as it was before."""
    reports: dict[str, Iterable[str]] = {
        "crawl-report": crawl_report(crawl, statistics),
        "seeds-report": seeds_report(statistics),
        "hosts-report": hosts_report(statistics, remaining),
        "mimetype-report": mimetype_report(statistics),
        "responsecode-report": responsecode_report(statistics),
        "source-report": source_report(statistics),
        "processors-report": processors_report(moment, chains or {}),
        "frontier-summary-report": frontier_summary_report(crawl.name, moment, frontier),
        "frontier-nonempty-report": frontier_nonempty_report(moment, frontier),
        "threads-report": threads_report(moment, crawl.name, downloads),
    }
    return [_write(folder / f"{name}.txt", lines) for name, lines in reports.items()]


def _write(path: Path, lines: Iterable[str]) -> Path:
    fresh = path.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(lines)
    return fresh.replace(path)


# --- The end of a crawl, or of one sitting of it: reports, summary, and the WARC file that keeps all of them.


STATES = {
    FrontierState.READY: QueueState.READY,
    FrontierState.SNOOZED: QueueState.SNOOZED,
    FrontierState.INACTIVE: QueueState.INACTIVE,
    FrontierState.RETIRED: QueueState.RETIRED,
    FrontierState.EXHAUSTED: QueueState.EXHAUSTED,
}


class Books:
    """What is left to write at the end. `frontiers` are those of all processes that shared the crawl."""

    def __init__(
        self, folder: CrawlFolder, order: CrawlOrder, statistics: Statistics, frontiers: Sequence[Frontier]
    ) -> None:
        self._folder = folder
        self._order = order
        self._statistics = statistics
        self._frontiers = frontiers

    def close(self, end: End, begun: datetime, seconds: float) -> dict[str, Any]:
        """Write what the crawl leaves behind; the summary."""
        moment = now()
        folder, order, frontiers = self._folder, self._order, self._frontiers
        running = Running(order.name, str(end), round(seconds * 1000))
        discovered = sum(frontier.counts.discovered for frontier in frontiers)
        write_reports(
            folder.reports,
            running,
            moment,
            self._statistics,
            Picture(frontiers),
            remaining=Remaining(frontiers).of_host,
            chains=chains(self._statistics, discovered, extracted(frontiers)),
            # All of them wait: visits under way have come to their end, or are as if never begun.
            downloads=map(Download, range(1, 1 + sum(int(one.recall(THREADS) or 0) for one in frontiers))),
        )
        if end.final:
            self._write_metadata()
        queued = sum(frontier.counts.queued for frontier in frontiers)
        seeds = self._seeds()
        endings = DomainEndings(frontiers, order)
        sources = SourceEndings(frontiers, order, endings, seeds)
        finish = Finish(
            str(end), begun, moment, seconds, discovered, queued, seeds, endings.of_domain, sources.of_source
        )
        write_summary(folder.summary_file, order, finish, self._statistics, warc_files(folder.warcs))
        summary: dict[str, Any] = json.loads(folder.summary_file.read_text(encoding="utf-8"))
        return summary

    def _seeds(self) -> SeedBook:
        statistics = self._statistics
        results = {**statistics.trails, **statistics.seeds}
        return SeedBook(results, self._look_up, self._order.scope.registries)

    def _look_up(self, url: str) -> Elsewhere | None:
        for frontier in self._frontiers:
            try:
                fate = frontier.look_up(url)
            except InvalidUrl:
                return None
            if fate is not None and fate.state is not Whereabouts.FOREIGN:
                rejected = fate.rule if fate.state is Whereabouts.REJECTED else ""
                status = (fate.status or 0) if fate.state is Whereabouts.FINISHED else 0
                return Elsewhere(fate.url, status, page_size(fate.size, fate.digest), rejected)
        return None

    def _write_metadata(self) -> None:
        folder, order = self._folder, self._order
        folder.temporary.mkdir(exist_ok=True)
        fields = description(
            order,
            software=f"armarium/{armarium.__version__}",
            host=socket.gethostname(),
            address=crawler_address(order.fetching.bind_address),
            user_agent=user_agent(order.identity),
        )
        warc = MetadataWarc(folder.warcs, order.name, fields, ids=harvest_ids(order))
        for name, content, kind in harvest_parts(order):
            warc.add("setup", name, content, kind)
        # Without its secrets: the file is kept for centuries, and copied.
        warc.add("setup", "order.json", order.model_dump_json(indent=2).encode(), "application/json")
        changes = [json.loads(str(frontier.recall(CHANGES) or "[]")) for frontier in self._frontiers]
        made = json.dumps(list(chain.from_iterable(changes)), indent=2)
        warc.add("setup", "changes.json", made.encode(), "application/json")
        parts = [Part("logs", path) for path in sorted(folder.logs.glob("*.log"))]
        parts += [Part("reports", path) for path in sorted(folder.reports.glob("*.txt"))]
        warc.write(parts, indexes(folder.logs / CRAWL, folder.temporary))


def extracted(frontiers: Sequence[Frontier]) -> dict[str, tuple[int, int]]:
    """Documents and links by extractor, of all processes together."""
    sums: dict[str, tuple[int, int]] = {}
    for frontier in frontiers:
        for name, (documents, links) in json.loads(str(frontier.recall(EXTRACTORS) or "{}")).items():
            before = sums.get(name, (0, 0))
            sums[name] = before[0] + documents, before[1] + links
    return sums


class Picture:
    """The frontier, as the reports want to see it."""

    def __init__(self, frontiers: Sequence[Frontier]) -> None:
        self._frontiers = frontiers

    def counts(self) -> FrontierCounts:
        counts = [frontier.counts for frontier in self._frontiers]
        states: Counter[QueueState] = Counter()
        for frontier in self._frontiers:
            states.update({STATES[state]: number for state, number in frontier.queue_states().items()})
        return FrontierCounts(
            sum(one.discovered for one in counts),
            sum(one.queued for one in counts),
            sum(one.finished for one in counts),
            sum(one.succeeded for one in counts),
            sum(one.failed for one in counts),
            sum(one.disregarded for one in counts),
            sum(one.in_flight for one in counts),
            states.total(),
            states,
        )

    def biggest(self, count: int) -> Iterable[QueuePicture]:
        return map(_picture, queues_of(self._frontiers)[:count])

    def in_state(self, state: QueueState) -> Iterator[QueuePicture]:
        return (queue for queue in self.biggest(MOST_QUEUES) if queue.state is state)

    def not_empty(self) -> Iterator[QueuePicture]:
        return (queue for queue in self.biggest(MOST_QUEUES) if queue.size)


def _picture(queue: QueueReport) -> QueuePicture:
    return QueuePicture(
        queue.name,
        STATES[FrontierState(queue.state)],
        queue.queued,
        enqueued=queue.added,
        wake=datetime.fromtimestamp(queue.wake, UTC) if queue.wake else None,
        spent=queue.objects,
        budget=-1 if queue.max_objects is None else queue.max_objects,
        errors=queue.failed,
        succeeded=queue.finished - queue.failed,
        failed=queue.failed,
        total_bytes=queue.bytes,
        success_bytes=queue.bytes,
    )


class Remaining:
    """How many addresses wait, by host."""

    def __init__(self, frontiers: Sequence[Frontier]) -> None:
        self._queued = {queue.name: queue.queued for queue in queues_of(frontiers) if queue.queued}

    def of_host(self, host: str) -> int:
        return self._queued.get(host, 0)
