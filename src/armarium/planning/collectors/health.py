"""What is heard of collectors, and what is held against them.

They stand among the processes of the system page, though they have no database: the server enters them. One
that fails many jobs in a row is stopped: a broken machine must not fail a whole harvest, job by job.
"""

from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind, Machine
from armarium.core.message import message
from armarium.core.text import storable
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.collectors import queries
from armarium.planning.collectors.model import SILENCE, TOPIC, Collector, subject
from armarium.processes import service as processes
from armarium.processes.model import MISSED, Introduction, ProcessState, Pulse, storable_message

log = structlog.get_logger(__name__)

KIND = "collector"
NO_PID = 0  # it is not told, and would mean nothing here
#: The process table calls a process silent after a few of these: at the moment when our own page does.
INTERVAL: timedelta = SILENCE / MISSED


def enter(connection: Connection, collector: Collector, machine: Machine) -> None:
    """Note that a collector was heard of, with what it does."""
    where = storable(machine.machine) or collector.name
    introduction = Introduction(
        KIND, collector.name, where, NO_PID, storable(machine.version), interval=INTERVAL
    )
    processes.hear(connection, introduction, pulse_of(collector, machine))


def leave(connection: Connection, collector: Collector) -> None:
    processes.part(connection, KIND, collector.name, "Revoked.")


def pulse_of(collector: Collector, machine: Machine) -> Pulse:
    slots = min(collector.slots, machine.slots)
    said = f"{len(machine.jobs)} of {slots} {'slot' if slots == 1 else 'slots'} busy."
    return Pulse(
        # One that was told to take nothing new may go away: nobody need be told.
        ProcessState.RUNNING if collector.active else ProcessState.DRAINING,
        storable_message(" ".join(filter(None, (said, machine.trouble)))),
        disk_free=machine.free_bytes,
        disk_total=machine.total_bytes,
    )


# Failures -------------------------------------------------------------------------------------------


MOST_FAILURES = 5  # different jobs in a row


@dataclass(frozen=True)
class FailureCount:
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
        before = queries.collectors.by_id(connection, collector.id, lock=True)
        if before is None or not before.active:
            return
        queries.collectors.update(connection, collector.id, active=False)
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
        "%(name)s failed %(count)s jobs in a row and gets no new jobs. Check the machine and the errors of "
        "these jobs, then start it again on its page.",
        name=collector.name,
        count=failures,
    )
    title = message("Collector %(name)s was stopped", name=collector.name)
    return Notification(Severity.ERROR, title, text, key=f"collector.stopped.{collector.id}")
