"""Propose the repair of a copy, in the transaction in which its damage is written down."""

from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.announce import announce
from armarium.storage import history
from armarium.storage.history import EventKind
from armarium.storage.model import CheckOutcome, RepairState
from armarium.storage.repairs import queries
from armarium.storage.repairs.model import Ballot
from armarium.tasks.service import Tasks

REPAIR = "storage.repair"  # the kind of task declared in armarium.storage.repairs.service
TOPIC = "repairs"
#: Of PostgreSQL's advisory locks: repairs share it, a rebuild holds it alone.
REPLICAS_AT_REST = 0x61726D_52455354


def propose(
    connection: Connection,
    tasks: Tasks,
    file_id: int,
    replica_id: int,
    reason: CheckOutcome,
    *,
    again: bool = True,
) -> int:
    """The open repair of this copy, a new one if there is none.

    `again`: look once more at one that was there already. A repair that finds further damage does not ask for
    that: two repairs of one file would wake each other for ever.
    """
    values = {"file": file_id, "replica": replica_id, "reason": reason.value, "proposed_at": clock.now()}
    while (number := queries.add(connection, **values)) is None:
        there = queries.open_of(connection, file_id, replica_id)
        if there is None:
            continue  # it has ended in this moment
        if again:
            defer(connection, tasks, there, file_id)
        return there
    details = {"repair": number, "reason": reason.value}
    history.note(connection, EventKind.REPAIR_PROPOSED, file=file_id, replica=replica_id, details=details)
    defer(connection, tasks, number, file_id)
    announce(connection, TOPIC)
    return number


def submit(
    connection: Connection, file_id: int, replica_id: int, reason: CheckOutcome, ballot: Ballot, why: str
) -> None:
    """A repair on which the replicas of a rebuild have voted: it waits for a person, and no task is at it."""
    state = RepairState.UNDECIDED if why else RepairState.PROPOSED
    values = {"file": file_id, "replica": replica_id, "reason": reason.value, "proposed_at": clock.now()}
    number = queries.add(connection, **values, state=state, votes=ballot.facts(), error=why)
    details = {"repair": number, "reason": reason.value}
    history.note(connection, EventKind.REPAIR_PROPOSED, file=file_id, replica=replica_id, details=details)


def defer(connection: Connection, tasks: Tasks, number: int, file_id: int) -> None:
    """Repairs of one file run one after the other, and not while it is being stored."""
    lock = f"file:{file_id}"
    tasks.defer(connection, REPAIR, {"repair": number}, lock=lock, queueing_lock=f"repair:{number}")
