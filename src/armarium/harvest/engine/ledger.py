"""The books of a crawl: what became of each address, counted and logged."""

import heapq
import json
import resource
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.engine.addresses import told_location
from armarium.harvest.extract import Found
from armarium.harvest.fetch.exchange import DnsAnswer, Exchange
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Counts, Item
from armarium.harvest.model import Hop, Status, is_counted
from armarium.harvest.record import Recorded
from armarium.harvest.reports.crawl_log import DISCARDED, Outcome
from armarium.harvest.reports.logs import CRAWL, Logs, Progress
from armarium.harvest.reports.seeds import REDIRECTS
from armarium.harvest.reports.statistics import Statistics
from armarium.harvest.traps import TrapSuspicion, TrapWatch

# --- Where a crawl keeps the facts that it must know when it is resumed.


class Memory(Protocol):
    """The frontier: facts are committed together with what they speak of."""

    def remember(self, name: str, value: str | int) -> None: ...
    def recall(self, name: str) -> str | int | None: ...


# --- The books of a crawl: what became of each address, counted and logged.


NOTHING = Found("", "utf-8", [])
TRUNCATED: dict[str, str] = {
    Truncation.LENGTH: "lenTrunc",
    Truncation.TIME: "timeTrunc",
    Truncation.DISCONNECT: "disconnectTrunc",
}
EXTRACTORS, THREADS = "extractors", "threads"  # facts that the reports need
RATE_OVER = 20.0  # seconds: what "now" means for a rate
STATISTICS_SAVED = 60.0  # seconds
MOST_TRAPS = 1000  # that are told
PAGES = ("text/html", "application/xhtml")  # what can lead on without end


@dataclass(frozen=True, slots=True)
class Ending:
    """How a visit ended."""

    status: int
    exchange: Exchange | None = None
    recorded: Recorded | None = None
    found: Found = NOTHING
    error: str = ""
    annotations: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the answer's body, as received."""
        if self.exchange is None or self.status <= 0:
            return 0
        return self.exchange.response.length - self.exchange.response.head_length

    @property
    def reason(self) -> str:
        """Why it failed, in one sentence."""
        return self.error or (self.exchange.error if self.exchange is not None else "")


class UnderWay(NamedTuple):
    """A visit that has begun."""

    thread: int
    item: Item
    since: float


class Ledger:
    """One for each process of a crawl."""

    def __init__(self, folder: CrawlFolder, order: CrawlOrder, memory: Memory, clock_now: float) -> None:
        positions = json.loads(str(memory.recall("logs") or "{}"))
        self.logs = Logs(folder.logs, positions=positions, extra=order.recording.log_places)
        # By extractor: documents read, links found.
        self._extractors: dict[str, list[int]] = json.loads(str(memory.recall(EXTRACTORS) or "{}"))
        self.statistics = Statistics(folder.state, [seed.url for seed in order.seeds])
        self.statistics.resume(folder.logs / CRAWL)
        self.objects = int(memory.recall("objects") or 0)  # captured, as far as they count
        self.bytes = int(memory.recall("bytes") or 0)
        self.last_response = clock_now
        self.failing_seeds: dict[str, str] = {}  # that wait for their next attempt: why
        self.visits: dict[int, UnderWay] = {}
        self._threads: list[int] = []  # that are free
        self._most_threads = 0
        self._marks: deque[tuple[float, int, int]] = deque()
        self._saved = clock_now
        self.traps: list[dict[str, Any]] = json.loads(str(memory.recall("traps") or "[]"))

    # One address --------------------------------------------------------------------------------------

    def began(self, item: Item, moment: float) -> UnderWay:
        """A visit begins; it has the lowest number that no other one has."""
        if not self._threads:
            self._most_threads += 1
            self._threads.append(self._most_threads)
        visit = self.visits[item.id] = UnderWay(heapq.heappop(self._threads), item, moment)
        return visit

    def left(self, visit: UnderWay) -> None:
        """The visit is over, whatever came of it. The next one of the same address may have begun already."""
        if self.visits.get(visit.item.id) is visit:
            del self.visits[visit.item.id]
        heapq.heappush(self._threads, visit.thread)

    def ended(self, item: Item, ending: Ending, moment: float) -> TrapSuspicion | None:
        """The address is done with. What it was may raise a suspicion."""
        outcome = self._outcome(item, ending)
        self.failing_seeds.pop(item.url, None)
        self.logs.finished(outcome)
        self.statistics.saw(outcome)
        if ending.status < 0 and (reason := ending.reason):
            self.logs.failed(outcome, reason)
        for name, links in ending.found.by:
            counts = self._extractors.setdefault(name, [0, 0])
            counts[0] += 1
            counts[1] += links
        if ending.status > 0:
            self.last_response = moment
            self.captured(item.hops, ending.size)
            if ending.status < 400 and outcome.mime.startswith(PAGES) and len(self.traps) < MOST_TRAPS:
                return self._look_for_trap(item, outcome, moment)
        return None

    @cached_property
    def _watch(self) -> "TrapWatch":
        return TrapWatch()

    def _look_for_trap(self, item: Item, outcome: Outcome, moment: float) -> TrapSuspicion | None:
        found = self._watch.saw(item.url, outcome.digest, item.hops, outcome.size or 0, moment)
        if found is not None:
            facts = {"kind": str(found.kind), "host": found.host, "evidence": found.sentence}
            self.traps.append(facts | {"samples": list(found.samples), "filter": found.filter})
            self.logs.alert("WARNING", str(found))
        return found

    def captured(self, hops: str, size: int) -> None:
        self.bytes += size
        if is_counted(hops):
            self.objects += 1

    def tried(self, item: Item, status: int, error: str) -> None:
        """An attempt failed; there will be another."""
        if not item.hops:
            self.failing_seeds[item.url] = error or f"status {status}"
        self.logs.failed(self._outcome(item, Ending(status)), error or "It is tried again later.")

    def crashed(self, item: Item, trace: str) -> None:
        """A fault of ours."""
        self.logs.crashed(self._outcome(item, Ending(Status.RUNTIME_ERROR)), trace)

    def adopted(self, outcome: Outcome) -> None:
        """A capture that was recorded before a kill, and logged nowhere."""
        self.logs.finished(outcome)
        self.statistics.saw(outcome)
        self.captured(outcome.hops, outcome.size or 0)

    def name_resolved(self, item: Item, answer: DnsAnswer, recorded: Recorded) -> None:
        outcome = Outcome(
            finished=now(),
            status=Status.DNS_SUCCESS,
            size=recorded.content_size,
            url=f"dns:{answer.name}",
            hops=item.hops + Hop.PREREQUISITE,
            via=item.url,
            mime="text/dns",
            thread=self._thread(item),
            started=answer.started,
            milliseconds=round(answer.duration * 1000),
            digest=recorded.payload_digest,
            source=item.source,
            filename=recorded.filename,
            offset=recorded.offset,
            record_length=recorded.record_length,
        )
        self.logs.finished(outcome)
        self.statistics.saw(outcome)

    def _outcome(self, item: Item, ending: Ending) -> Outcome:
        exchange, recorded = ending.exchange, ending.recorded
        head = exchange.head if exchange is not None else None
        return Outcome(
            finished=now(),
            status=ending.status,
            size=ending.size if ending.status > 0 else None,
            url=item.url,
            hops=item.hops,
            via=item.via,
            mime=(head.media_type or "") if head is not None else "",
            thread=self._thread(item),
            started=exchange.started if exchange is not None else None,
            milliseconds=round(exchange.duration * 1000) if exchange is not None else 0,
            digest=recorded.payload_digest if recorded is not None else "",
            source=item.source,
            annotations=_annotations(item, ending),
            content_size=exchange.response.length if exchange is not None and ending.status > 0 else -1,
            filename=recorded.filename if recorded is not None else "",
            offset=recorded.offset if recorded is not None else -1,
            record_length=recorded.record_length if recorded is not None else -1,
            location=_location(item, ending),
        )

    def _thread(self, item: Item) -> int:
        visit = self.visits.get(item.id)
        return visit.thread if visit is not None else 0

    # The crawl as a whole -------------------------------------------------------------------------------

    def mark(self, moment: float) -> None:
        """Remember the counts of a moment, for the rates."""
        self._marks.append((moment, self.objects, self.bytes))
        while self._marks[0][0] < moment - RATE_OVER and len(self._marks) > 2:
            self._marks.popleft()

    def rates(self) -> tuple[float, float]:
        """Objects and bytes a second, lately."""
        if len(self._marks) < 2:
            return 0.0, 0.0
        begin, end = self._marks[0], self._marks[-1]
        seconds = max(end[0] - begin[0], 0.001)
        return (end[1] - begin[1]) / seconds, (end[2] - begin[2]) / seconds

    def progress(self, counts: Counts, elapsed: float, depths: tuple[int, int], possible: int) -> None:
        """The line of progress-statistics.log."""
        objects, volume = self.rates()
        seconds = max(elapsed, 0.001)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.logs.progress(
            Progress(
                now(), counts.discovered, counts.queued, self.objects, objects, self.objects / seconds,
                volume / 1024, self.bytes / 1024 / seconds, counts.failed, len(self.visits), memory, memory,
                len(self.visits) / max(possible, 1), *depths,
            )
        )  # fmt: skip

    def event(self, state: str, text: str, moment: datetime | None = None) -> None:
        self.logs.event(moment or now(), state, text)

    def flush(self, moment: float) -> None:
        """What was written so far survives a kill."""
        self.logs.flush()
        if moment - self._saved >= STATISTICS_SAVED:
            self._saved = moment
            self.statistics.save(self.logs.positions()[CRAWL])

    def facts(self) -> Iterable[tuple[str, str | int]]:
        """What must be known when the crawl is resumed."""
        yield "logs", json.dumps(self.logs.positions())
        yield "objects", self.objects
        yield "bytes", self.bytes
        yield "traps", json.dumps(self.traps)
        yield EXTRACTORS, json.dumps(self._extractors)
        yield THREADS, self._most_threads
        yield "dropped_links", self.statistics.totals.dropped_links
        yield "cut_documents", self.statistics.totals.cut_documents

    def close(self) -> None:
        self.logs.flush()
        self.statistics.save(self.logs.positions()[CRAWL])
        self.logs.close()


def _location(item: Item, ending: Ending) -> str:
    """Where a seed redirects to: the address may have been found before, and then nothing else tells."""
    head = ending.exchange.head if ending.exchange is not None else None
    if head is None or ending.status not in REDIRECTS or item.hops.strip(Hop.REDIRECT):
        return ""
    return told_location(item.url, head.location or "")


def cut_short(truncated: str | None, *, head: bool) -> list[str]:
    """What of an answer is missing, in Heritrix's words."""
    words = [TRUNCATED.get(truncated, "midFetchTrunc")] if truncated else []
    return [*words, "headerTrunc"] if head else words


def noted(found: Found) -> tuple[str, ...]:
    """What there is to say of the links of a document."""
    return (*found.annotations, f"{DISCARDED}{found.discarded}") if found.discarded else found.annotations


def _annotations(item: Item, ending: Ending) -> tuple[str, ...]:
    """In Heritrix's words."""
    words = list(ending.annotations)
    exchange = ending.exchange
    if item.attempts:
        words.append(f"{item.attempts + 1}t")
    if exchange is not None:
        words += cut_short(exchange.truncated, head=exchange.head_truncated)
    if ending.recorded is not None:
        words += ending.recorded.annotations
    elif ending.status > 0:
        words.append("unwritten:limit")
    return (*words, *noted(ending.found))
