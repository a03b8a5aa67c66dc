"""What people do with jobs: look, resubmit, reject, cancel, hurry."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused, existing
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.planning import orders
from armarium.planning.collectors.model import SILENCE
from armarium.planning.harvests.model import RunState
from armarium.planning.jobs import explanations, page_queries, queries
from armarium.planning.jobs.model import (
    Attempt,
    ByCatch,
    ConfigurationRow,
    Done,
    File,
    JobRow,
    ProfileUsed,
    RunningJob,
)
from armarium.planning.leasing.queries import abandon_parts
from armarium.planning.model import JobState, is_over, may_become, moved

TOPIC = "jobs"
MOST_AT_ONCE = 1000  # jobs of one order
PRIORITIES = range(-1000, 1001)


def topic_of(number: int) -> str:
    """What a page about one job listens to."""
    return f"job_{number}"


class Remaking(Protocol):
    """Who makes a job anew with the settings of today: the generator."""

    def remake(self, connection: Connection, actor: Actor, job_id: int) -> int: ...


def _found(connection: Connection, number: int) -> RunningJob:
    return existing(queries.one(connection, number), message("There is no job %(number)s.", number=number))


class Jobs:
    def __init__(self, database: Database, generator: Remaking) -> None:
        self._database = database
        self._generator = generator

    # Looking ----------------------------------------------------------------------------------------

    page = reading(queries.page)
    count = reading(queries.count)
    counts = reading(queries.counts)
    choices = reading(queries.choices)
    title = reading(queries.title)
    get = reading(_found)

    def running(self, domain: str = "") -> list[RunningJob]:
        with self._database.transaction() as connection:
            return list(queries.running(connection, domain.strip()))

    def why_waiting(self, row: JobRow) -> Message | None:
        if row.state not in (JobState.PLANNED, JobState.NEW):
            return None
        now = clock.now()
        with self._database.transaction() as connection:
            facts = page_queries.waiting(connection, row, now - SILENCE)
        return explanations.why_waiting(row, facts, now)

    def watch(self, number: int) -> None:
        """Somebody has its page open: its collector is asked to send news more often."""
        with self._database.transaction() as connection:
            page_queries.watch(connection, number, clock.now())

    def seeds(self, number: int) -> list[tuple[str, str]]:
        """Each seed with the domain that it belongs to, as frozen."""
        with self._database.transaction() as connection:
            _found(connection, number)
            return list(orders.seeds_of(page_queries.order_parts(connection, number)))

    def order(self, number: int) -> dict[str, Any]:
        """The order as frozen, without seeds and without secrets."""
        with self._database.transaction() as connection:
            _found(connection, number)
            return orders.shown_order(page_queries.order_parts(connection, number))

    # Changing ---------------------------------------------------------------------------------------

    def reject(self, actor: Actor, numbers: Sequence[int], *, reason: str = "") -> Done:
        """Failed jobs, and that is the end of it."""
        return self._change(actor, numbers, JobState.REJECTED, "job.rejected", reason=reason)

    def restore(self, actor: Actor, numbers: Sequence[int]) -> Done:
        """Rejected jobs are failed ones again, which can be resubmitted."""
        return self._change(actor, numbers, JobState.FAILED, "job.restored", only=JobState.REJECTED)

    def cancel(self, actor: Actor, numbers: Sequence[int]) -> Done:
        """Take back jobs that wait; one that has begun is terminated instead."""
        return self._change(actor, numbers, JobState.CANCELLED, "job.cancelled", only=JobState.NEW)

    def resubmit(self, actor: Actor, numbers: Sequence[int], *, current: bool = False) -> Done:
        """New jobs for failed ones: with the order as it was, or (`current`) with the settings of today."""
        with self._database.transaction() as connection:
            done = Done()
            for row in _chosen(connection, numbers):
                if not _can_be_done_again(connection, row):
                    done.left.append(row["id"])
                    continue
                made = self._again(connection, actor, row, current=current)
                queries.change(connection, row["id"], state=moved(row["state"], JobState.RESUBMITTED))
                after = {"state": JobState.RESUBMITTED.value, "new_job": made, "current_settings": current}
                _record(connection, actor, "job.resubmitted", row, after)
                done.changed.append(row["id"])
                done.made.append(made)
            _announce(connection, done.changed)
            return done

    def set_priority(self, actor: Actor, number: int, priority: int) -> None:
        """A waiting job with a higher one is taken first, within its channel."""
        if priority not in PRIORITIES:
            raise Refused(message("Enter a whole number from -1000 to 1000."), field="priority")
        with self._database.transaction() as connection:
            (row,) = _chosen(connection, [number])
            if JobState(row["state"]) not in (JobState.PLANNED, JobState.NEW):
                raise Refused(message("Job %(number)s is no longer waiting.", number=number))
            queries.change(connection, number, priority=priority)
            _record(
                connection, actor, "job.hurried", row, {"priority": priority}, {"priority": row["priority"]}
            )
            _announce(connection, [number])

    def _change(
        self,
        actor: Actor,
        numbers: Sequence[int],
        to: JobState,
        action: str,
        *,
        only: JobState | None = None,
        reason: str = "",
    ) -> Done:
        with self._database.transaction() as connection:
            done = Done()
            for row in _chosen(connection, numbers):
                state = JobState(row["state"])
                if not may_become(state, to) or (only and state is not only):
                    done.left.append(row["id"])
                    continue
                ended = {}
                if to is JobState.CANCELLED:
                    ended = {"ended_at": clock.now()}
                    abandon_parts(connection, row["id"])  # of an attempt that had begun
                queries.change(connection, row["id"], state=moved(state, to), **ended)
                said = {"reason": reason} if reason else {}
                _record(connection, actor, action, row, {"state": to.value, **said})
                done.changed.append(row["id"])
            _announce(connection, done.changed)
            return done

    def _again(self, connection: Connection, actor: Actor, row: Mapping[Any, Any], *, current: bool) -> int:
        if not current:
            made = copied(connection, row, clock.now())
            subject = Subject("job", made, str(made))
            record(connection, actor, "job.copied", subject, after={"resubmission_of": row["id"]})
            return made
        return self._generator.remake(connection, actor, row["id"])


def _can_be_done_again(connection: Connection, row: Mapping[Any, Any]) -> bool:
    """Not a job that was cancelled because its run could not be generated: its order may be half of one."""
    state = JobState(row["state"])
    if state is JobState.CANCELLED and page_queries.run_state(connection, row["run"]) == RunState.FAILED:
        return False
    return may_become(state, JobState.RESUBMITTED)


def copied(connection: Connection, row: Mapping[Any, Any], now: datetime) -> int:
    """The same job once more; only the names of its files are its own."""
    made = page_queries.copy_of(connection, row["id"], now)
    first = page_queries.order_part(connection, made, 0)
    if first is not None:
        page_queries.put_order_part(connection, made, 0, orders.for_job(first, row["id"], made))
    return made


def _chosen(connection: Connection, numbers: Sequence[int]) -> list[Mapping[Any, Any]]:
    if not numbers:
        raise Refused(message("No jobs selected."))
    if len(numbers) > MOST_AT_ONCE:
        raise Refused(message("Select at most %(most)s jobs.", most=MOST_AT_ONCE))
    rows = queries.locked(connection, numbers)
    missing = set(numbers) - {row["id"] for row in rows}
    if missing:
        raise NotFound(message("There is no job %(number)s.", number=min(missing)))
    return rows


def _record(
    connection: Connection,
    actor: Actor,
    action: str,
    row: Mapping[Any, Any],
    after: Mapping[str, object],
    before: Mapping[str, object] | None = None,
) -> None:
    subject = Subject("job", row["id"], str(row["id"]))
    record(connection, actor, action, subject, before=before or {"state": row["state"]}, after=after)


def _announce(connection: Connection, numbers: Iterable[int]) -> None:
    for number in numbers:
        announce(connection, topic_of(number))
        announce(connection, TOPIC)


# What the pages of one job show besides -------------------------------------------------------------


@dataclass(frozen=True)
class JobExtras:
    """What belongs to a job and fits on its first page."""

    profile: ProfileUsed
    attempts: list[Attempt]


@dataclass(frozen=True)
class JobAfter:
    """What is asked of a job that has ended."""

    reasons: Mapping[str, int] = field(default_factory=dict)
    resubmissions: Sequence[int] = ()


class JobDetails:
    def __init__(self, database: Database) -> None:
        self._database = database

    samples = reading(page_queries.samples)
    speeds = reading(page_queries.speeds)
    largest = reading(page_queries.largest)

    def after(self, row: JobRow) -> JobAfter:
        if not is_over(row.state):
            return JobAfter()
        with self._database.transaction() as connection:
            return JobAfter(
                page_queries.reasons(connection, row.id), page_queries.resubmissions(connection, row.id)
            )

    def around(self, row: JobRow) -> JobExtras:
        with self._database.transaction() as connection:
            return JobExtras(
                page_queries.profile_used(connection, row.profile_version),
                page_queries.attempts(connection, row.id),
            )

    def configurations(
        self, job: int, *, reason: str = "", limit: int, offset: Beginning = 0
    ) -> tuple[list[ConfigurationRow], dict[str, int]]:
        """This stretch, and how many there are of each reason."""
        with self._database.transaction() as connection:
            rows = page_queries.configurations(connection, job, reason, limit, offset)
            return rows, page_queries.reasons(connection, job)

    def by_catch(
        self, job: int, *, limit: int, offset: int = 0
    ) -> tuple[list[ByCatch], tuple[int, int, int]]:
        """The largest first; and how many domains, objects and bytes in all."""
        with self._database.transaction() as connection:
            found = page_queries.by_catch(connection, job, limit, offset)
            return found, page_queries.by_catch_total(connection, job)

    def files(self, job: int, *, limit: int, offset: Beginning = 0) -> tuple[list[File], tuple[int, int]]:
        """In the order of their arrival; and how many, and how many bytes in all."""
        with self._database.transaction() as connection:
            found = page_queries.files(connection, job, limit, offset)
            return found, page_queries.files_total(connection, job)
