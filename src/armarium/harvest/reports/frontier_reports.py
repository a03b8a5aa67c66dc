"""frontier-summary-report and frontier-nonempty-report."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, Protocol

from armarium.harvest.reports.crawl_log import seconds_time
from armarium.harvest.reports.crawl_reports import duration
from armarium.harvest.reports.logs import number

# --- The frontier as reports see it: who has a frontier makes this picture of it.


class QueueState(StrEnum):
    IN_PROCESS = "IN-PROCESS"
    READY = "READY"
    SNOOZED = "SNOOZED"
    INACTIVE = "INACTIVE"
    RETIRED = "RETIRED"
    EXHAUSTED = "EXHAUSTED"


class QueuePicture(NamedTuple):
    key: str
    state: QueueState
    size: int  # addresses that wait
    enqueued: int = 0  # since the beginning
    precedence: int = 1
    balance: int = 0  # what it may still spend in this turn
    last_cost: int = 1
    average_cost: float = 1.0
    last_dequeued: datetime | None = None
    wake: datetime | None = None
    spent: int = 0
    budget: int = -1  # -1: no limit
    errors: int = 0
    last_peeked: str = ""
    last_enqueued: str = ""
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    robots_denials: int = 0
    success_bytes: int = 0
    total_bytes: int = 0
    last_success: datetime | None = None


class FrontierCounts(NamedTuple):
    discovered: int
    queued: int
    finished: int
    succeeded: int
    failed: int
    disregarded: int
    in_flight: int
    queues: int
    by_state: Mapping[QueueState, int]
    last_state: str = ""


class FrontierPicture(Protocol):
    def counts(self) -> FrontierCounts: ...

    def biggest(self, count: int) -> Iterable[QueuePicture]:
        """The longest queues, the longest first."""

    def in_state(self, state: QueueState) -> Iterable[QueuePicture]:
        """All queues in a state, in the order in which they will have their turn."""

    def not_empty(self) -> Iterable[QueuePicture]:
        """All queues in which something waits."""


# --- frontier-summary-report and frontier-nonempty-report.


MOST_QUEUES = 2000  # of one state in the report
LONGEST = 20
NONEMPTY_LEGEND = (
    "queue precedence currentSize totalEnqueues sessionBalance lastCost (averageCost) lastDequeueTime "
    "wakeTime totalSpend/totalBudget errorCount lastPeekUri lastQueuedUri"
)
SUBSTATS_LEGEND = (
    "totalScheduled fetchSuccesses fetchFailures fetchDisregards fetchResponses robotsDenials successBytes "
    "totalBytes fetchNonResponses lastSuccessTime"
)


def frontier_summary_report(name: str, moment: datetime, frontier: FrontierPicture) -> Iterator[str]:
    counts = frontier.counts()
    yield f"Frontier report - {digits12(moment)}\n Job being crawled: {name}\n"
    yield from _stats(counts)
    yield from _queues(counts)
    yield "\n -----===== MANAGER THREAD =====-----\n"  # Heritrix shows a stack; here one loop does it all
    yield f"\n -----===== {LONGEST} LONGEST QUEUES =====-----\n"
    yield from _blocks(frontier.biggest(LONGEST), LONGEST, "LONGEST", moment)
    for state in (
        QueueState.IN_PROCESS,
        QueueState.READY,
        QueueState.SNOOZED,
        QueueState.INACTIVE,
        QueueState.RETIRED,
    ):
        yield f"\n -----===== {state} QUEUES =====-----\n"
        yield from _blocks(frontier.in_state(state), counts.by_state.get(state, 0), state, moment)


def _stats(counts: FrontierCounts) -> Iterator[str]:
    yield "\n -----===== STATS =====-----\n"
    yield f" Discovered:    {counts.discovered}\n"
    yield f" Queued:        {counts.queued}\n"
    yield f" Finished:      {counts.finished}\n"
    yield f"  Successfully: {counts.succeeded}\n"
    yield f"  Failed:       {counts.failed}\n"
    yield f"  Disregarded:  {counts.disregarded}\n"


def _queues(counts: FrontierCounts) -> Iterator[str]:
    def of(state: QueueState) -> int:
        return counts.by_state.get(state, 0)

    active = of(QueueState.IN_PROCESS) + of(QueueState.READY) + of(QueueState.SNOOZED)
    yield "\n -----===== QUEUES =====-----\n"
    yield f" Already included size:     {counts.discovered}\n"
    yield f"               pending:     {counts.in_flight}\n"
    yield f"\n All class queues map size: {counts.queues}\n"
    yield f"             Active queues: {active}\n"
    yield f"                    In-process: {of(QueueState.IN_PROCESS)}\n"
    yield f"                         Ready: {of(QueueState.READY)}\n"
    yield f"                       Snoozed: {of(QueueState.SNOOZED)}\n"
    yield f"           Inactive queues: {of(QueueState.INACTIVE)} (p1: {of(QueueState.INACTIVE)})\n"
    yield f"            Retired queues: {of(QueueState.RETIRED)}\n"
    yield f"          Exhausted queues: {of(QueueState.EXHAUSTED)}\n"
    yield f"\n             Last state: {counts.last_state}\n"


def _blocks(queues: Iterable[QueuePicture], total: int, label: str, moment: datetime) -> Iterator[str]:
    shown = 0
    for queue in islice(queues, MOST_QUEUES):
        shown += 1
        yield from _block(queue, moment)
    if total > shown and shown == MOST_QUEUES:
        yield f"...and {total - shown} more {label}.\n"


def _block(queue: QueuePicture, moment: datetime) -> Iterator[str]:
    yield f"Queue {queue.key} (p{queue.precedence})\n"
    yield f"  {queue.size} items\n"
    if wakes_in := _wakes_in(queue, moment):
        yield f"   wakes in: {wakes_in}\n"
    yield f"    last enqueued: {queue.last_enqueued or '-'}\n"
    yield f"      last peeked: {queue.last_peeked or '-'}\n"
    yield f"   total expended: {queue.spent} (total budget: {queue.budget})\n"
    yield f"   active balance: {queue.balance}\n"
    yield f"   last(avg) cost: {queue.last_cost}({number(queue.average_cost)})\n"
    yield f"   {SUBSTATS_LEGEND}\n   {_substats(queue)}\n"
    yield f"   precedence provider: {queue.precedence}\n\n"


def _substats(queue: QueuePicture) -> str:
    responses = queue.succeeded + queue.robots_denials
    last = seconds_time(queue.last_success) if queue.last_success else "-"
    return (
        f"{queue.enqueued} {queue.succeeded} {queue.failed} {queue.disregarded} {responses} "
        f"{queue.robots_denials} {queue.success_bytes} {queue.total_bytes} {queue.failed} {last}"
    )


def frontier_nonempty_report(moment: datetime, frontier: FrontierPicture) -> Iterator[str]:
    """One line for each queue in which something waits: what NetarchiveSuite reads while a job runs."""
    yield NONEMPTY_LEGEND + "\n"
    for queue in frontier.not_empty():
        # Both costs are one column, although the legend has a space between them: so are Heritrix's lines.
        columns = (
            queue.key,
            queue.precedence,
            queue.size,
            queue.enqueued,
            queue.balance,
            f"{queue.last_cost}({queue.average_cost:.1f})",
            seconds_time(queue.last_dequeued) if queue.last_dequeued else "-",
            _wakes_in(queue, moment) or "-",
            f"{queue.spent}/{queue.budget}",
            queue.errors,
            queue.last_peeked or "-",
            queue.last_enqueued or "-",
        )
        yield " ".join(map(str, columns)) + "\n"


def _wakes_in(queue: QueuePicture, moment: datetime) -> str:
    if queue.wake is None or queue.wake <= moment:
        return ""
    return duration(int((queue.wake - moment).total_seconds() * 1000))


def digits12(moment: datetime) -> str:
    """`202611150730`"""
    return moment.strftime("%Y%m%d%H%M")
