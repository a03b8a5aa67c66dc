"""Carry a repair out: ask all replicas, vote afresh, and if the votes are clear make the copy anew.

Killed anywhere it goes on: every step looks at what is there before it does anything.
"""

import structlog
from sqlalchemy import Connection

from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage import history
from armarium.storage.backends.place import Away, Different, Facts, Missing, Place, Stopping, Unreadable
from armarium.storage.files import checking
from armarium.storage.files import queries as files_queries
from armarium.storage.files.checking import CopyChecker, Finding
from armarium.storage.files.copies import Copies, NoGoodCopy
from armarium.storage.files.model import Successor
from armarium.storage.history import SHORT_OUTCOMES, EventKind
from armarium.storage.model import CheckOutcome, File, Origin, RepairState, Replica, ReplicaState
from armarium.storage.repairs import queries, transitions
from armarium.storage.repairs.model import Repair
from armarium.storage.repairs.queries import REPLICAS_AT_REST
from armarium.storage.repairs.transitions import Case, Next, Settled
from armarium.storage.repairs.votes import Answers, ask, subject_of, weighed
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import StorageSettings
from armarium.tasks.failure import TaskFailed
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

FOLDER = "repairs"  # in the data folder: a file on its way from a good replica to one being repaired


class Execution:
    def __init__(
        self,
        database: Database,
        replicas: Replicas,
        successor: Successor,
        tasks: Tasks,
        settings: StorageSettings,
        notifier: Notifier,
    ) -> None:
        self._database = database
        self._replicas = replicas
        self._copies = Copies(database, replicas, tasks)
        self._successor = successor
        self._tasks = tasks
        self._settings = settings
        self._notifier = notifier

    def carry_out(self, number: int, stopping: Stopping) -> RepairState:
        """Nothing is moved while a rebuild reads the replicas: what it did not meet would not have a vote."""
        with self._database.holding(REPLICAS_AT_REST, shared=True) as undisturbed:
            if undisturbed:
                return self._carry_out(number, stopping)
        return self._state(number)  # the sweep goes on

    def _carry_out(self, number: int, stopping: Stopping) -> RepairState:
        with self._database.transaction() as connection:
            repair = queries.one(connection, number)
            if repair is None or not repair.open:
                return repair.state if repair else RepairState.VOID
            if repair.decided_by and repair.state is RepairState.PROPOSED:
                return repair.state  # one person has decided, and another has to approve
            file = files_queries.one(connection, repair.file)
            copies = files_queries.copies(connection, repair.file)
            assert file is not None
            confirmed = transitions.register_votes(connection, file)
        copy = next(one for one in copies if one.replica.id == repair.replica)
        if copy.replica.state is not ReplicaState.ACTIVE:
            return self._not_now(repair, copy.replica)
        subject = subject_of(file, repair)
        answers = ask(subject, copies, self._replicas, stopping, rebuilt=file.origin is Origin.REBUILD)
        if not (confirmed and transitions.voted(file, answers, register_votes=True).clear):
            answers = weighed(file.name, answers, self._replicas, stopping)
        if not subject.sha256 and self._learns(repair, file, answers):
            return self._carry_out(number, stopping)  # now there is something to compare with
        settled = self._settle(Case(repair, file, subject, copy, answers))
        if settled.next is Next.AGAIN:
            raise TaskFailed(settled.why)
        if settled.next is Next.GO:
            finding = answers.of[repair.replica].finding
            assert finding is not None
            self._make_anew(number, copy.replica, finding, stopping)
        return self._state(number)

    def _learns(self, repair: Repair, file: File, answers: Answers) -> bool:
        with self._database.transaction() as connection:
            held = files_queries.one(connection, file.id, lock=True)
            assert held is not None, "files are never deleted"
            return bool(held.sha256) or transitions.learn(connection, repair, file, answers)

    def _settle(self, case: Case) -> Settled:
        with self._database.transaction() as connection:
            held = queries.one(connection, case.repair.id, lock=True)
            assert held is not None
            if held.state is not case.repair.state or held.good_sha256 != case.repair.good_sha256:
                # Somebody approved, refused or decided while the replicas were asked.
                raise TaskFailed(message("The repair was changed while the replicas were asked."))
            settled = transitions.settle(
                connection, self._tasks, self._successor, case, automatic=self._settings.automatic_repairs
            )
            if settled.next is Next.ASK:
                self._call(connection, case.repair, settled.why)
        return settled

    def _not_now(self, repair: Repair, replica: Replica) -> RepairState:
        why = message(
            "Replica %(name)s is %(state)s, so nothing is written to it. Activate it to have the "
            "copy repaired.",
            name=replica.name,
            state=replica.state.value,
        )
        with self._database.transaction() as connection:
            queries.save(connection, repair.id, error=str(why))
        return repair.state

    # Making the copy anew

    def _make_anew(self, number: int, replica: Replica, finding: Finding, stopping: Stopping) -> None:
        with self._database.transaction() as connection:
            repair = queries.one(connection, number)
            file = files_queries.one(connection, repair.file) if repair else None
        assert repair is not None
        assert file is not None
        try:
            place = self._replicas.place(replica)
            self._set_aside(repair, place, finding)
            self._put(repair, file, place, stopping)
            again = CopyChecker(place).checksum(finding.subject, stopping)
        except (Away, Different, Missing, Unreadable, NoGoodCopy, OSError) as error:
            if isinstance(error, Away):
                self._replicas.note_away(replica, error.message)
            self._fail(repair, str(error))
            raise TaskFailed(str(error)) from error
        self._read_back(repair, again)

    def _set_aside(self, repair: Repair, place: Place, finding: Finding) -> None:
        if finding.outcome is CheckOutcome.MISSING:
            if (
                repair.bad_sha256 and not repair.aside
            ):  # killed after it was moved and before that was written
                self._note_aside(
                    repair, f"aside/{repair.file_name}.{repair.bad_sha256[:16]}", found_again=True
                )
            return
        key = place.set_aside(repair.file_name, sha256=finding.sha256)
        self._note_aside(repair, key)

    def _note_aside(self, repair: Repair, key: str, *, found_again: bool = False) -> None:
        details = {"repair": repair.id, "key": key, "sha256": repair.bad_sha256}
        if found_again:
            details["interrupted"] = True
        with self._database.transaction() as connection:
            queries.save(connection, repair.id, aside=key)
            history.note(
                connection, EventKind.MOVED_ASIDE, file=repair.file, replica=repair.replica, details=details
            )

    def _put(self, repair: Repair, file: File, place: Place, stopping: Stopping) -> None:
        """From a good copy that is fetched and compared first: a bad one must not spread."""
        temporary = self._replicas.home / FOLDER / str(repair.id)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._copies.fetch(file, temporary, stopping)
            place.put(Facts(file.name, file.size, file.sha256), temporary, stopping=stopping)
        finally:
            temporary.unlink(missing_ok=True)

    def _read_back(self, repair: Repair, finding: Finding) -> None:
        with self._database.transaction() as connection:
            checking.write_finding(connection, repair.replica, finding)
            if finding.outcome is CheckOutcome.OK:
                transitions.end(connection, repair, RepairState.DONE, finding.sha256)
                return
        why = message(
            "%(name)s was written to replica %(replica)s but did not match when read back. Check the disk.",
            name=repair.file_name,
            replica=repair.replica_name,
        )
        self._fail(repair, str(why), finding.outcome)
        raise TaskFailed(why)

    def _fail(self, repair: Repair, why: str, found: CheckOutcome | None = None) -> None:
        with self._database.transaction() as connection:
            if found is not None:
                transitions.put_back(connection, repair, found)
            queries.save(connection, repair.id, state=RepairState.FAILED, error=why)
            details = {"repair": repair.id, "error": why}
            history.note(
                connection, EventKind.REPAIR_FAILED, file=repair.file, replica=repair.replica, details=details
            )

    def _state(self, number: int) -> RepairState:
        with self._database.transaction() as connection:
            repair = queries.one(connection, number)
        assert repair is not None
        return repair.state

    def _call(self, connection: Connection, repair: Repair, why: str) -> None:
        """A person is needed. Of many repairs at once people hear once, until the quiet time is over."""
        undecided = bool(why)
        subject = (
            message("A damaged file needs a decision")
            if undecided
            else message("A repair waits for approval")
        )
        text = message(
            "%(file)s in replica %(replica)s is %(reason)s. %(why)s See /storage/repairs/%(number)s; there "
            "may be more at /storage/repairs?state=waiting.",
            file=repair.file_name,
            replica=repair.replica_name,
            reason=SHORT_OUTCOMES[repair.reason][1],
            why=why,
            number=repair.id,
        )
        severity = Severity.ERROR if undecided else Severity.WARNING
        key = f"repairs-undecided:{repair.replica}" if undecided else "repairs-waiting"
        self._notifier.notify(connection, Notification(severity, subject, text, key=key))
