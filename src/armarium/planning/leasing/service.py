"""Leases: who works on which job, until when, and what becomes of it.

One job is held by one collector under one attempt, or by nobody. `queries.held` is the fence: whoever
names an older attempt, or comes after the end of the lease, changes nothing.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Protocol

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
    JobEnd,
    LeaseAnswer,
    LeaseRequest,
    Phase,
)
from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.service import Notifier
from armarium.planning import budgets
from armarium.planning.collectors import queries as collector_queries
from armarium.planning.collectors.health import FailureCount, enter
from armarium.planning.collectors.model import Code, Collector, Declined, lease_lost, shortened, storable
from armarium.planning.leasing import queries, results
from armarium.planning.leasing.assignment import Assignment, Choice, WorkRequest, work_request
from armarium.planning.leasing.reports import final
from armarium.planning.leasing.reports import kept as kept_of
from armarium.planning.leasing.results import write_history
from armarium.planning.leasing.retries import AT_ONCE, Retries, announce_job, take_over
from armarium.planning.leasing.task_tokens import (
    CollectionsOf,
    Lease,
    UnusableOrder,
    in_none,
    provenance,
    sealed,
)
from armarium.planning.model import AttemptEnd, JobState
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.jobs import Row

log = structlog.get_logger(__name__)

BEAT_SECONDS = 10.0
QUICK_SECONDS = 2.0  # while somebody looks, or waits for an answer
BEATS_IN_A_LEASE = 3  # at least: one that gets lost must not cost the job
BUSY_SECONDS = 1.0  # after which a collector asks again whose last request is still being answered
MOST_TRIES = 20  # jobs without a usable order that one request passes over
ANSWER_DAYS = 30  # for which answers to commands, and the end of the log, are kept after a job

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


class EndListener(Protocol):
    """Whoever wants to know that a job has left its history."""

    def ended(self, connection: Connection, job: int) -> None:
        """In the transaction of the end."""
        ...


class Leases:
    def __init__(
        self,
        database: Database,
        vault: Vault,
        settings: PlanningSettings,
        notifier: Notifier,
        listener: EndListener | None = None,
        collections_of: CollectionsOf = in_none,
    ) -> None:
        self._database = database
        self._vault = vault
        self._settings = settings
        self._listener = listener  # None: nobody asks
        self._collections_of = collections_of
        self._retries = Retries(settings, notifier)
        self._assignment = Assignment(self._retries)
        self._standing = FailureCount(database, notifier)

    # A request for work

    def lease(self, collector: Collector, asked: LeaseRequest) -> LeaseAnswer:
        self.expire()  # no job waits for a worker to notice that it is free
        with self._database.transaction() as connection:
            # The lock lets one request of a collector in at a time: one that it gave up and its repetition
            # must not lease two jobs.
            present = collector_queries.taken(connection, collector.id)
            if present is None:
                return LeaseAnswer(wait_seconds=BUSY_SECONDS, reason="Another request is being answered.")
            if present.revoked_at:
                return LeaseAnswer(wait_seconds=self._settings.lease_wait_seconds, reason="It is revoked.")
            facts = storable(asked.machine.model_dump(mode="json"))
            collector_queries.note_machine(connection, collector.id, facts)
            enter(connection, present, asked.machine)
            announce(connection, "collectors")
            kept, abandon = self._assignment.folders(connection, present, asked.held)
            who = work_request(connection, present, asked)
            token = self._first_usable(connection, who, kept)
            reason = "" if token else self._assignment.why_nothing(connection, who)
        wait = 0.0 if token else self._settings.lease_wait_seconds
        return LeaseAnswer(token=token, abandon=abandon, wait_seconds=wait, reason=reason)

    def _first_usable(self, connection: Connection, who: WorkRequest, kept: Sequence[Choice]) -> str | None:
        waiting = list(kept)
        for _ in range(MOST_TRIES):
            choice = waiting.pop(0) if waiting else self._assignment.next(connection, who)
            if choice is None:
                return None
            try:
                with connection.begin_nested():
                    return self._begin(connection, who.collector, choice)
            except Misconfigured as problem:  # a password that cannot be opened: the job is not to blame
                who.passed.add(choice.row["id"])
                self._retries.tell_unreadable(connection, choice.row, problem)
            except UnusableOrder as problem:
                take_over(connection, choice.row)
                self._retries.fail(connection, choice.row, str(problem))
        return None

    def _begin(self, connection: Connection, collector: Collector, choice: Choice) -> str:
        row, attempt = choice.row, choice.row["attempt"] + 1
        take_over(connection, row)
        if not choice.resume:  # whoever begins anew sends files of its own
            queries.abandon_parts(connection, row["id"])
            queries.begin_anew(connection, row["id"], attempt, SYSTEM.name)
        seconds = self._settings.lease_seconds
        until = queries.begin(connection, row, attempt, collector.id, seconds, resume=choice.resume)
        announce_job(connection, row["id"])
        share = budgets.of_lease(connection, row)
        facts = Lease(row["id"], attempt, choice.resume, until, seconds, self._beat_seconds(), share)
        harvest = provenance(connection, row["id"], self._settings.alias_days, self._collections_of)
        token = sealed(connection, self._vault, collector, facts, harvest)
        log.info("job leased", job=row["id"], attempt=attempt, collector=collector.name, resume=choice.resume)
        return token

    # While a job runs

    def beat(self, collector: Collector, job: int, beat: Heartbeat) -> HeartbeatAnswer:
        """Extend the lease; news go up, commands come down."""
        news = {"phase": beat.phase.value, "report": kept_of(beat.report), "tail": beat.tail}
        report = storable(news)
        with self._database.transaction() as connection:
            row = self._held(connection, collector, job, beat.attempt)
            for answer in beat.answers:
                facts = shortened(storable(answer.answer))
                queries.note_answer(connection, job, answer.id, accepted=answer.accepted, answer=facts)
            state = _further(JobState(row["state"]), STATE_OF[beat.phase])
            if row["state"] == JobState.SUBMITTED and state is not JobState.SUBMITTED:
                queries.note_start(connection, job, beat.attempt)
            after = queries.note_beat(connection, row, self._settings.lease_seconds, state, report)
            if beat.phase is Phase.CRAWLING:
                queries.note_sample(connection, job, report["report"])
            if after["age"] > timedelta(days=self._settings.job_days):
                queries.command_of_attempt(connection, job, beat.attempt, "terminate", SYSTEM.name)
            budgets.heard(connection, row, report["report"])
            if trouble := report["report"].get("upload_trouble"):
                self._retries.tell_unsent(connection, row, collector.name, trouble)
            commands = queries.send_commands(connection, job)
            announce_job(connection, job, state=row["state"] != state)
            quick = after["watched"] or queries.has_open_commands(connection, job)
        return HeartbeatAnswer(
            lease_until=after["lease_until"],
            lease_seconds=self._settings.lease_seconds,
            commands=tuple(Command(**command) for command in commands),
            beat_seconds=self._beat_seconds(quick=bool(quick)),
        )

    def _beat_seconds(self, *, quick: bool = False) -> float:
        usual = QUICK_SECONDS if quick else BEAT_SECONDS
        return min(usual, self._settings.lease_seconds / BEATS_IN_A_LEASE)

    def _held(self, connection: Connection, collector: Collector, job: int, attempt: int) -> Row:
        row = queries.held(connection, job, attempt, collector.id)
        if row is None:
            # A heartbeat may cross the end of its own job on the way: that is nothing to look into.
            known = queries.attempt_of(connection, job, attempt, collector.id)
            tell = log.debug if known and known["end"] == AttemptEnd.DONE else log.warning
            tell("late or foreign", job=job, attempt=attempt, collector=collector.name)
            raise lease_lost(job, attempt)
        return row

    # Its end

    def end(self, collector: Collector, job: int, end: JobEnd) -> Ended:
        """End the attempt. Repeated, the answer is the same: the first may have got lost."""
        ended, is_new = self._told(collector, job, end)
        if is_new:  # after the commit: whoever leases locks the collector first, and its jobs then
            self._standing.note(collector, job, end.kind)
        return ended

    def _told(self, collector: Collector, job: int, end: JobEnd) -> tuple[Ended, bool]:
        with self._database.transaction() as connection:
            queries.locked(connection, job)  # a repetition waits until the first has been dealt with
            known = queries.attempt_of(connection, job, end.attempt, collector.id)
            if known and known["end"] == ATTEMPT_END[end.kind]:
                return Ended(state=known["state"]), False
            row = self._held(connection, collector, job, end.attempt)
            self._refuse_missing(connection, job, end)
            self._refuse_nothing(connection, job, end)
            error = storable(end.error)
            brought = end.objects if _tells_figures(end) else None
            queries.end_attempt(connection, job, end.attempt, ATTEMPT_END[end.kind], error, brought)
            log.info("job ended", job=job, attempt=end.attempt, collector=collector.name, kind=end.kind.value)
            return Ended(state=self._ended(connection, row, end, error)), True

    def _ended(self, connection: Connection, row: Row, end: JobEnd, error: str) -> JobState:
        if end.kind is EndKind.RETURNED:
            return self._retries.try_again(connection, row, error)
        if end.kind is EndKind.FAILED and not end.files and not end.final:
            return self._retries.try_again(connection, row, error or "The crawl failed.", wait=True)
        # A failure that brought files home is the end too: doing it again would harvest the same twice.
        state = JobState.DONE if end.kind is EndKind.DONE else JobState.FAILED
        results.leave_others(connection, row["id"], end.files)
        write_history(connection, row["id"], end)
        facts: dict[str, Any] = {"files": len(set(end.files))}
        if _tells_figures(end):  # a crawl that broke tells none: its last heartbeat did
            facts |= {"objects": end.objects, "bytes": end.bytes, "report": _last_news(row, end)}
        queries.finish(connection, row, state, outcome=storable(end.outcome), error=error, **facts)
        if state is JobState.FAILED:
            self._retries.tell(connection, row, error)
        if self._listener is not None:
            self._listener.ended(connection, row["id"])
        announce_job(connection, row["id"])
        return state

    def _refuse_missing(self, connection: Connection, job: int, end: JobEnd) -> None:
        missing = sorted(set(end.files) - results.stored_names(connection, job))
        if missing:
            text = message(
                "%(count)s files of job %(job)s have not arrived. Send them first.",
                count=len(missing),
                job=job,
            )
            raise Declined(Code.NOT_STORED, text, missing=missing[:100])

    def _refuse_nothing(self, connection: Connection, job: int, end: JobEnd) -> None:
        """Objects without a file that holds them would go into the history, and nobody could see them."""
        if end.kind is EndKind.DONE and end.objects and not results.has_data(connection, job, end.files):
            text = message("Job %(job)s reports objects, but no file with captures has arrived.", job=job)
            raise Declined(Code.NOT_STORED, text, missing=[])

    # Its lapse

    def expire(self) -> int:
        """End the leases that are over: the jobs go to others, or have failed. How many there were."""
        ended = 0
        while True:
            with self._database.transaction() as connection:
                found = self._retries.expire_some(connection)
            ended += found
            if found < AT_ONCE:
                return ended

    def forget_answers(self) -> int:
        with self._database.transaction() as connection:
            return queries.forget_answers(connection, ANSWER_DAYS)

    def forget_samples(self) -> int:
        with self._database.transaction() as connection:
            return queries.forget_samples(connection, self._settings.keep_sample_days)


def _tells_figures(end: JobEnd) -> bool:
    return bool(end.report or end.objects or end.bytes)


def _last_news(row: Row, end: JobEnd) -> dict[str, Any]:
    """The news of the job from now on: the end of its log, and the figures of its end. It is in no phase."""
    news: dict[str, Any] = dict(row["report"] or {})
    told = final(news.get("report") or {}, end.report, end.objects, end.bytes)
    return {"report": storable(told), "tail": news.get("tail") or []}


def _further(present: JobState, told: JobState) -> JobState:
    return max(present, told, key=FURTHER.index)
