"""SQL of files that arrive."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.collecting import FileOffered
from armarium.planning.collectors.tables import arrival
from armarium.planning.jobs.lease_queries import NOW, fence
from armarium.planning.jobs.tables import job
from armarium.planning.model import ArrivalState


@dataclass(frozen=True)
class Arrival:
    id: int
    job: int
    attempt: int
    name: str
    size: int
    sha256: str
    received: int
    state: ArrivalState


COLUMNS = (
    arrival.c.id,
    arrival.c.job,
    arrival.c.attempt,
    arrival.c.name,
    arrival.c.size,
    arrival.c.sha256,
    arrival.c.received,
    arrival.c.state,
)


def offered(connection: Connection, number: int, collector: int, file: FileOffered) -> Arrival:
    """The arrival of this name, made if there is none; locked."""
    facts = {"job": number, "attempt": file.attempt, "collector": collector, **_facts(file)}
    made = insert(arrival).values(**facts, state=ArrivalState.RECEIVING, begun_at=NOW)
    connection.execute(made.on_conflict_do_nothing(index_elements=["name"]))
    asked = sa.select(*COLUMNS).where(arrival.c.name == file.name).with_for_update()
    return _arrival(connection.execute(asked).mappings().one())


def take_over(
    connection: Connection, number: int, collector: int, file: FileOffered, *, received: int
) -> None:
    """A later attempt goes on with what an earlier one sent, or begins anew with another content."""
    facts = {"attempt": file.attempt, "collector": collector, **_facts(file), "received": received}
    changed = sa.update(arrival).where(arrival.c.id == number)
    connection.execute(changed.values(**facts, state=ArrivalState.RECEIVING))


def held(connection: Connection, number: int, attempt: int, collector: int, name: str) -> Arrival | None:
    """The arrival, locked, if the collector may send it now: it was offered, and the lease holds."""
    asked = (
        sa.select(*COLUMNS)
        .join(job, job.c.id == arrival.c.job)
        .where(fence(number, attempt, collector), arrival.c.name == name)
        .where(sa.or_(arrival.c.attempt == attempt, arrival.c.state == ArrivalState.STORED))
        .with_for_update(of=arrival)
    )
    found = connection.execute(asked).mappings().first()
    return _arrival(found) if found else None


def note_received(connection: Connection, number: int, received: int) -> None:
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(received=received))


def note_stored(connection: Connection, number: int) -> None:
    values = {"state": ArrivalState.STORED, "received": arrival.c.size, "stored_at": NOW}
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(**values))


def stored_names(connection: Connection, number: int) -> set[str]:
    """Of all attempts: what was stored stays stored."""
    stored = sa.and_(arrival.c.job == number, arrival.c.state == ArrivalState.STORED)
    return set(connection.scalars(sa.select(arrival.c.name).where(stored)))


def leave_others(connection: Connection, number: int, names: Iterable[str]) -> None:
    """The job has ended with these files; whatever else came is of an attempt that did not end it."""
    others = sa.and_(arrival.c.job == number, arrival.c.name.not_in(sorted(set(names))))
    left = sa.case((arrival.c.state == ArrivalState.STORED, ArrivalState.SPARE), else_=ArrivalState.ABANDONED)
    connection.execute(sa.update(arrival).where(others).values(state=left))


def is_expected(connection: Connection, number: int, name: str) -> bool:
    """Whether the rest of this file may still come."""
    mine = sa.and_(arrival.c.job == number, arrival.c.name == name)
    asked = sa.exists().where(mine, arrival.c.state == ArrivalState.RECEIVING)
    return bool(connection.scalar(sa.select(asked)))


def _facts(file: FileOffered) -> dict[str, object]:
    return {"name": file.name, "kind": file.kind, "size": file.size, "sha256": file.sha256}


def _arrival(row: Mapping[Any, Any]) -> Arrival:
    return Arrival(**{**row, "state": ArrivalState(row["state"])})
