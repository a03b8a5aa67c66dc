"""The end of a crawl, or of one sitting of it: reports, summary, and the WARC file that keeps all of them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import armarium
from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.url import registered_domain
from armarium.harvest.engine.changes import FACT as CHANGES
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier, QueueReport
from armarium.harvest.frontier import QueueState as FrontierState
from armarium.harvest.reports.crawl_reports import Running
from armarium.harvest.reports.frontier_picture import FrontierCounts, QueuePicture, QueueState
from armarium.harvest.reports.log_index import indexes
from armarium.harvest.reports.logs import CRAWL
from armarium.harvest.reports.metadata_warc import MetadataWarc, Part
from armarium.harvest.reports.statistics import Statistics
from armarium.harvest.reports.summary import DomainEnd, Finish, warc_files, write_summary
from armarium.harvest.reports.writing import write_reports

MOST_QUEUES = 1_000_000
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
        remaining = Remaining(frontiers).of_host
        write_reports(
            folder.reports, running, moment, self._statistics, Picture(frontiers), remaining=remaining
        )
        if end.final:
            self._write_metadata()
        discovered = sum(frontier.counts.discovered for frontier in frontiers)
        queued = sum(frontier.counts.queued for frontier in frontiers)
        endings = Endings(frontiers, order).of_domain
        finish = Finish(str(end), begun, moment, discovered, queued, endings)
        write_summary(folder.summary_file, order, finish, self._statistics, warc_files(folder.warcs))
        summary: dict[str, Any] = json.loads(folder.summary_file.read_text(encoding="utf-8"))
        return summary

    def _write_metadata(self) -> None:
        folder, order = self._folder, self._order
        folder.temporary.mkdir(exist_ok=True)
        fields = [("software", f"armarium/{armarium.__version__}"), ("isPartOf", order.name)]
        warc = MetadataWarc(folder.warcs, order.name, fields)
        # Without its secrets: the file is kept for centuries, and copied.
        warc.add("setup", "order.json", order.model_dump_json(indent=2).encode(), "application/json")
        changes = [json.loads(str(frontier.recall(CHANGES) or "[]")) for frontier in self._frontiers]
        made = json.dumps(list(chain.from_iterable(changes)), indent=2)
        warc.add("setup", "changes.json", made.encode(), "application/json")
        parts = [Part("logs", path) for path in sorted(folder.logs.glob("*.log"))]
        parts += [Part("reports", path) for path in sorted(folder.reports.glob("*.txt"))]
        warc.write(parts, indexes(folder.logs / CRAWL, folder.temporary))


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
        return map(_picture, _queues(self._frontiers)[:count])

    def in_state(self, state: QueueState) -> Iterator[QueuePicture]:
        return (queue for queue in self.biggest(MOST_QUEUES) if queue.state is state)

    def not_empty(self) -> Iterator[QueuePicture]:
        return (queue for queue in self.biggest(MOST_QUEUES) if queue.size)


def _queues(frontiers: Sequence[Frontier]) -> list[QueueReport]:
    """All of them, the longest first."""
    found = [queue for frontier in frontiers for queue in frontier.biggest(MOST_QUEUES)]
    return sorted(found, key=lambda queue: -queue.queued)


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
        self._queued = {queue.name: queue.queued for queue in _queues(frontiers) if queue.queued}

    def of_host(self, host: str) -> int:
        return self._queued.get(host, 0)


class Endings:
    """Why each domain has no more captures than it has."""

    def __init__(self, frontiers: Sequence[Frontier], order: CrawlOrder) -> None:
        self._queues: dict[str, list[QueueReport]] = {}
        self._blocked = {server.address for frontier in frontiers for server in frontier.blocked_servers()}
        for queue in _queues(frontiers):
            domain = registered_domain(queue.name, order.scope.registries) or queue.name
            self._queues.setdefault(domain, []).append(queue)

    def of_domain(self, domain: str) -> DomainEnd:
        queues = self._queues.get(domain, [])
        remaining = sum(queue.queued for queue in queues)
        # A crawl may end before it notices that a queue has nothing left to spend.
        spent = [
            queue for queue in queues if queue.queued and queue.budget.is_spent(queue.objects, queue.bytes)
        ]
        if spent:
            by_bytes = any(queue.max_bytes is not None and queue.bytes >= queue.max_bytes for queue in spent)
            return DomainEnd("max-bytes" if by_bytes else "max-objects", remaining)
        answered = any(queue.finished - queue.failed for queue in queues)
        if queues and not answered and not remaining:
            return DomainEnd("unreachable", 0)
        if any(queue.address in self._blocked for queue in queues if queue.address):
            return DomainEnd("blocked", remaining)
        if remaining:
            return DomainEnd("crawl-ended", remaining)
        return DomainEnd()
