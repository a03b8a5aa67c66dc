"""An audit at work: copies are looked at, and what was found is written down every second."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage.audits import queries
from armarium.storage.audits.model import Run
from armarium.storage.files import checking
from armarium.storage.files.checking import DAMAGE, CopyChecker, Finding, Subject
from armarium.storage.model import CheckOutcome
from armarium.storage.repairs.queries import propose
from armarium.tasks.failure import TaskStopped
from armarium.tasks.service import Tasks

TOPIC = "audits"
SECONDS = 1.0  # of findings that a kill may cost; they are found again
MOST = 500  # findings in one transaction
BATCH = 500
IN_A_ROW = 20  # copies that cannot be read before the disk is suspected
SLICE = 60.0  # seconds after which a run goes back into the queue: files that came in need the worker more
ASKED_EVERY = 2.0  # seconds between two looks whether somebody cancelled the run
FIGURES = {
    CheckOutcome.OK: "ok",
    CheckOutcome.MISSING: "missing",
    CheckOutcome.CORRUPT: "corrupt",
    CheckOutcome.UNREADABLE: "corrupt",
}


class Cancelled(Exception):  # noqa: N818  (reads as what happened)
    """Somebody cancelled the run while it was at work."""


class Unwell(Exception):  # noqa: N818  (reads as what happened)
    """So many copies in a row cannot be read that the disk is bad, and not the copies: nothing was judged."""


class Runner:
    """One run in one process, for as long as its task runs."""

    def __init__(
        self,
        database: Database,
        tasks: Tasks,
        notifier: Notifier,
        run: Run,
        checker: CopyChecker,
        stopping: Callable[[], bool],
    ) -> None:
        self.database = database
        self.run = run
        self.checker = checker
        self._tasks = tasks
        self._notifier = notifier
        self._stopping = stopping
        self._findings: list[Finding] = []
        self._began = self._written_at = self._asked_at = time.monotonic()
        self._cancelled = False
        self.passed_over: set[int] = set()  # copies that were changed while they were looked at
        self._suspects: list[Finding] = []  # unreadable, one after the other: is it the copies, or the disk?

    def check_all(self) -> None:
        """Every copy that is due, the one whose last check is the longest ago first."""
        older_than = self.run.older_than or self.run.asked_at
        try:
            for subject in self._oldest(older_than):
                self._found(self.checker.checksum(subject, self.stopping))
                self.stop_if_asked()
                self._make_way()
            self._release()
        except TaskStopped:  # also from within a file that was being read
            if self._cancelled:
                raise Cancelled from None
            raise
        finally:
            self.write()
        self.stop_if_asked(now=True)

    def _oldest(self, older_than: datetime) -> Iterator[Subject]:
        """No cursor is needed: what was checked is not the oldest any more."""
        while True:
            self.write()
            with self.database.transaction() as connection:
                besides = self.passed_over | {one.subject.file for one in self._suspects}
                found = queries.oldest(connection, self.run.replica, older_than, besides, BATCH)
            if not found:
                return
            yield from found

    def stopping(self) -> bool:
        """Whether to stop, asked while bytes are read: the process ends, or somebody cancelled."""
        if time.monotonic() - self._asked_at > ASKED_EVERY:
            self._asked_at = time.monotonic()
            with self.database.transaction() as connection:
                self._cancelled = not queries.is_at_work(connection, self.run.id)
        return self._cancelled or self._stopping()

    def stop_if_asked(self, *, now: bool = False) -> None:
        if now:
            self._asked_at = 0.0
        stopped = self.stopping()
        if self._cancelled:
            raise Cancelled
        if stopped and not now:
            raise TaskStopped

    def _make_way(self) -> None:
        """Between two files, never within one: at a low rate a large file takes longer than a slice."""
        if time.monotonic() - self._began > SLICE:
            raise TaskStopped

    def _found(self, finding: Finding) -> None:
        if finding.outcome is CheckOutcome.UNREADABLE:
            self._suspects.append(finding)
            if len(self._suspects) >= IN_A_ROW:
                raise Unwell(IN_A_ROW)
            return
        self._release()
        self._findings.append(finding)
        if len(self._findings) >= MOST or time.monotonic() - self._written_at > SECONDS:
            self.write()

    def _release(self) -> None:
        """Others can be read: so those that could not are damaged, and not the disk."""
        self._findings += self._suspects
        self._suspects = []

    def write(self, cursor: str = "") -> None:
        """What was found since the last time, in one transaction: history, states, repairs, progress."""
        findings, self._findings = self._findings, []
        self._written_at = time.monotonic()
        if not findings:
            return
        with self.database.transaction() as connection:
            figures = self._note(connection, findings)
            queries.count(connection, self.run.id, clock.now(), figures, cursor)
            announce(connection, TOPIC)

    def _note(self, connection: Connection, findings: list[Finding]) -> dict[str, int]:
        figures: Counter[str] = Counter()
        # In one order, so that two writers never wait for each other in a circle.
        for finding in sorted(findings, key=lambda one: one.subject.file):
            figures.update(files=1, bytes=finding.size)
            if not checking.note_finding(connection, self.run.replica, finding, self.run.id):
                self.passed_over.add(finding.subject.file)
                continue
            figures[FIGURES[finding.outcome]] += 1
            if finding.outcome in DAMAGE:
                propose(connection, self._tasks, finding.subject.file, self.run.replica, finding.outcome)
        if figures["missing"] or figures["corrupt"]:
            self._tell(connection)
        return dict(figures)

    def note_one(self, connection: Connection, finding: Finding) -> str:
        """A finding of a presence check; which figure it counts in."""
        if not checking.note_finding(connection, self.run.replica, finding, self.run.id):
            return "files"
        if finding.outcome in DAMAGE:
            propose(connection, self._tasks, finding.subject.file, self.run.replica, finding.outcome)
            self._tell(connection)
        return FIGURES[finding.outcome]

    def _tell(self, connection: Connection) -> None:
        about = Notification(
            Severity.WARNING,
            message("An audit found damage in replica %(name)s", name=self.run.replica_name),
            message(
                "Audit %(number)s of replica %(name)s found missing or damaged copies. Repairs are "
                "proposed; see /storage/audits/%(number)s.",
                number=self.run.id,
                name=self.run.replica_name,
            ),
            key=f"audit-damage:{self.run.id}",
        )
        if not self._notifier.is_quiet(connection, about.key):
            self._notifier.notify(connection, about)


def unwell(run: Run) -> Notification:
    return Notification(
        Severity.ERROR,
        message("Replica %(name)s is mostly unreadable", name=run.replica_name),
        message(
            "Audit %(number)s of replica %(name)s was stopped: %(count)s copies in a row could not "
            "be read, so its disk or the connection to it is failing. None of them was marked as "
            "damaged. Check the disk, then start the audit again.",
            number=run.id,
            name=run.replica_name,
            count=IN_A_ROW,
        ),
        key=f"replica-unwell:{run.replica}",
    )
