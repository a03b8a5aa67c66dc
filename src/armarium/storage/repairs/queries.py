"""SQL of repairs and their approvals."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.db.announce import announce
from armarium.db.stretches import Beginning, stretch
from armarium.storage import history
from armarium.storage.history import Event, EventKind
from armarium.storage.model import UNFINISHED, CheckOutcome, Origin, RepairState
from armarium.storage.repairs.model import OPEN, Approval, Ballot, Repair, RepairFilter
from armarium.storage.replicas.queries import IN_USE
from armarium.storage.tables import file_copy, repair, repair_approval, replica, storage_event, stored_file
from armarium.tasks.service import Tasks

IS_OPEN = repair.c.state.in_(sorted(OPEN))
#: As the index `repair_open_key` is declared; PostgreSQL compares the words.
ONE_OPEN = sa.text("state IN ('proposed', 'approved', 'running', 'undecided', 'failed')")
SELECTED = (
    sa.select(*repair.c, stored_file.c.name.label("file_name"), replica.c.name.label("replica_name"))
    .join(stored_file, stored_file.c.id == repair.c.file)
    .join(replica, replica.c.id == repair.c.replica)
)
WAITING = sa.or_(
    repair.c.state == RepairState.UNDECIDED,
    # One that nobody has asked the replicas about yet does not wait for people.
    sa.and_(repair.c.state == RepairState.PROPOSED, repair.c.votes != sa.text("'{}'::jsonb")),
)


def add(connection: Connection, **values: object) -> int | None:
    """None: there is an open one of this copy."""
    made = insert(repair).values(**{"state": RepairState.PROPOSED, **values})
    asked = made.on_conflict_do_nothing(index_elements=["file", "replica"], index_where=ONE_OPEN)
    number: int | None = connection.scalar(asked.returning(repair.c.id))
    return number


def open_of(connection: Connection, file_id: int, replica_id: int) -> int | None:
    asked = sa.select(repair.c.id).where(repair.c.file == file_id, repair.c.replica == replica_id, IS_OPEN)
    return connection.scalar(asked)


def one(connection: Connection, number: int, *, lock: bool = False) -> Repair | None:
    asked = SELECTED.where(repair.c.id == number)
    if lock:
        asked = asked.with_for_update(of=repair)
    return next(iter(_repairs(connection, connection.execute(asked))), None)


def page(
    connection: Connection, wanted: RepairFilter, *, limit: int, offset: Beginning = 0
) -> tuple[list[Repair], int]:
    where = list(_conditions(wanted))
    found = stretch(connection, SELECTED.where(*where), [repair.c.id.desc()], limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(repair).where(*where)) or 0
    return _repairs(connection, found), total


def _conditions(wanted: RepairFilter) -> Iterable[sa.ColumnElement[bool]]:
    if wanted.state:
        yield repair.c.state == wanted.state
    if wanted.replica:
        yield repair.c.replica == wanted.replica
    if wanted.file:
        yield repair.c.file == wanted.file
    if wanted.waiting:
        yield WAITING
    if wanted.until is not None:
        yield repair.c.id <= wanted.until
    if wanted.numbers:
        yield repair.c.id.in_(wanted.numbers)


def undecided_of(connection: Connection, file_id: int) -> list[Repair]:
    """Locked, in one order: two people may decide about the same file."""
    undecided = repair.c.state == RepairState.UNDECIDED
    asked = SELECTED.where(repair.c.file == file_id, undecided).order_by(repair.c.id)
    return _repairs(connection, connection.execute(asked.with_for_update(of=repair)))


def proposed_of(connection: Connection, file_id: int) -> list[int]:
    proposed = repair.c.state == RepairState.PROPOSED
    return list(connection.scalars(sa.select(repair.c.id).where(repair.c.file == file_id, proposed)))


def going_on(connection: Connection, states: Iterable[RepairState], most: int) -> list[int]:
    """Repairs for which there should be a task: those at work, and those not yet looked at."""
    new = sa.and_(repair.c.state == RepairState.PROPOSED, repair.c.votes == sa.text("'{}'::jsonb"))
    asked = sa.select(repair.c.id).where(sa.or_(repair.c.state.in_(sorted(states)), new))
    return list(connection.scalars(asked.order_by(repair.c.id).limit(most)))


def to_vote_again(connection: Connection, most: int, number: int | None = None) -> list[int]:
    """Undecided repairs of which a replica that answers now did not vote: it was away, retired or unknown."""
    outcome = repair.c.votes["replicas"][replica.c.name]["outcome"].as_string()
    silent = sa.func.coalesce(outcome, CheckOutcome.AWAY.value) == CheckOutcome.AWAY.value
    # As those who ask have it: copies on their way say nothing, unless the file was rebuilt.
    speaks = sa.or_(file_copy.c.state.not_in(sorted(UNFINISHED)), stored_file.c.origin == Origin.REBUILD)
    newly = (
        sa.select(sa.literal(1))
        .select_from(file_copy.join(replica, replica.c.id == file_copy.c.replica))
        .where(file_copy.c.file == repair.c.file, IN_USE, replica.c.away_since.is_(None), speaks, silent)
        .correlate(repair, stored_file)
    )
    joined = repair.join(stored_file, stored_file.c.id == repair.c.file)
    undecided = repair.c.state == RepairState.UNDECIDED
    asked = sa.select(repair.c.id).select_from(joined).where(undecided, newly.exists())
    if number is not None:
        asked = asked.where(repair.c.id == number)
    return list(connection.scalars(asked.order_by(repair.c.id).limit(most)))


def save(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(repair).where(repair.c.id == number).values(**values))


def add_approval(connection: Connection, number: int, account: int, name: str, at: datetime) -> bool:
    """False: this account has approved it already."""
    made = insert(repair_approval).values(repair=number, account=account, name=name, at=at)
    added = made.on_conflict_do_nothing().returning(repair_approval.c.account)
    return connection.scalar(added) is not None


def forget_approvals(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(repair_approval).where(repair_approval.c.repair == number))


def was_noted(connection: Connection, file_id: int, kind: str, details: Mapping[str, Any]) -> bool:
    """Whether such an event of this file was ever written, with these details."""
    event = sa.and_(storage_event.c.kind == kind, storage_event.c.details.contains(dict(details)))
    return bool(connection.scalar(sa.select(sa.exists().where(storage_event.c.file == file_id, event))))


def events_of(connection: Connection, one: Repair, most: int = 100) -> list[Event]:
    """Those that name the repair, or a decision about its file, newest first."""
    named = storage_event.c.details["repair"].as_integer() == one.id
    of_file = sa.and_(storage_event.c.replica.is_(None), storage_event.c.details.has_key("repair"))
    asked = sa.select(storage_event).where(storage_event.c.file == one.file, sa.or_(named, of_file))
    rows = connection.execute(asked.order_by(storage_event.c.id.desc()).limit(most)).mappings()
    return [Event(**row) for row in rows]


def _repairs(connection: Connection, found: "sa.Result[Any]") -> list[Repair]:
    rows = list(found.mappings())
    approvals = _approvals(connection, [row["id"] for row in rows])
    return [_repair(row, approvals.get(row["id"], [])) for row in rows]


def _approvals(connection: Connection, numbers: list[int]) -> dict[int, list[Approval]]:
    found: dict[int, list[Approval]] = {}
    asked = sa.select(repair_approval).where(repair_approval.c.repair.in_(numbers))
    for row in connection.execute(asked.order_by(repair_approval.c.at)):
        found.setdefault(row.repair, []).append(Approval(row.account, row.name, row.at))
    return found


def _repair(row: Mapping[Any, Any], approvals: list[Approval]) -> Repair:
    facts = {name: value for name, value in row.items() if name != "votes"}
    words = {"state": RepairState(row["state"]), "reason": CheckOutcome(row["reason"])}
    return Repair(**{**facts, **words}, ballot=Ballot.read(row["votes"]), approvals=tuple(approvals))


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
    while (number := add(connection, **values)) is None:
        there = open_of(connection, file_id, replica_id)
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
    number = add(connection, **values, state=state, votes=ballot.facts(), error=why)
    details = {"repair": number, "reason": reason.value}
    history.note(connection, EventKind.REPAIR_PROPOSED, file=file_id, replica=replica_id, details=details)


def defer(connection: Connection, tasks: Tasks, number: int, file_id: int) -> None:
    """Repairs of one file run one after the other, and not while it is being stored."""
    lock = f"file:{file_id}"
    tasks.defer(connection, REPAIR, {"repair": number}, lock=lock, queueing_lock=f"repair:{number}")
