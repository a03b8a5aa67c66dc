"""The verbs of audits: start, cancel, go on, look; and which are due."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from sqlalchemy import Connection

from armarium.audit.service import Subject as Entry
from armarium.audit.service import record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.notify.service import Notifier
from armarium.storage.audits import health_queries, queries
from armarium.storage.audits.model import Health, Run
from armarium.storage.audits.presence import PresenceCheck
from armarium.storage.audits.runner import TOPIC, Cancelled, Runner, Unwell, unwell
from armarium.storage.backends.place import Away, Stopping
from armarium.storage.backends.transfer import ByteRate
from armarium.storage.files import checking
from armarium.storage.files.checking import DAMAGE, CopyChecker
from armarium.storage.files.copies import CHECK
from armarium.storage.model import AuditKind, Replica, ReplicaState, RunState
from armarium.storage.repairs.queries import propose
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import StorageSettings
from armarium.tasks.context import TaskContext, never
from armarium.tasks.failure import TaskFailed
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

AUDIT = "storage.audit"  # the kind of task, declared below
PRESENCE_DAYS = timedelta(days=7)  # at most; a replica that is read more often is also listed more often
#: Of the time, the share that a page may spend on asking how all copies are.
SHARE = 0.05


class Audits:
    def __init__(
        self,
        database: Database,
        replicas: Replicas,
        tasks: Tasks,
        settings: StorageSettings,
        notifier: Notifier,
    ) -> None:
        self._database = database
        self._replicas = replicas
        self._tasks = tasks
        self._settings = settings
        self._notifier = notifier
        self._lock = Lock()
        self._health: tuple[float, list[Health]] = (0.0, [])

    # Reading

    page = reading(queries.page)
    at_work = reading(queries.at_work)
    damages = reading(health_queries.damages)
    strangers = reading(health_queries.strangers)
    speed = reading(health_queries.speed)

    def get(self, number: int) -> Run:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    def health(self) -> list[Health]:
        """How every replica in use is. In a large archive the answer is kept for a while: it costs time."""
        with self._lock:
            until, found = self._health
            if time.monotonic() < until:
                return found
        began = time.monotonic()
        with self._database.transaction() as connection:
            found = health_queries.health(connection, clock.now())
        ended = time.monotonic()
        with self._lock:
            taken = ended - began
            # What is quick is not kept: whoever has just pressed a button wants to see what it did.
            self._health = (ended + taken / SHARE if taken > 0.2 else 0.0, found)
        return found

    # By people, and by the calendar

    def start(
        self, actor: Actor, replica_id: int, kind: AuditKind, older_than: datetime | None = None
    ) -> int:
        """Ask for an audit. `older_than`: only copies whose last check was before; else all."""
        replica = self._replicas.get(replica_id)
        if replica.state is ReplicaState.RETIRED:
            raise Refused(message("%(name)s is retired and is no longer audited.", name=replica.name))
        with self._database.transaction() as connection:
            queries.one_at_a_time(connection, replica_id)
            if queries.open_run(connection, replica_id, kind) is not None:
                raise Refused(
                    message("An audit of this kind is already running for %(name)s.", name=replica.name),
                    field="replica",
                )
            return self._start(connection, actor, replica, kind, older_than)

    def _start(
        self,
        connection: Connection,
        actor: Actor,
        replica: Replica,
        kind: AuditKind,
        older_than: datetime | None,
    ) -> int:
        by = "" if actor == SYSTEM else actor.name
        facts = {"replica": replica.id, "kind": kind, "state": RunState.WAITING, "asked_by": by}
        number = queries.add_run(connection, **facts, asked_at=clock.now(), older_than=older_than)
        self._defer(connection, number, replica.id)
        told = {"replica": replica.name, "kind": kind.value}
        if older_than:
            told["older_than"] = older_than.isoformat()
        record(connection, actor, "audit.started", _entry(number, replica.name), after=told)
        announce(connection, TOPIC)
        return number

    def cancel(self, actor: Actor, number: int) -> Run:
        """What was found so far stays; the rest is left for another audit."""
        with self._database.transaction() as connection:
            run = _existing(connection, number)
            if not queries.save_run(connection, number, state=RunState.CANCELLED, ended_at=clock.now()):
                raise Refused(message("Audit %(number)s has already ended.", number=number))
            record(connection, actor, "audit.cancelled", _entry(number, run.replica_name))
            announce(connection, TOPIC)
            return _existing(connection, number)

    # By tasks

    def carry_on(self, number: int, stopping: Stopping = never) -> RunState:
        """Begin a run, or go on where it was interrupted."""
        run = self._begun(number)
        if not run.at_work:
            return run.state
        replica = self._replicas.get(run.replica)
        if replica.state is ReplicaState.RETIRED:
            self._save(number, state=RunState.CANCELLED, ended_at=clock.now())
            return RunState.CANCELLED
        try:
            self._go(run, replica, stopping)
        except Away as away:
            self._replicas.note_away(replica, away.message)
            self._save(number, state=RunState.WAITING, error=str(away))
            raise TaskFailed(away.message) from away
        except Cancelled:
            return self.get(number).state
        except Unwell:
            self._give_up(run)
            return RunState.FAILED
        self._save(number, state=RunState.FINISHED, ended_at=clock.now(), error="")
        return self.get(number).state

    def _give_up(self, run: Run) -> None:
        """A person looks at the disk; nothing is repaired by halves onto one that is dying."""
        with self._database.transaction() as connection:
            values = {"state": RunState.FAILED, "ended_at": clock.now()}
            queries.save_run(connection, run.id, **values, error=str(unwell(run).text))
            announce(connection, TOPIC)
            if not self._notifier.is_quiet(connection, unwell(run).key):
                self._notifier.notify(connection, unwell(run))

    def _begun(self, number: int) -> Run:
        with self._database.transaction() as connection:
            run = _existing(connection, number)
            if not run.at_work:
                return run
            values: dict[str, object] = {"state": RunState.RUNNING, "error": "", "heard_at": clock.now()}
            if run.started_at is None:
                due = (run.older_than or run.asked_at) if run.kind is AuditKind.CHECKSUM else None
                files, size = queries.totals(connection, run.replica, due)
                whole = {"files_total": files, "bytes_total": size if due else 0}
                values |= {"started_at": clock.now(), **whole}
            queries.save_run(connection, number, **values)
            announce(connection, TOPIC)
            return _existing(connection, number)

    def _go(self, run: Run, replica: Replica, stopping: Stopping) -> None:
        with self._database.transaction() as connection:
            rate = queries.audit_rate(connection, run.replica)
        place = self._replicas.place(replica)
        place.check()
        checker = CopyChecker(place, self._settings.audit_algorithm, ByteRate(rate) if rate else None)
        runner = Runner(self._database, self._tasks, self._notifier, run, checker, stopping)
        if run.kind is AuditKind.CHECKSUM:
            runner.check_all()
        else:
            assert run.started_at is not None
            PresenceCheck(runner, self._tasks, run.started_at).go()

    def check_one(self, file_id: int, replica_id: int, stopping: Stopping = never) -> None:
        """Read one copy, because somebody could not; damage is noted as in an audit."""
        with self._database.transaction() as connection:
            subject = queries.subject(connection, file_id, replica_id)
        if subject is None:
            return
        replica = self._replicas.get(replica_id)
        try:
            finding = CopyChecker(self._replicas.place(replica)).checksum(subject, stopping)
        except Away as away:
            self._replicas.note_away(replica, away.message)
            raise TaskFailed(away.message) from away
        with self._database.transaction() as connection:
            if checking.note_finding(connection, replica_id, finding) and finding.outcome in DAMAGE:
                propose(connection, self._tasks, file_id, replica_id, finding.outcome)

    def due(self, now: datetime | None = None) -> list[int]:
        """Start the audits that are due, and go on with those whose task is gone; the new ones."""
        moment = now or clock.now()
        self._wake()
        with self._database.transaction() as connection:
            in_use = queries.audited_replicas(connection)
        started = [number for one in in_use if (number := self._list_returned(one.id, one.returned_at))]
        for one in in_use:
            if not one.audit_days:
                continue
            replica = self._replicas.get(one.id)
            for kind, is_due in ((AuditKind.PRESENCE, self._lists), (AuditKind.CHECKSUM, self._reads)):
                number = self._start_if(is_due, moment, replica, kind, timedelta(days=one.audit_days))
                started += [number] if number else []
        return started

    def _list_returned(self, number: int, returned: datetime | None) -> int | None:
        """A replica that was out of use is listed: who knows what was done to it meanwhile."""
        with self._database.transaction() as connection:
            queries.one_at_a_time(connection, number)
            last = queries.last_asked(connection, number, AuditKind.PRESENCE)
            if returned is None or (last is not None and last >= returned):
                return None
            if queries.open_run(connection, number, AuditKind.PRESENCE) is not None:
                return None
            return self._start(connection, SYSTEM, self._replicas.get(number), AuditKind.PRESENCE, None)

    def _start_if(
        self,
        is_due: Callable[[Connection, Replica, datetime, timedelta], bool],
        now: datetime,
        replica: Replica,
        kind: AuditKind,
        every: timedelta,
    ) -> int | None:
        with self._database.transaction() as connection:
            queries.one_at_a_time(connection, replica.id)
            if queries.open_run(connection, replica.id, kind) is not None:
                return None
            if not is_due(connection, replica, now, every):
                return None
            older_than = now - every if kind is AuditKind.CHECKSUM else None
            return self._start(connection, SYSTEM, replica, kind, older_than)

    def _lists(self, connection: Connection, replica: Replica, now: datetime, every: timedelta) -> bool:
        last = queries.last_asked(connection, replica.id, AuditKind.PRESENCE)
        return last is None or last <= now - min(every, PRESENCE_DAYS)

    def _reads(self, connection: Connection, replica: Replica, now: datetime, every: timedelta) -> bool:
        last = queries.last_asked(connection, replica.id, AuditKind.CHECKSUM)
        if last is not None and last > now - timedelta(hours=self._settings.audit_hours):
            return False
        return queries.any_due(connection, replica.id, now - every)

    def _wake(self) -> None:
        with self._database.transaction() as connection:
            runs = {run.id: run for run in queries.at_work(connection)}
            alive = self._tasks.alive_by_argument(connection, AUDIT, "run", list(runs)) if runs else set()
            for number, run in runs.items():
                if number not in alive:
                    self._defer(connection, number, run.replica)

    def _defer(self, connection: Connection, number: int, replica: int) -> None:
        lock = f"audit:{replica}"
        self._tasks.defer(connection, AUDIT, {"run": number}, lock=lock, queueing_lock=f"{AUDIT}:{number}")

    def _save(self, number: int, **values: object) -> None:
        with self._database.transaction() as connection:
            queries.save_run(connection, number, **values)
            announce(connection, TOPIC)


def _existing(connection: Connection, number: int) -> Run:
    missing = message("There is no audit with the number %(number)s.", number=number)
    return existing(queries.one(connection, number), missing)


def _entry(number: int, replica: str) -> Entry:
    return Entry("storage audit", number, replica)


# Tasks


def audit(context: TaskContext, run: int) -> None:
    """Go on with an audit of a replica; if the replica is away, later."""
    context.service(Audits).carry_on(run, context.stopping)


def check(context: TaskContext, file: int, replica: int) -> None:
    """Read one copy, every byte, because reading it failed."""
    context.service(Audits).check_one(file, replica, context.stopping)


def due(context: TaskContext) -> None:
    """Start audits that are due, and wake those that were given up because their replica was away."""
    context.service(Audits).due()


TASKS = (
    # Below all else: an audit may wait for a while, a file that has just come in may not.
    TaskKind(AUDIT, audit, retry=Retry(attempts=5), priority=-10),
    TaskKind(CHECK, check, retry=Retry(attempts=10), priority=2),
    TaskKind("storage.audits", due, retry=NEVER_AGAIN, cron="7,37 * * * *"),
)
