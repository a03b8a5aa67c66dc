"""SQL of replicas."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.storage.model import (
    CopyState,
    Replica,
    ReplicaKind,
    ReplicaRole,
    ReplicaState,
)
from armarium.storage.replicas.model import Standing
from armarium.storage.tables import archive, file_copy, replica, storage_event, stored_file

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


def standings(connection: Connection, states: Sequence[ReplicaState] = tuple(ReplicaState)) -> list[Standing]:
    """Those in one of the states, in the order in which they are read."""
    asked = (
        sa.select(replica)
        .where(replica.c.state.in_([state.value for state in states]))
        .order_by(preferred(), replica.c.id)
    )
    return [_standing(row) for row in connection.execute(asked).mappings()]


def standing(connection: Connection, number: int, *, lock: bool = False) -> Standing | None:
    asked = sa.select(replica).where(replica.c.id == number)
    # Not the stronger FOR UPDATE: whoever notes a check or an event of this replica need not wait.
    row = connection.execute(asked.with_for_update(key_share=True) if lock else asked).mappings().first()
    return _standing(row) if row else None


def named(connection: Connection, name: str) -> Standing | None:
    row = connection.execute(sa.select(replica).where(replica.c.name == name)).mappings().first()
    return _standing(row) if row else None


def any_there(connection: Connection) -> bool:
    return bool(connection.scalar(sa.select(sa.exists().where(replica.c.id > 0))))


def secrets(connection: Connection, number: int) -> bytes | None:
    found: bytes | None = connection.scalar(sa.select(replica.c.secrets).where(replica.c.id == number))
    return found


def add(connection: Connection, values: Mapping[str, Any]) -> Standing:
    row = connection.execute(sa.insert(replica).values(**values).returning(*replica.c))
    return _standing(row.mappings().one())


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
    return Replica(
        id=row["id"],
        name=row["name"],
        kind=ReplicaKind(row["kind"]),
        role=ReplicaRole(row["role"]),
        state=ReplicaState(row["state"]),
        location=row["location"],
        options=dict(row["options"]),
        rate_bytes=row["rate_bytes"],
    )


def _standing(row: Mapping[Any, Any]) -> Standing:
    named = ("audit_days", "audit_rate_bytes", "edition", "created_at", "created_by", "away_since")
    seen = ("trouble", "asked_at", "free_bytes")
    values = {name: row[name] for name in (*named, *seen)}
    return Standing(replica=as_replica(row), has_secrets=row["secrets"] is not None, **values)
