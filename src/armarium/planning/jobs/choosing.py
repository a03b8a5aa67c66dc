"""Which job a collector gets: first what it has begun, then whatever waits in its channels."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from armarium.core.collecting import Held, LeaseRequest
from armarium.planning.collectors.model import Collector
from armarium.planning.jobs import choice_queries as queries
from armarium.planning.jobs.expiry import Fate
from armarium.planning.tables.jobs import Row


@dataclass(frozen=True)
class Choice:
    """A job for a collector; its row is locked."""

    row: Row
    resume: bool = False  # the collector has its folder


@dataclass(frozen=True)
class Asking:
    """A collector that asks for work, with what the server itself knows of it."""

    collector: Collector
    asked: LeaseRequest
    busy: int  # jobs that it holds, by our own count
    passed: set[int] = field(default_factory=set)  # jobs that cannot be given at the moment

    @property
    def slots(self) -> int:
        """A machine may do less than it is allowed, never more."""
        return min(self.collector.slots, self.asked.machine.slots)

    @property
    def free(self) -> int:
        return max(min(self.asked.free_slots, self.slots - self.busy), 0)

    @property
    def named(self) -> set[int]:
        return {*self.asked.machine.jobs, *(one.job for one in self.asked.held), *self.passed}


def asking(connection: Connection, collector: Collector, asked: LeaseRequest) -> Asking:
    return Asking(collector, asked, queries.busy(connection, collector.id))


@dataclass(frozen=True)
class Chooser:
    fate: Fate

    def folders(
        self, connection: Connection, collector: Collector, held: Sequence[Held]
    ) -> tuple[list[Choice], tuple[Held, ...]]:
        """Folders that the collector may go on with, and those that are held in vain.

        Those of jobs that have to wait a while are neither: they are asked for again.
        """
        if not held:
            return [], ()
        claimed = queries.claimed(connection, collector.id, held)
        kept: dict[int, Choice] = {}
        abandon = []
        for one in sorted(held, key=lambda one: (one.job, one.attempt)):
            row = claimed.get((one.job, one.attempt))
            if row is None:
                abandon.append(one)
            elif self.fate.has_failed_often(connection, row):
                self.fate.give_up(connection, row)
                abandon.append(one)
            elif row["due"]:
                kept[one.job] = Choice(row, resume=True)
        return list(kept.values()), tuple(abandon)

    def next(self, connection: Connection, who: Asking) -> Choice | None:
        """A job that it does not know of yet."""
        if not who.asked.free_slots or not who.collector.active:
            return None
        while lost := queries.unnamed(connection, who.collector.id, who.named):
            if not self.fate.has_failed_often(connection, lost):
                return Choice(lost)
            self.fate.give_up(connection, lost)
        if not who.free:
            return None
        served = queries.groups(connection, who.collector.channels)
        for channels in served[:-1] if _last_slot_is_kept(connection, who, served) else served:
            if found := queries.next_waiting(connection, who.collector.id, channels, who.named):
                return Choice(found)
        return None

    def why_nothing(self, connection: Connection, who: Asking) -> str:
        if who.passed:
            return "Jobs wait whose passwords the server cannot read: its key is not the right one."
        if not who.asked.free_slots:
            return "No slot is free."
        if not who.collector.active:
            return "The collector is stopped: it gets no new work."
        if not who.free:
            return f"The collector holds {who.busy} jobs, and may have {who.slots} at a time."
        served = queries.groups(connection, who.collector.channels)
        if not served:
            return "The collector serves no open channel."
        if _last_slot_is_kept(connection, who, served):
            return "The last free slot is kept for channels of higher priority."
        return f"No job waits in {', '.join(who.collector.channels)}."


def _last_slot_is_kept(connection: Connection, who: Asking, served: Sequence[Sequence[int]]) -> bool:
    """A collector for several priorities keeps a slot for the higher ones, unless one of those has one.

    Jobs of a broad harvest take days: without this, a selective one could wait as long for a slot.
    """
    if who.free != 1 or who.slots == 1 or len(served) == 1:
        return False
    return not queries.works_above(connection, who.collector.id, served[-1])
