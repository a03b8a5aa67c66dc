"""What becomes of a job when an attempt at it ends without a result."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection

from armarium.core.errors import Misconfigured
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.leasing import queries
from armarium.planning.model import LEASED, AttemptEnd, JobState
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.harvests import collector
from armarium.planning.tables.jobs import Row, job_attempt

log = structlog.get_logger(__name__)

UNREADABLE = "planning.unreadable"
AT_ONCE = 100  # leases that one transaction ends
LONGEST_WAIT = 3600.0
SILENT = "Nothing was heard of the collector until its lease ended."
NEVER_BEGUN = "It was begun several times, and each time its collector stopped before anything was fetched."


@dataclass(frozen=True)
class Retries:
    """Decides between another attempt and the end, and tells whoever has to know."""

    settings: PlanningSettings
    notifier: Notifier

    def expire_some(self, connection: Connection) -> int:
        """End leases that are over; how many. Called again until there are none."""
        found = queries.overdue(connection, AT_ONCE)
        for row in found:
            log.warning("lease ended", job=row["id"], attempt=row["attempt"], collector=row["collector"])
            queries.end_attempt(connection, row["id"], row["attempt"], AttemptEnd.EXPIRED, SILENT)
            # Perhaps it was we who were away: whoever has crawled for days gets the time to come back for its
            # job, before somebody else begins it anew.
            comes_back = may_come_back(connection, row)
            grace = self.settings.lease_seconds if comes_back else 0.0
            self.try_again(connection, row, SILENT, grace=grace)
        return len(found)

    def try_again(
        self, connection: Connection, row: Row, error: str, *, wait: bool = False, grace: float = 0.0
    ) -> JobState:
        """Back to those that wait; failed, if that has been tried often enough. The row is locked."""
        failures = failures_of(connection, row["id"])
        if failures >= self.settings.max_attempts:
            self.fail(connection, row, error)
            return JobState.FAILED
        backing_off = self.settings.retry_seconds * 2.0 ** max(failures - 1, 0) if wait else 0.0
        queries.release(connection, row, grace or min(backing_off, LONGEST_WAIT))
        announce_job(connection, row["id"])
        return JobState.NEW

    def has_failed_often(self, connection: Connection, row: Row) -> bool:
        return failures_of(connection, row["id"]) >= self.settings.max_attempts

    def give_up(self, connection: Connection, row: Row) -> None:
        take_over(connection, row)
        self.fail(connection, row, NEVER_BEGUN)

    def fail(self, connection: Connection, row: Row, error: str) -> None:
        queries.abandon_parts(connection, row["id"])
        queries.finish(connection, row, JobState.FAILED, error=error)
        self.tell(connection, row, error)

    def tell(self, connection: Connection, row: Row, error: str) -> None:
        log.error("job failed", job=row["id"], attempt=row["attempt"], reason=error)
        self.notifier.notify(connection, _notification(row, error))
        announce_job(connection, row["id"])

    def tell_unreadable(self, connection: Connection, row: Row, problem: Misconfigured) -> None:
        """Once, not for each job and each collector that asks."""
        about = Notification(
            Severity.ERROR,
            message("Jobs are waiting: their passwords cannot be read"),
            problem.message,
            UNREADABLE,
        )
        if not self.notifier.is_quiet(connection, UNREADABLE):
            log.error("job passed over", job=row["id"], reason=str(problem))
            self.notifier.notify(connection, about)

    def tell_unsent(self, connection: Connection, row: Row, collector: str, reason: str) -> None:
        """Once for a collector: what holds up the files of one of its jobs holds up those of all."""
        about = Notification(
            Severity.ERROR,
            message("Files of collector %(name)s are rejected", name=collector),
            message(
                "Job %(job)s is crawling, but its files do not arrive: %(reason)s They stay on the collector "
                "and are sent once this is fixed. Check the proxy in front of the site and the disk of the "
                "data folder.",
                job=row["id"],
                reason=reason,
            ),
            key=f"collector.unsent.{collector}",
        )
        if not self.notifier.is_quiet(connection, about.key):
            log.error("files of a job are not taken", job=row["id"], collector=collector, reason=reason)
            self.notifier.notify(connection, about)


def take_over(connection: Connection, row: Row) -> None:
    """End the attempt that its collector has given up without saying so, if there is one."""
    if row["state"] in LEASED:
        queries.end_attempt(connection, row["id"], row["attempt"], AttemptEnd.TAKEN_OVER)


def announce_job(connection: Connection, number: int, *, state: bool = True) -> None:
    """`state`: the job changed its state, which lists show too."""
    announce(connection, f"job_{number}")
    announce(connection, "running")
    if state:
        announce(connection, "jobs")
        announce(connection, "collectors")


def _notification(row: Row, error: str) -> Notification:
    text: Message = message(
        "Job %(job)s failed at attempt %(attempt)s: %(reason)s Resubmit or reject it on its page.",
        job=row["id"],
        attempt=row["attempt"],
        reason=error or "–",
    )
    # One notification for a run, and the number of the others with it: what fails one job may fail them all.
    return Notification(
        Severity.ERROR, message("Job %(job)s failed", job=row["id"]), text, key=f"job.failed.run.{row['run']}"
    )


# What the attempts came to --------------------------------------------------------------------------


LOST_ANSWERS = 10  # attempts that ended before they began, for one that failed

_attempts = job_attempt.c


@dataclass(frozen=True)
class Tried:
    end: str
    begun: bool
    objects: int  # that the job had when the attempt ended


def failures_of(connection: Connection, number: int) -> int:
    """Attempts in a row that came to nothing."""
    asked = sa.select(_attempts.end, _attempts.started_at.is_not(None), _attempts.objects).where(
        _attempts.job == number
    )
    return in_vain(Tried(*row) for row in connection.execute(asked.order_by(_attempts.attempt)))


def in_vain(tried: Iterable[Tried]) -> int:
    """Failures since the last attempt that got further than all before it.

    One taken over before it began may be no more than an answer that got lost; but a job at which its
    collector dies each time looks the same, so that many of them count as one failure.
    """
    failed, lost, furthest = 0, 0, 0
    for one in tried:
        if one.begun and one.objects > furthest:
            failed, lost, furthest = 0, 0, one.objects
        if one.end in (AttemptEnd.EXPIRED, AttemptEnd.FAILED):
            failed += 1
        elif one.end == AttemptEnd.TAKEN_OVER and not one.begun:
            lost += 1
    return failed + lost // LOST_ANSWERS


def may_come_back(connection: Connection, row: Row) -> bool:
    """Whether the collector that this job was taken from has begun it, and may still speak with us."""
    fresh = job_attempt.alias("fresh")
    first = sa.select(sa.func.max(fresh.c.attempt)).where(fresh.c.job == row["id"], ~fresh.c.resumed)
    begun = sa.exists().where(
        _attempts.job == row["id"],
        _attempts.collector == row["collector"],
        _attempts.attempt >= first.scalar_subquery(),  # later ones went on in the folder of this one
        _attempts.started_at.is_not(None),
    )
    valid = sa.exists().where(collector.c.id == row["collector"], collector.c.revoked_at.is_(None))
    return bool(connection.scalar(sa.select(sa.and_(begun, valid))))
