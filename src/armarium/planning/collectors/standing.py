"""What is held against a collector: a broken machine must not fail a whole harvest, job by job."""

from dataclasses import dataclass

import structlog
from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.collectors import queries
from armarium.planning.collectors.model import Collector
from armarium.planning.collectors.service import TOPIC, subject

log = structlog.get_logger(__name__)

MOST_FAILURES = 5  # different jobs in a row


@dataclass(frozen=True)
class Standing:
    database: Database
    notifier: Notifier

    def note(self, collector: Collector, job: int, kind: EndKind) -> None:
        """Count an end. After too many failures in a row the collector gets no new work."""
        if kind is EndKind.RETURNED:
            return
        with self.database.transaction() as connection:
            if kind is EndKind.DONE:
                queries.note_finished(connection, collector.id)
                return
            failed = queries.note_failed(connection, collector.id, job)
            if len(failed) >= MOST_FAILURES:
                self._stop(connection, collector, failed)

    def _stop(self, connection: Connection, collector: Collector, failed: list[int]) -> None:
        before = queries.one(connection, collector.id, lock=True)
        if before is None or not before.active:
            return
        queries.change(connection, collector.id, active=False)
        log.error("collector stopped: it failed too many jobs", collector=collector.name, jobs=failed)
        after = {**before.described(), "active": False, "jobs": failed}
        record(
            connection,
            SYSTEM,
            "collector.stopped",
            subject(before),
            before=before.described(),
            after=after,
        )
        self.notifier.notify(connection, _notification(before, len(failed)))
        announce(connection, TOPIC)


def _notification(collector: Collector, failures: int) -> Notification:
    text = message(
        "%(name)s failed %(count)s jobs in a row, and gets no new work. Look at the machine, and at the "
        "errors of these jobs; then let it work again on its page.",
        name=collector.name,
        count=failures,
    )
    title = message("Collector %(name)s was stopped", name=collector.name)
    return Notification(Severity.ERROR, title, text, key=f"collector.stopped.{collector.id}")
