"""SQL of files that arrive."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.collecting import FileOffered
from armarium.planning.leasing.queries import fence
from armarium.planning.model import LEASED, ArrivalState, JobState
from armarium.planning.tables.harvests import INDEX, LANDED, UNTAKEN, arrival
from armarium.planning.tables.jobs import NOW, job

LANDED_AGAIN = sa.text("interval '10 minutes'")  # after which the archive is asked about a file once more
RECEIVING: "sa.ColumnElement[str]" = sa.literal_column("'receiving'")  # as the index says it
ROOM_LOCK = 7_304_518_226_014  # of PostgreSQL's advisory locks: any number that nobody else uses


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
    kind: str

    @property
    def has_landed(self) -> bool:
        """All of it is here, or was."""
        return self.state in LANDED


COLUMNS = (
    arrival.c.id,
    arrival.c.job,
    arrival.c.attempt,
    arrival.c.name,
    arrival.c.size,
    arrival.c.sha256,
    arrival.c.received,
    arrival.c.state,
    arrival.c.kind,
)


def offered(connection: Connection, number: int, collector: int, file: FileOffered) -> Arrival:
    """The arrival of this name in this job, made if there is none; locked."""
    facts = {"job": number, "attempt": file.attempt, "collector": collector, **_facts(file)}
    made = insert(arrival).values(**facts, state=ArrivalState.RECEIVING, begun_at=NOW)
    connection.execute(made.on_conflict_do_nothing(index_elements=["job", "name"]))
    mine = sa.and_(arrival.c.job == number, arrival.c.name == file.name)
    asked = sa.select(*COLUMNS).where(mine).with_for_update()
    return _arrival(connection.execute(asked).mappings().one())


def known(connection: Connection, number: int, name: str) -> Arrival | None:
    asked = sa.select(*COLUMNS).where(arrival.c.job == number, arrival.c.name == name)
    found = connection.execute(asked).mappings().first()
    return _arrival(found) if found else None


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
        .where(sa.or_(arrival.c.attempt == attempt, arrival.c.state.in_(LANDED)))
        .with_for_update(of=arrival)
    )
    found = connection.execute(asked).mappings().first()
    return _arrival(found) if found else None


def note_received(connection: Connection, number: int, received: int) -> None:
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(received=received))


def note_landed(connection: Connection, number: int) -> None:
    values = {"state": ArrivalState.LANDED, "received": arrival.c.size}
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(**values))


def note_taken(connection: Connection, number: int) -> None:
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(taken_at=NOW))


def note_refused(connection: Connection, number: int, reason: str) -> None:
    connection.execute(sa.update(arrival).where(arrival.c.id == number).values(refusal=reason))


def want_again(connection: Connection, name: str, sha256: str) -> list[int]:
    """The jobs whose collectors have to send it once more. What landed of other jobs stays."""
    those = sa.and_(
        arrival.c.name == name, arrival.c.sha256 == sha256, arrival.c.state == ArrivalState.LANDED
    )
    changed = sa.update(arrival).where(those, arrival.c.kind != INDEX).returning(arrival.c.job)
    return list(connection.scalars(changed.values(state=ArrivalState.RECEIVING, received=0)))


def is_wanted(connection: Connection, name: str, sha256: str) -> bool:
    """Whether somebody may still send this content: of a job that has ended nothing is received."""
    those = sa.and_(arrival.c.name == name, arrival.c.sha256 == sha256, arrival.c.state == RECEIVING)
    return bool(connection.scalar(sa.select(sa.exists().where(those))))


def note_lost(connection: Connection, name: str, sha256: str) -> list[int]:
    """The jobs of which it was spare."""
    those = sa.and_(arrival.c.name == name, arrival.c.sha256 == sha256, arrival.c.state == ArrivalState.SPARE)
    changed = sa.update(arrival).where(those).returning(arrival.c.job)
    return list(connection.scalars(changed.values(state=ArrivalState.ABANDONED)))


def note_stored(connection: Connection, name: str, sha256: str) -> list[int]:
    """The jobs that brought the file. One that is spare stays so."""
    state = sa.case(
        (arrival.c.state == ArrivalState.LANDED, ArrivalState.STORED.value), else_=arrival.c.state
    )
    those = sa.and_(arrival.c.name == name, arrival.c.sha256 == sha256, arrival.c.kind != INDEX)
    those = sa.and_(those, arrival.c.state.in_([*LANDED, ArrivalState.SPARE]))
    changed = sa.update(arrival).where(those).returning(arrival.c.job)
    stored_at = sa.func.coalesce(arrival.c.stored_at, NOW)
    return list(connection.scalars(changed.values(state=state, stored_at=stored_at)))


def untaken(connection: Connection, *, after: int, most: int) -> list[Arrival]:
    """Files that the archive was not given, or took a while ago without a word since."""
    waits = sa.or_(arrival.c.taken_at.is_(None), arrival.c.taken_at < NOW - LANDED_AGAIN)
    asked = sa.select(*COLUMNS).where(UNTAKEN, waits, arrival.c.id > after).order_by(arrival.c.id).limit(most)
    return [_arrival(row) for row in connection.execute(asked).mappings()]


def harvest_of(connection: Connection, number: int) -> int:
    """Of a job."""
    return int(connection.execute(sa.select(job.c.harvest).where(job.c.id == number)).scalar_one())


def expected_bytes(connection: Connection) -> int:
    """Of all files that are on their way: what has still to come.

    Those who ask wait for each other until the end of their transactions: two offers must not both count on
    the same room.
    """
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ROOM_LOCK)))
    going_on = job.c.state.in_([JobState.NEW, *sorted(LEASED)])
    asked = sa.select(sa.func.sum(arrival.c.size - arrival.c.received)).join(job, job.c.id == arrival.c.job)
    return int(connection.scalar(asked.where(arrival.c.state == RECEIVING, going_on)) or 0)


def is_expected(connection: Connection, number: int, name: str) -> bool:
    """Whether the rest of this file may still come."""
    mine = sa.and_(arrival.c.job == number, arrival.c.name == name)
    asked = sa.exists().where(mine, arrival.c.state == ArrivalState.RECEIVING)
    return bool(connection.scalar(sa.select(asked)))


def _facts(file: FileOffered) -> dict[str, object]:
    return {"name": file.name, "kind": file.kind, "size": file.size, "sha256": file.sha256}


def _arrival(row: Mapping[Any, Any]) -> Arrival:
    return Arrival(**{**row, "state": ArrivalState(row["state"])})
