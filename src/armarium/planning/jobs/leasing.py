"""Leases: who works on which job, until when, and what becomes of it.

One job is held by one collector under one attempt, or by nobody. `lease_queries.held` is the fence: whoever
names an older attempt, or comes after the end of the lease, changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlalchemy import Connection

from armarium.accounts.vault import Vault
from armarium.core.actor import SYSTEM
from armarium.core.collecting import (
    Command,
    Ended,
    EndKind,
    Heartbeat,
    HeartbeatAnswer,
    Held,
    JobEnd,
    LeaseAnswer,
    LeaseRequest,
    Phase,
)
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.service import Notifier
from armarium.planning.collectors import arrival_queries
from armarium.planning.collectors import queries as collector_queries
from armarium.planning.collectors.model import Code, Collector, Declined, lease_lost
from armarium.planning.collectors.storable import storable
from armarium.planning.jobs import lease_queries as queries
from armarium.planning.jobs.ending import write_history
from armarium.planning.jobs.expiry import AT_ONCE, Fate, announce_job
from armarium.planning.jobs.lease_queries import Row
from armarium.planning.jobs.sealing import Lease, UnusableOrder, sealed
from armarium.planning.model import LEASED, AttemptEnd, JobState
from armarium.planning.settings import PlanningSettings

log = structlog.get_logger(__name__)

BEAT_SECONDS = 10.0
QUICK_SECONDS = 2.0  # while somebody looks, or waits for an answer
BEATS_IN_A_LEASE = 3  # at least: one that gets lost must not cost the job
MOST_TRIES = 20  # jobs without a usable order that one request passes over

#: How far a phase brings a job; it never goes back within an attempt.
STATE_OF = {
    Phase.STARTING: JobState.SUBMITTED,
    Phase.CRAWLING: JobState.STARTED,
    Phase.UPLOADING: JobState.UPLOADING,
}
FURTHER = (JobState.SUBMITTED, JobState.STARTED, JobState.UPLOADING)
ATTEMPT_END = {
    EndKind.DONE: AttemptEnd.DONE,
    EndKind.FAILED: AttemptEnd.FAILED,
    EndKind.RETURNED: AttemptEnd.RETURNED,
}


@dataclass(frozen=True)
class Choice:
    """A job for a collector; its row is locked."""

    row: Row
    resume: bool = False  # the collector has its folder


class Leases:
    def __init__(
        self, database: Database, vault: Vault, settings: PlanningSettings, notifier: Notifier
    ) -> None:
        self._database = database
        self._vault = vault
        self._settings = settings
        self._fate = Fate(settings, notifier)

    # A request for work

    def lease(self, collector: Collector, asked: LeaseRequest) -> LeaseAnswer:
        self.expire()  # no job waits for a worker to notice that it is free
        with self._database.transaction() as connection:
            # The lock lets one request of a collector in at a time: one that it gave up and its repetition
            # must not lease two jobs.
            present = collector_queries.one(connection, collector.id, lock=True) or collector
            facts = storable(asked.machine.model_dump(mode="json"))
            collector_queries.note_machine(connection, collector.id, facts, asked.machine.slots)
            announce(connection, "collectors")
            kept, abandon = self._look_at_held(connection, present, asked.held)
            token = self._first_usable(connection, present, asked, kept)
            reason = "" if token else self._why_nothing(connection, present, asked)
        wait = 0.0 if token else self._settings.lease_wait_seconds
        return LeaseAnswer(token=token, abandon=abandon, wait_seconds=wait, reason=reason)

    def _look_at_held(
        self, connection: Connection, collector: Collector, held: Sequence[Held]
    ) -> tuple[list[Choice], tuple[Held, ...]]:
        """Folders that the collector may go on with, and those that are held in vain."""
        kept, abandon = [], []
        for one in sorted(held, key=lambda one: one.job):  # rows are locked in one order by everybody
            row = queries.locked(connection, one.job)
            if row is None or not _may_go_on(row, collector, one):
                abandon.append(one)
            elif self._fate.has_failed_often(connection, row):
                self._give_up(connection, row)
                abandon.append(one)
            else:
                kept.append(Choice(row, resume=True))
        return kept, tuple(abandon)

    def _first_usable(
        self, connection: Connection, collector: Collector, asked: LeaseRequest, kept: Sequence[Choice]
    ) -> str | None:
        named = {*asked.machine.jobs, *(one.job for one in asked.held)}
        waiting = list(kept)
        for _ in range(MOST_TRIES):
            choice = waiting.pop(0) if waiting else self._next(connection, collector, asked, named)
            if choice is None:
                return None
            try:
                with connection.begin_nested():
                    return self._begin(connection, collector, choice)
            except UnusableOrder as problem:
                self._close_attempt(connection, choice.row)
                self._fate.fail(connection, choice.row, str(problem))
        return None

    def _next(
        self, connection: Connection, collector: Collector, asked: LeaseRequest, named: set[int]
    ) -> Choice | None:
        if not asked.free_slots:
            return None
        while lost := queries.unnamed(connection, collector.id, named):
            if not self._fate.has_failed_often(connection, lost):
                return Choice(lost)
            self._give_up(connection, lost)
        if not collector.active:
            return None
        served = queries.groups(connection, collector.channels)
        for channels in served[:-1] if _last_slot_is_kept(asked, served) else served:
            if found := queries.next_waiting(connection, channels, named):
                return Choice(found)
        return None

    def _begin(self, connection: Connection, collector: Collector, choice: Choice) -> str:
        row, attempt = choice.row, choice.row["attempt"] + 1
        self._close_attempt(connection, row)
        if not choice.resume:  # whoever begins anew sends files of its own
            queries.abandon_parts(connection, row["id"])
        lease = self._settings.lease_seconds
        until = queries.begin(connection, row["id"], attempt, collector.id, lease)
        announce_job(connection, row["id"])
        facts = Lease(row["id"], attempt, choice.resume, until, self._beat_seconds())
        token = sealed(connection, self._vault, collector, facts)
        log.info("job leased", job=row["id"], attempt=attempt, collector=collector.name, resume=choice.resume)
        return token

    def _close_attempt(self, connection: Connection, row: Row) -> None:
        if row["state"] in LEASED:
            queries.end_attempt(connection, row["id"], row["attempt"], AttemptEnd.TAKEN_OVER)

    def _give_up(self, connection: Connection, row: Row) -> None:
        self._close_attempt(connection, row)
        text = "It was begun several times, and each time its collector stopped before anything was fetched."
        self._fate.fail(connection, row, text)

    def _why_nothing(self, connection: Connection, collector: Collector, asked: LeaseRequest) -> str:
        if not asked.free_slots:
            return "No slot is free."
        if not collector.active:
            return "The collector is stopped: it gets no new work."
        served = queries.groups(connection, collector.channels)
        if not served:
            return "The collector serves no open channel."
        if _last_slot_is_kept(asked, served):
            return "The last free slot is kept for channels of higher priority."
        return f"No job waits in {', '.join(collector.channels)}."

    # While a job runs

    def beat(self, collector: Collector, job: int, beat: Heartbeat) -> HeartbeatAnswer:
        """Extend the lease; news go up, commands come down."""
        report = storable({"phase": beat.phase.value, "report": beat.report, "tail": beat.tail})
        with self._database.transaction() as connection:
            row = self._held(connection, collector, job, beat.attempt)
            for answer in beat.answers:
                facts = storable(answer.answer)
                queries.note_answer(connection, job, answer.id, accepted=answer.accepted, answer=facts)
            state = _further(JobState(row["state"]), STATE_OF[beat.phase])
            if row["state"] == JobState.SUBMITTED and state is not JobState.SUBMITTED:
                queries.note_start(connection, job, beat.attempt)
            after = queries.note_beat(connection, job, self._settings.lease_seconds, state, report)
            if beat.phase is Phase.CRAWLING:
                queries.note_sample(connection, job, report["report"])
            if after["age"] > timedelta(days=self._settings.job_days):
                queries.command_once(connection, job, "terminate", SYSTEM.name)
            commands = queries.send_commands(connection, job)
            announce_job(connection, job, state=row["state"] != state)
            quick = after["watched"] or queries.has_open_commands(connection, job)
        return HeartbeatAnswer(
            lease_until=after["lease_until"],
            commands=tuple(Command(**command) for command in commands),
            beat_seconds=self._beat_seconds(quick=bool(quick)),
        )

    def _beat_seconds(self, *, quick: bool = False) -> float:
        usual = QUICK_SECONDS if quick else BEAT_SECONDS
        return min(usual, self._settings.lease_seconds / BEATS_IN_A_LEASE)

    def _held(self, connection: Connection, collector: Collector, job: int, attempt: int) -> Row:
        row = queries.held(connection, job, attempt, collector.id)
        if row is None:
            log.warning("late or foreign", job=job, attempt=attempt, collector=collector.name)
            raise lease_lost(job, attempt)
        return row

    # Its end

    def end(self, collector: Collector, job: int, end: JobEnd) -> Ended:
        """End the attempt. Repeated, the answer is the same: the first may have got lost."""
        with self._database.transaction() as connection:
            queries.locked(connection, job)  # a repetition waits until the first has been dealt with
            known = queries.attempt_of(connection, job, end.attempt, collector.id)
            if known and known["end"] == ATTEMPT_END[end.kind]:
                return Ended(state=known["state"])
            row = self._held(connection, collector, job, end.attempt)
            self._refuse_missing(connection, job, end)
            error = storable(end.error)
            queries.end_attempt(connection, job, end.attempt, ATTEMPT_END[end.kind], error)
            log.info("job ended", job=job, attempt=end.attempt, collector=collector.name, kind=end.kind.value)
            return Ended(state=self._ended(connection, row, end, error))

    def _ended(self, connection: Connection, row: Row, end: JobEnd, error: str) -> JobState:
        if end.kind is EndKind.RETURNED:
            return self._fate.try_again(connection, row, error)
        if end.kind is EndKind.FAILED and not end.files:
            return self._fate.try_again(connection, row, error or "The crawl failed.", wait=True)
        # A failure that brought files home is the end too: doing it again would harvest the same twice.
        state = JobState.DONE if end.kind is EndKind.DONE else JobState.FAILED
        arrival_queries.leave_others(connection, row["id"], end.files)
        write_history(connection, row["id"], end)
        facts = {"objects": end.objects, "bytes": end.bytes, "files": len(set(end.files))}
        outcome = storable(end.outcome)
        queries.finish(connection, row["id"], state=state, outcome=outcome, error=error, **facts)
        if state is JobState.FAILED:
            self._fate.tell(connection, row, error)
        announce_job(connection, row["id"])
        return state

    def _refuse_missing(self, connection: Connection, job: int, end: JobEnd) -> None:
        missing = sorted(set(end.files) - arrival_queries.stored_names(connection, job))
        if missing:
            text = message(
                "%(count)s of the files that job %(job)s names have not arrived: send them first.",
                count=len(missing),
                job=job,
            )
            raise Declined(Code.NOT_STORED, text, missing=missing[:100])

    # Its lapse

    def expire(self) -> int:
        """End the leases that are over: the jobs go to others, or have failed. How many there were."""
        ended = 0
        while True:
            with self._database.transaction() as connection:
                found = self._fate.expire_some(connection)
            ended += found
            if found < AT_ONCE:
                return ended

    def forget_samples(self) -> int:
        with self._database.transaction() as connection:
            return queries.forget_samples(connection, self._settings.keep_sample_days)


def _last_slot_is_kept(asked: LeaseRequest, served: Sequence[object]) -> bool:
    """A collector for several priorities keeps a slot for the higher ones.

    Jobs of a broad harvest take days: without this, a selective one could wait as long for a slot.
    """
    return asked.free_slots == 1 and asked.machine.slots > 1 and len(served) > 1


def _may_go_on(row: Row, collector: Collector, held: Held) -> bool:
    """A job that waits, or that this collector still holds. Whoever else has it crawls it anew."""
    if row["attempt"] < held.attempt:  # of a time that this database does not know of
        return False
    if row["state"] == JobState.NEW:
        return True
    return row["state"] in LEASED and row["collector"] == collector.id


def _further(present: JobState, told: JobState) -> JobState:
    return max(present, told, key=FURTHER.index)
