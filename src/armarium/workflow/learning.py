"""Planning → selection: before a run a harvest is brought up to date; after a job its records learn of it."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy import Connection

from armarium.core.errors import DatabaseAway
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.selection.findings.service import Findings
from armarium.selection.transfer.model import Transfer, TransferKind
from armarium.selection.transfer.service import Transfers
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.service import Tasks
from armarium.workflow import transferring as queries

log = structlog.get_logger(__name__)

LEARN = "workflow.learn"  # the kind of task declared in `tasks.py`


@dataclass(frozen=True)
class BeforeRuns:
    """What planning calls before it makes the jobs of a run."""

    database: Database
    transfers: Transfers
    notifier: Notifier

    def before_run(self, harvest: int, run: int, stopping: Callable[[], bool]) -> None:
        try:
            done = self.transfers.before_run(harvest, run, stopping)
        except (TaskStopped, DatabaseAway):
            raise  # the run is begun again, with all that is due to it
        # Whatever is wrong with a transfer that nobody asked for, the harvest goes on.
        except Exception as error:  # outermost loop of this transfer
            log.exception("transfer before a run failed", harvest=harvest, run=run)
            self._tell(harvest, describe(error).error)
            return
        if done is not None and done.counts[TransferKind.FAILED]:
            self._tell_some(harvest, done)

    def _tell(self, harvest: int, reason: str) -> None:
        text = message(
            "Records of selection could not be handed to harvest %(harvest)s before its run: %(reason)s\n\n"
            "The run goes on with what the harvest had. Look at the transfer and run it by hand.",
            harvest=harvest,
            reason=reason,
        )
        self._notify(harvest, text)

    def _tell_some(self, harvest: int, done: Transfer) -> None:
        text = message(
            "Before a run of harvest %(harvest)s, transfer %(transfer)s failed for %(count)s records. Its "
            "page says why for each; the run goes on without them.",
            harvest=harvest,
            transfer=done.id,
            count=done.counts[TransferKind.FAILED],
        )
        self._notify(harvest, text)

    def _notify(self, harvest: int, text: Message) -> None:
        about = Notification(
            severity=Severity.WARNING,
            subject=message("The transfer before harvest %(harvest)s had trouble", harvest=harvest),
            text=text,
            key=f"selection.transfer-{harvest}",
        )
        with self.database.transaction() as connection:
            self.notifier.notify(connection, about)


@dataclass(frozen=True)
class AfterJobs:
    """What planning calls when a job has ended: its transaction must not wait for selection."""

    tasks: Tasks

    def ended(self, connection: Connection, job: int) -> None:
        self.tasks.defer(connection, LEARN, {"job": job})


@dataclass(frozen=True)
class Learning:
    """What the task does."""

    database: Database
    findings: Findings

    def learn(self, job: int) -> int:
        """How many records learned of the job; called twice, it tells the same."""
        with self.database.transaction() as connection:
            return self.findings.learn(connection, queries.results(connection, job))
