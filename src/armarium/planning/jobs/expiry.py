"""What becomes of a job when an attempt at it ends without a result."""

from dataclasses import dataclass

import structlog
from sqlalchemy import Connection

from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.jobs import lease_queries as queries
from armarium.planning.jobs.lease_queries import Row
from armarium.planning.model import AttemptEnd, JobState
from armarium.planning.settings import PlanningSettings

log = structlog.get_logger(__name__)

AT_ONCE = 100  # leases that one transaction ends
LONGEST_WAIT = 3600.0
SILENT = "Nothing was heard of the collector until its lease ended."


@dataclass(frozen=True)
class Fate:
    """Decides between another attempt and the end, and tells whoever has to know."""

    settings: PlanningSettings
    notifier: Notifier

    def expire_some(self, connection: Connection) -> int:
        """End leases that are over; how many. Called again until there are none."""
        found = queries.overdue(connection, AT_ONCE)
        for row in found:
            log.warning("lease ended", job=row["id"], attempt=row["attempt"], collector=row["collector"])
            queries.end_attempt(connection, row["id"], row["attempt"], AttemptEnd.EXPIRED, SILENT)
            self.try_again(connection, row, SILENT)
        return len(found)

    def try_again(self, connection: Connection, row: Row, error: str, *, wait: bool = False) -> JobState:
        """Back to those that wait; failed, if that has been tried often enough. The row is locked."""
        failures = queries.failures(connection, row["id"])
        if failures >= self.settings.max_attempts:
            self.fail(connection, row, error)
            return JobState.FAILED
        backing_off = self.settings.retry_seconds * 2.0 ** max(failures - 1, 0) if wait else 0.0
        queries.release(connection, row["id"], min(backing_off, LONGEST_WAIT))
        announce_job(connection, row["id"])
        return JobState.NEW

    def has_failed_often(self, connection: Connection, row: Row) -> bool:
        return queries.failures(connection, row["id"]) >= self.settings.max_attempts

    def fail(self, connection: Connection, row: Row, error: str) -> None:
        queries.abandon_parts(connection, row["id"])
        queries.finish(connection, row["id"], state=JobState.FAILED, error=error)
        self.tell(connection, row, error)

    def tell(self, connection: Connection, row: Row, error: str) -> None:
        log.error("job failed", job=row["id"], attempt=row["attempt"], reason=error)
        self.notifier.notify(connection, _notification(row, error))
        announce_job(connection, row["id"])


def announce_job(connection: Connection, number: int, *, state: bool = True) -> None:
    """`state`: the job changed its state, which lists show too."""
    announce(connection, f"job_{number}")
    announce(connection, "running")
    if state:
        announce(connection, "jobs")
        announce(connection, "collectors")


def _notification(row: Row, error: str) -> Notification:
    text: Message = message(
        "Job %(job)s failed at attempt %(attempt)s: %(reason)s Its page shows what happened; there it can be "
        "done again, or rejected.",
        job=row["id"],
        attempt=row["attempt"],
        reason=error or "–",
    )
    return Notification(
        Severity.ERROR, message("Job %(job)s failed", job=row["id"]), text, key=f"job.failed.{row['id']}"
    )
