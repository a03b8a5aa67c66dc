"""Which job a collector gets: first what it has begun, then whatever waits in its channels.

What is chosen is locked, and nothing else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.collecting import Held, LeaseRequest
from armarium.planning.collectors.model import SILENCE, Collector
from armarium.planning.leasing.queries import first
from armarium.planning.leasing.retries import Retries
from armarium.planning.model import AttemptEnd, JobState
from armarium.planning.tables.harvests import collector
from armarium.planning.tables.jobs import LEASED_NOW, NOW, Row, channel, job, job_attempt


@dataclass(frozen=True)
class Choice:
    """A job for a collector; its row is locked."""

    row: Row
    resume: bool = False  # the collector has its folder


@dataclass(frozen=True)
class WorkRequest:
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


def work_request(connection: Connection, collector: Collector, asked: LeaseRequest) -> WorkRequest:
    return WorkRequest(collector, asked, busy(connection, collector.id))


@dataclass(frozen=True)
class Assignment:
    retries: Retries

    def folders(
        self, connection: Connection, collector: Collector, held: Sequence[Held]
    ) -> tuple[list[Choice], tuple[Held, ...]]:
        """Folders that the collector may go on with, and those that are held in vain.

        Those of jobs that have to wait a while are neither: they are asked for again.
        """
        if not held:
            return [], ()
        claimed = claimed_by(connection, collector.id, held)
        kept: dict[int, Choice] = {}
        abandon = []
        for one in sorted(held, key=lambda one: (one.job, one.attempt)):
            row = claimed.get((one.job, one.attempt))
            if row is None:
                abandon.append(one)
            elif self.retries.has_failed_often(connection, row):
                self.retries.give_up(connection, row)
                abandon.append(one)
            elif row["due"]:
                kept[one.job] = Choice(row, resume=True)
        return list(kept.values()), tuple(abandon)

    def next(self, connection: Connection, who: WorkRequest) -> Choice | None:
        """A job that it does not know of yet."""
        if not who.asked.free_slots or not who.collector.active:
            return None
        while lost := unnamed(connection, who.collector.id, who.named):
            if not self.retries.has_failed_often(connection, lost):
                return Choice(lost)
            self.retries.give_up(connection, lost)
        if not who.free:
            return None
        served = channel_groups(connection, who.collector.channels)
        for channels in served[:-1] if _last_slot_is_kept(connection, who, served) else served:
            if found := next_waiting(connection, who.collector.id, channels, who.named):
                return Choice(found)
        return None

    def why_nothing(self, connection: Connection, who: WorkRequest) -> str:
        if who.passed:
            return "Jobs wait whose passwords the server cannot read: its key is not the right one."
        if not who.asked.free_slots:
            return "No slot is free."
        if not who.collector.active:
            return "The collector is stopped: it gets no new work."
        if not who.free:
            return f"The collector holds {who.busy} jobs, and may have {who.slots} at a time."
        served = channel_groups(connection, who.collector.channels)
        if not served:
            return "The collector serves no open channel."
        if _last_slot_is_kept(connection, who, served):
            return "The last free slot is kept for channels of higher priority."
        return f"No job waits in {', '.join(who.collector.channels)}."


def _last_slot_is_kept(connection: Connection, who: WorkRequest, served: Sequence[Sequence[int]]) -> bool:
    """A collector for several priorities keeps a slot for the higher ones, unless one of those has one.

    Jobs of a broad harvest take days: without this, a selective one could wait as long for a slot.
    """
    if who.free != 1 or who.slots == 1 or len(served) == 1:
        return False
    return not works_above(connection, who.collector.id, served[-1])


# SQL ------------------------------------------------------------------------------------------------


DUE = sa.or_(job.c.not_before.is_(None), job.c.not_before <= NOW)
#: Of these nothing is left to go on with: the collector said so itself.
CLOSED = (AttemptEnd.DONE, AttemptEnd.FAILED)


def claimed_by(connection: Connection, number: int, held: Sequence[Held]) -> dict[tuple[int, int], Row]:
    """Jobs whose folders this collector holds, by job and attempt; with `due`: their time has come.

    Only those that it was given under that very attempt, that it did not fail last, and that it still holds
    or nobody does: whatever else it names is not touched. One that was taken from it since nothing was heard
    of it does not have to wait: the others do, so that it can come back.
    """
    jobs = sa.literal([one.job for one in held], sa.ARRAY(sa.BigInteger))
    attempts = sa.literal([one.attempt for one in held], sa.ARRAY(sa.Integer))
    named = sa.func.unnest(jobs, attempts).table_valued(
        sa.column("job", sa.BigInteger), sa.column("attempt", sa.Integer), name="named"
    )
    named = named.render_derived()
    mine = sa.and_(job_attempt.c.job == named.c.job, job_attempt.c.attempt == named.c.attempt)
    free = job.c.state == JobState.NEW
    # After a silence the job waits for just this collector: to wait is for the others.
    awaited = _ended_last(number, AttemptEnd.EXPIRED)
    asked = (
        sa.select(job, sa.or_(DUE, awaited).label("due"), job_attempt.c.attempt.label("named_attempt"))
        .join(job_attempt, job_attempt.c.job == job.c.id)
        .join(named, mine)
        .where(job_attempt.c.collector == number, job_attempt.c.end.not_in(CLOSED))
        .where(sa.or_(free, sa.and_(LEASED_NOW, job.c.collector == number)))
        .where(~_ended_last(number, AttemptEnd.FAILED))
        .order_by(job.c.id)  # rows are locked in one order by everybody
        .with_for_update(of=job)
    )
    rows = connection.execute(asked).mappings()
    return {(row["id"], row["named_attempt"]): dict(row) for row in rows}


def busy(connection: Connection, number: int) -> int:
    """Jobs that this collector holds, whatever it says itself."""
    asked = sa.select(sa.func.count()).where(LEASED_NOW, job.c.collector == number)
    return connection.scalar(asked) or 0


def works_above(connection: Connection, number: int, channels: Sequence[int]) -> bool:
    """Whether it holds a job of a channel that is served before these, which are equals."""
    lowest = sa.select(sa.func.max(channel.c.priority)).where(channel.c.id.in_(channels))
    above = sa.and_(channel.c.id == job.c.channel, channel.c.priority > lowest.scalar_subquery())
    return bool(connection.scalar(sa.select(sa.exists().where(LEASED_NOW, job.c.collector == number, above))))


def unnamed(connection: Connection, number: int, named: Iterable[int]) -> Row | None:
    """A job that this collector holds without knowing it: the answer to its request got lost."""
    asked = (
        sa.select(job)
        .where(LEASED_NOW, job.c.collector == number, job.c.id.not_in(sorted(set(named))))
        .order_by(job.c.id)
        .limit(1)
    )
    return first(connection, asked.with_for_update(skip_locked=True))


def channel_groups(connection: Connection, names: Sequence[str]) -> list[list[int]]:
    """The open channels of these names, those served first first; equals together."""
    asked = sa.select(channel.c.priority, sa.func.array_agg(channel.c.id)).where(
        channel.c.active, channel.c.name.in_(names)
    )
    found = connection.execute(asked.group_by(channel.c.priority).order_by(channel.c.priority.desc()))
    return [list(numbers) for _, numbers in found]


def next_waiting(
    connection: Connection, number: int, channels: Sequence[int], named: Iterable[int]
) -> Row | None:
    """The job of these channels whose turn it is; one that somebody is just taking is passed over.

    So are those that the collector names itself: it has not noticed yet that its lease of one is over, and
    would begin it anew beside its own folder. And those that it failed last, if another may do better.
    """
    asked = (
        sa.select(job)
        .where(job.c.state == JobState.NEW, job.c.channel.in_(channels), DUE)
        .where(job.c.id.not_in(sorted(set(named))))
        .where(~sa.and_(_ended_last(number, AttemptEnd.FAILED), _another_serves(number)))
        .order_by(job.c.priority.desc(), job.c.id)
        .limit(1)
    )
    return first(connection, asked.with_for_update(skip_locked=True, of=job))


def _ended_last(number: int, end: AttemptEnd) -> "sa.ColumnElement[bool]":
    """Whether the last attempt at the job was this collector's, and ended in this way."""
    last = job_attempt.alias("last")
    newest = sa.and_(last.c.job == job.c.id, last.c.attempt == job.c.attempt)
    return sa.exists().where(newest, last.c.collector == number, last.c.end == end)


def _another_serves(number: int) -> "sa.ColumnElement[bool]":
    """Whether somebody else, of whom something was heard lately, could take a job of this channel."""
    able = sa.and_(collector.c.active, collector.c.revoked_at.is_(None), collector.c.slots > 0)
    well = sa.func.coalesce(collector.c.facts["trouble"].astext, "") == ""
    heard = collector.c.seen_at > NOW - SILENCE
    serves = sa.and_(channel.c.id == job.c.channel, channel.c.name == sa.any_(collector.c.channels))
    return sa.exists().where(collector.c.id != number, able, well, heard, serves)
