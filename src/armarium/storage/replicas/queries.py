"""SQL of replicas: what they are, what they hold, and what they still have to get or to be told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.entities import from_row
from armarium.storage.model import (
    DAMAGED,
    UNFINISHED,
    CopyState,
    FileState,
    Replica,
    ReplicaKind,
    ReplicaRole,
    ReplicaState,
)
from armarium.storage.replicas.model import Content, LastAudit, Part, ReplicaDetails
from armarium.storage.tables import (
    archive,
    audit_run,
    file_copy,
    replica,
    storage_event,
    stored_file,
    withdrawal_note,
)

#: Whoever makes copies for all active replicas shares it; whoever changes which are active holds it alone.
LOCK = 0x61726D_5245504C
IN_USE = replica.c.state != ReplicaState.RETIRED.value
WITH_BYTES = replica.c.kind != ReplicaKind.CHECKSUM.value
ROLES = [role.value for role in (ReplicaRole.PRIMARY, ReplicaRole.COPY, ReplicaRole.WITNESS)]


def share_replicas(connection: Connection) -> None:
    """Until the transaction ends, no replica is added, retired or taken back."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock_shared(LOCK)))


def hold_replicas(connection: Connection) -> None:
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))


def archive_id(connection: Connection) -> str:
    return str(connection.execute(sa.select(archive.c.id)).scalar_one())


def preferred(role: "sa.Column[Any]" = replica.c.role) -> "sa.ColumnElement[Any]":
    """Primaries first, witnesses last."""
    return sa.func.array_position(sa.cast(ROLES, sa.ARRAY(sa.Text)), role)


def all_details(
    connection: Connection, states: Sequence[ReplicaState] = tuple(ReplicaState)
) -> list[ReplicaDetails]:
    """Those in one of the states, in the order in which they are read."""
    asked = (
        sa.select(replica)
        .where(replica.c.state.in_([state.value for state in states]))
        .order_by(preferred(), replica.c.id)
    )
    return [_details(row) for row in connection.execute(asked).mappings()]


def details(connection: Connection, number: int, *, lock: bool = False) -> ReplicaDetails | None:
    asked = sa.select(replica).where(replica.c.id == number)
    # Not the stronger FOR UPDATE: whoever notes a check or an event of this replica need not wait.
    row = connection.execute(asked.with_for_update(key_share=True) if lock else asked).mappings().first()
    return _details(row) if row else None


def named(connection: Connection, name: str) -> ReplicaDetails | None:
    row = connection.execute(sa.select(replica).where(replica.c.name == name)).mappings().first()
    return _details(row) if row else None


def any_replica(connection: Connection) -> bool:
    return bool(connection.scalar(sa.select(sa.exists().where(replica.c.id > 0))))


def secrets(connection: Connection, number: int) -> bytes | None:
    found: bytes | None = connection.scalar(sa.select(replica.c.secrets).where(replica.c.id == number))
    return found


def add(connection: Connection, values: Mapping[str, Any]) -> ReplicaDetails:
    row = connection.execute(sa.insert(replica).values(**values).returning(*replica.c))
    return _details(row.mappings().one())


def change(connection: Connection, number: int, **values: object) -> None:
    changed = sa.update(replica).where(replica.c.id == number)
    connection.execute(changed.values(**values, edition=replica.c.edition + 1))


def note(connection: Connection, number: int, **values: object) -> None:
    """What was seen of it, which is no change of how it is set up."""
    connection.execute(sa.update(replica).where(replica.c.id == number).values(**values))


def only_here(connection: Connection, number: int, most: int) -> list[str]:
    """Names of files of which this replica has an accepted copy, and no other with bytes in use has."""
    other = file_copy.alias()
    elsewhere = (
        sa.select(sa.literal(1))
        .select_from(other.join(replica, replica.c.id == other.c.replica))
        .where(
            other.c.file == file_copy.c.file,
            other.c.replica != number,
            other.c.state == CopyState.ACCEPTED.value,
            IN_USE,
            WITH_BYTES,
        )
        .exists()
    )
    asked = (
        sa.select(stored_file.c.name)
        .join(file_copy, file_copy.c.file == stored_file.c.id)
        .where(
            file_copy.c.replica == number,
            file_copy.c.state == CopyState.ACCEPTED.value,
            ~elsewhere,
        )
        .limit(most)
    )
    return list(connection.scalars(asked))


def others_to_fill(connection: Connection, number: int) -> int:
    """How many other replicas take new files and keep their bytes."""
    active = replica.c.state == ReplicaState.ACTIVE.value
    asked = sa.select(sa.func.count()).select_from(replica).where(replica.c.id != number, active, WITH_BYTES)
    return connection.execute(asked).scalar_one()


def was_told_away(connection: Connection, number: int, since: datetime, kind: str) -> bool:
    told = sa.exists().where(
        storage_event.c.replica == number, storage_event.c.kind == kind, storage_event.c.at >= since
    )
    return bool(connection.scalar(sa.select(told)))


def as_replica(row: Mapping[Any, Any]) -> Replica:
    return from_row(Replica, row)


def _details(row: Mapping[Any, Any]) -> ReplicaDetails:
    named = ("audit_days", "audit_rate_bytes", "edition", "created_at", "created_by", "away_since")
    seen = ("trouble", "asked_at", "free_bytes")
    values = {name: row[name] for name in (*named, *seen)}
    return ReplicaDetails(replica=as_replica(row), has_secrets=row["secrets"] is not None, **values)


def any_file(connection: Connection) -> bool:
    return bool(connection.scalar(sa.select(sa.exists().where(stored_file.c.id > 0))))


# Copies that a new replica still has to get


def ask_to_fill(connection: Connection, place: int) -> None:
    """Copies of all files that are known now. The caller holds the replicas: nobody registers meanwhile."""
    last = sa.select(sa.func.coalesce(sa.func.max(stored_file.c.id), 0)).scalar_subquery()
    connection.execute(sa.update(replica).where(replica.c.id == place).values(filled_to=0, fill_to=last))


def unfilled(connection: Connection) -> int | None:
    """A replica that is not filled, locked; those at which somebody else is are left to them."""
    active = replica.c.state == ReplicaState.ACTIVE.value
    asked = sa.select(replica.c.id).where(active, replica.c.filled_to < replica.c.fill_to)
    number: int | None = connection.scalar(
        asked.order_by(replica.c.id).limit(1).with_for_update(skip_locked=True, key_share=True)
    )
    return number


def fill_range(connection: Connection, place: int, length: int, now: datetime) -> None:
    """The next range of files."""
    mine = replica.c.id == place
    begin, last = connection.execute(sa.select(replica.c.filled_to, replica.c.fill_to).where(mine)).one()
    end = min(begin + length, last)
    wanted = sa.select(
        stored_file.c.id, sa.literal(place), sa.literal(CopyState.WAITING.value), sa.literal(now)
    ).where(stored_file.c.id > begin, stored_file.c.id <= end)
    added = insert(file_copy).from_select(["file", "replica", "state", "changed_at"], wanted)
    connection.execute(added.on_conflict_do_nothing())
    connection.execute(sa.update(replica).where(mine).values(filled_to=end))


# Withdrawn files of which replicas have to be told


@dataclass(frozen=True)
class OwedNote:
    file: int
    replica: int
    name: str
    times: int


def owe_notes(connection: Connection, file: int) -> None:
    """To all replicas in use."""
    _add_notes(connection, sa.select(sa.literal(file), replica.c.id, sa.literal(1)).where(IN_USE))


def owe_all_notes(connection: Connection, place: int) -> None:
    """To one replica, of all files that are withdrawn."""
    withdrawn = stored_file.c.state == sa.literal_column(f"'{FileState.WITHDRAWN.value}'")
    _add_notes(connection, sa.select(stored_file.c.id, sa.literal(place), sa.literal(1)).where(withdrawn))


def owed_notes(connection: Connection, file: int | None, most: int) -> list[OwedNote]:
    """By replicas that answer, as far as is known."""
    columns = (withdrawal_note.c.file, withdrawal_note.c.replica, stored_file.c.name, withdrawal_note.c.times)
    asked = (
        sa.select(*columns)
        .join(stored_file, stored_file.c.id == withdrawal_note.c.file)
        .join(replica, replica.c.id == withdrawal_note.c.replica)
        .where(IN_USE, replica.c.away_since.is_(None))
        .order_by(withdrawal_note.c.file)
        .limit(most)
    )
    if file is not None:
        asked = asked.where(withdrawal_note.c.file == file)
    return [OwedNote(*row) for row in connection.execute(asked)]


def settle_note(connection: Connection, one: OwedNote) -> None:
    """It was told; unless it changed meanwhile, and has to be told again."""
    note = withdrawal_note.c
    mine = sa.and_(note.file == one.file, note.replica == one.replica, note.times == one.times)
    connection.execute(sa.delete(withdrawal_note).where(mine))


def _add_notes(connection: Connection, wanted: "sa.Select[tuple[int, int, int]]") -> None:
    added = insert(withdrawal_note).from_select(["file", "replica", "times"], wanted)
    again = {"times": withdrawal_note.c.times + 1}
    connection.execute(added.on_conflict_do_update(index_elements=["file", "replica"], set_=again))


# What pages show


PARTS: dict[str, list[str]] = {
    "accepted": [CopyState.ACCEPTED.value],
    "unfinished": sorted(state.value for state in UNFINISHED),
    "damaged": sorted(state.value for state in DAMAGED),
}


def counted_contents(connection: Connection) -> dict[int, Content]:
    """What lies in each replica, and what should, by files and bytes."""
    state, size = file_copy.c.state, sa.func.sum(stored_file.c.size)
    counted = [
        figure
        for states in PARTS.values()
        for figure in (
            sa.func.count().filter(state.in_(states)),
            sa.func.coalesce(size.filter(state.in_(states)), 0),
        )
    ]
    asked = (
        sa.select(file_copy.c.replica, *counted)
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .group_by(file_copy.c.replica)
    )
    found = {}
    for number, *figures in connection.execute(asked):
        parts = [Part(int(figures[at]), int(figures[at + 1])) for at in range(0, len(figures), 2)]
        found[number] = Content(parts[0], parts[1], parts[2])
    return found


def bytes_by_month(connection: Connection) -> dict[int, dict[str, int]]:
    """What each replica holds, by the month in which its files were stored: 2026-11."""
    stored = sa.func.timezone("UTC", stored_file.c.stored_at)
    month = sa.func.to_char(stored, "YYYY-MM").label("month")
    asked = (
        sa.select(file_copy.c.replica, month, sa.func.sum(stored_file.c.size))
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .where(file_copy.c.state == CopyState.ACCEPTED.value, stored_file.c.stored_at.is_not(None))
        .group_by(file_copy.c.replica, month)
    )
    found: dict[int, dict[str, int]] = {}
    for number, name, size in connection.execute(asked):
        found.setdefault(number, {})[name] = int(size)
    return found


def last_audits(connection: Connection) -> dict[int, list[LastAudit]]:
    """Of each replica the last audit of each kind; they are few."""
    last = sa.select(sa.func.max(audit_run.c.id)).group_by(audit_run.c.replica, audit_run.c.kind)
    asked = sa.select(audit_run).where(audit_run.c.id.in_(last))
    found: dict[int, list[LastAudit]] = {}
    for row in connection.execute(asked):
        damages = row.missing + row.corrupt
        one = LastAudit(row.id, row.kind, row.state, row.ended_at, damages)
        found.setdefault(row.replica, []).append(one)
    return found
