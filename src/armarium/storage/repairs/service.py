"""The verbs of repairs: propose, approve, refuse, decide, carry out."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.notify.service import Notifier
from armarium.storage import history
from armarium.storage.backends.place import Stopping
from armarium.storage.files import queries as files_queries
from armarium.storage.files.model import Successor
from armarium.storage.history import EventKind
from armarium.storage.model import CheckOutcome, CopyState, RepairState, ReplicaState
from armarium.storage.repairs import queries, transitions
from armarium.storage.repairs.execution import Execution
from armarium.storage.repairs.model import AT_WORK, Repair, choices
from armarium.storage.repairs.queries import REPAIR, TOPIC
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import StorageSettings
from armarium.tasks.context import TaskContext, never
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

MOST_SWEPT = 1000
LONGEST_REASON = 2000


def subject(repair: Repair) -> Subject:
    return Subject("repair", repair.id, f"{repair.file_name} · {repair.replica_name}")


class Repairs:
    def __init__(
        self,
        database: Database,
        replicas: Replicas,
        successor: Successor,
        tasks: Tasks,
        settings: StorageSettings,
        notifier: Notifier,
    ) -> None:
        self.settings = settings
        self._database = database
        self._tasks = tasks
        self._execution = Execution(database, replicas, successor, tasks, settings, notifier)

    # Reading

    page = reading(queries.page)
    history = reading(queries.events_of)

    def get(self, number: int) -> Repair:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    def retired_holders(self, repair: Repair) -> list[str]:
        """Replicas out of use whose copy was well when they were retired: they can be taken back."""
        with self._database.transaction() as connection:
            copies = files_queries.copies(connection, repair.file)
        return [
            copy.replica.name
            for copy in copies
            if copy.replica.state is ReplicaState.RETIRED
            and copy.state is CopyState.ACCEPTED
            and holds_bytes(copy.replica)
        ]

    # By audits and by the store

    def propose(
        self, connection: Connection, file_id: int, replica_id: int, reason: CheckOutcome | str
    ) -> int:
        """The open repair of this copy; a new one if there is none."""
        return queries.propose(connection, self._tasks, file_id, replica_id, CheckOutcome(reason))

    # By people

    def approve(self, actor: Actor, number: int, seen_at: datetime | None = None) -> Repair:
        """Let a repair be carried out; where two people are asked for, the second one does.

        `seen_at`: when they saw the votes. What was answered since is not what they approve.
        """
        with self._database.transaction() as connection:
            repair = _existing(connection, number, lock=True)
            if repair.state is not RepairState.PROPOSED:
                raise _not_in_state(repair)
            if repair.ballot is None:
                raise Refused(
                    message(
                        "The replicas have not voted on repair %(number)s yet. Open it again in a moment.",
                        number=number,
                    )
                )
            _refuse_unseen(repair, seen_at)
            self._approve(connection, actor, repair)
            record(connection, actor, "repair.approved", subject(repair), after=_told(repair))
            return _existing(connection, number)

    def decide(
        self, actor: Actor, number: int, sha256: str, why: str, seen_at: datetime | None = None
    ) -> Repair:
        """Say what the file is, where the votes do not. It holds for every copy that waits for it."""
        reason = _reason(why)
        self._refuse_old_votes(number)
        with self._database.transaction() as connection:
            repair = _existing(connection, number, lock=True)
            if repair.state is not RepairState.UNDECIDED:
                raise _not_in_state(repair)
            _refuse_unseen(repair, seen_at)
            if sha256 not in dict(choices(repair)):
                raise Refused(
                    message("No replica has a copy with this checksum. Choose one of those that were found."),
                    field="sha256",
                )
            details = {"repair": number, "sha256": sha256, "reason": reason}
            history.note(connection, EventKind.DECIDED, file=repair.file, actor=actor.name, details=details)
            for one in queries.undecided_of(connection, repair.file):
                decided = {"good_sha256": sha256, "decided_by": actor.name, "attempts": 0, "error": ""}
                queries.save(connection, one.id, state=RepairState.PROPOSED, **decided)
                self._approve(connection, actor, one)
            told = {"sha256": sha256, "reason": reason}
            record(connection, actor, "repair.decided", subject(repair), after=told)
            return _existing(connection, number)

    def _refuse_old_votes(self, number: int) -> None:
        """A person must not decide what a replica that is back could have told them."""
        with self._database.transaction() as connection:
            old = queries.to_vote_again(connection, 1, number)
            if old:
                queries.defer(connection, self._tasks, number, _existing(connection, number).file)
        if old:
            raise Refused(
                message(
                    "A replica that had not voted is available now, so all of them are asked again. Open "
                    "repair %(number)s again in a moment.",
                    number=number,
                )
            )

    def refuse(self, actor: Actor, number: int, why: str) -> Repair:
        """Leave the copy as it is. The next audit that finds it will propose its repair again."""
        reason = _reason(why)
        with self._database.transaction() as connection:
            repair = _existing(connection, number, lock=True)
            if not repair.open or repair.state is RepairState.RUNNING:
                raise _not_in_state(repair)
            transitions.put_back(
                connection, repair, CheckOutcome.MISSING if repair.aside else CheckOutcome.CORRUPT
            )
            queries.save(connection, number, state=RepairState.REFUSED, ended_at=clock.now(), error=reason)
            details = {"repair": number, "reason": reason}
            history.note(
                connection,
                EventKind.REPAIR_REFUSED,
                file=repair.file,
                replica=repair.replica,
                actor=actor.name,
                details=details,
            )
            record(connection, actor, "repair.refused", subject(repair), after={"reason": reason})
            announce(connection, TOPIC)
            return _existing(connection, number)

    def _approve(self, connection: Connection, actor: Actor, repair: Repair) -> None:
        needed = self.settings.repair_approvals
        if actor.account is None:
            if needed > 1:
                raise Refused(
                    message(
                        "Two people must approve, each with their own account, on the page of the repair."
                    )
                )
        elif not queries.add_approval(connection, repair.id, actor.account, actor.name, clock.now()):
            raise Refused(
                message("You have already approved this repair. Another person must approve it too.")
            )
        known = _existing(connection, repair.id)
        details: dict[str, Any] = {"repair": repair.id, "approvals": len(known.approvals), "needed": needed}
        about = {"file": repair.file, "replica": repair.replica}
        history.note(connection, EventKind.REPAIR_APPROVED, **about, actor=actor.name, details=details)
        if actor.account is None or len(known.approvals) >= needed:
            self._let_go(connection, actor, known)
        announce(connection, TOPIC)

    def _let_go(self, connection: Connection, actor: Actor, repair: Repair) -> None:
        """To the content that was seen, and no other. After a rebuild this confirms the register."""
        right = repair.good_sha256 or (repair.ballot.verdict.winner if repair.ballot else "")
        queries.save(connection, repair.id, state=RepairState.APPROVED, good_sha256=right)
        queries.defer(connection, self._tasks, repair.id, repair.file)
        file = files_queries.one(connection, repair.file)
        assert file is not None, "files are never deleted"
        if right == file.sha256 and transitions.confirm(connection, file, repair.id, actor.name):
            for number in queries.proposed_of(connection, file.id):
                queries.defer(connection, self._tasks, number, file.id)

    # By tasks

    def carry_out(self, number: int, stopping: Stopping = never) -> RepairState:
        """Ask every replica, vote, and make the copy anew if the votes are clear and it is allowed."""
        return self._execution.carry_out(number, stopping)

    def sweep(self) -> int:
        """Begin the tasks of repairs anew that should go on by themselves and have none; how many.

        So should undecided ones when a replica can be asked that did not vote.
        """
        with self._database.transaction() as connection:
            waiting = queries.going_on(connection, AT_WORK, MOST_SWEPT)
            waiting += queries.to_vote_again(connection, MOST_SWEPT)
            alive = self._tasks.alive_by_argument(connection, REPAIR, "repair", waiting) if waiting else set()
            lost = [number for number in waiting if number not in alive]
            for number in lost:
                queries.defer(connection, self._tasks, number, _existing(connection, number).file)
        return len(lost)


def _existing(connection: Connection, number: int, *, lock: bool = False) -> Repair:
    missing = message("There is no repair with the number %(number)s.", number=number)
    return existing(queries.one(connection, number, lock=lock), missing)


def _reason(why: str) -> str:
    reason = why.strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise Refused(message("Enter a reason."), field="why")
    return reason


def _not_in_state(repair: Repair) -> Refused:
    return Refused(
        message(
            "This cannot be done to repair %(number)s now: it is %(state)s. Reload the page.",
            number=repair.id,
            state=repair.state.value,
        )
    )


def _refuse_unseen(repair: Repair, seen_at: datetime | None) -> None:
    voted_at = repair.ballot.at if repair.ballot else None
    if seen_at is not None and voted_at is not None and voted_at > seen_at:
        raise Refused(
            message(
                "The replicas have voted on repair %(number)s again since you opened it. Check the "
                "votes, then decide.",
                number=repair.id,
            )
        )


def _told(repair: Repair) -> dict[str, object]:
    return {"sha256": repair.good_sha256} if repair.good_sha256 else {}


# Tasks


def repair(context: TaskContext, repair: int) -> None:
    """Ask all replicas about a damaged copy, and make it anew if the votes are clear."""
    context.service(Repairs).carry_out(repair, context.stopping)


def sweep(context: TaskContext) -> None:
    """Go on with repairs that were given up for a while, because a replica was away."""
    context.service(Repairs).sweep()


TASKS = (
    TaskKind(REPAIR, repair, retry=Retry(attempts=5), priority=3),
    TaskKind("storage.repairs", sweep, retry=NEVER_AGAIN, cron="17,47 * * * *"),
)
