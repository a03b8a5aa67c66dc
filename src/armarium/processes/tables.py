"""The table of processes and its SQL.

All times are those of the database: the clocks of the machines need not agree.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from armarium.db.schema import schema
from armarium.processes.model import MISSED, Introduction, Process, ProcessState, Pulse

process = sa.Table(
    "process",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("machine", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("started", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.Column("heartbeat", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    # Since when heartbeats have come without a gap: proof that the database was within reach all the time.
    sa.Column("steady_since", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.Column("interval", sa.Interval, nullable=False),
    sa.Column("message", sa.Text, nullable=False, server_default=""),
    sa.Column("monitoring", sa.Text),
    sa.Column("memory", sa.BigInteger),
    sa.Column("disk_free", sa.BigInteger),
    sa.Column("disk_total", sa.BigInteger),
    sa.Column("restarts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("silence_noticed", sa.DateTime(timezone=True)),
    sa.CheckConstraint("state IN ('starting', 'running', 'draining', 'ended')", name="state"),
    sa.Index(None, "machine", "name"),
)


def _patience_ends(table: sa.FromClause) -> sa.ColumnElement[datetime]:
    """The heartbeats before this time are too old, as `rules.is_silent` has it."""
    # SQLAlchemy does not know that PostgreSQL multiplies an interval.
    return sa.func.now() - table.c.interval.op("*", return_type=sa.Interval())(MISSED)


_overdue = process.c.heartbeat < _patience_ends(process)
_alive = process.c.state != ProcessState.ENDED


def insert(connection: Connection, introduction: Introduction) -> int:
    statement = (
        sa.insert(process)
        .values(
            kind=introduction.kind,
            name=introduction.name,
            machine=introduction.machine,
            pid=introduction.pid,
            version=introduction.version,
            state=ProcessState.STARTING,
            interval=introduction.interval,
            restarts=introduction.restarts,
            monitoring=introduction.monitoring,
        )
        .returning(process.c.id)
    )
    identity: int = connection.execute(statement).scalar_one()
    return identity


def namesakes(connection: Connection, machine: str, name: str) -> list[Process]:
    """Those with this name on this machine that have not said goodbye."""
    condition = (process.c.machine == machine) & (process.c.name == name) & _alive
    return [_read(row) for row in connection.execute(sa.select(process).where(condition))]


def only(connection: Connection, introduction: Introduction) -> int | None:
    """The one that has this name among all of its kind; others under the name are entered as ended."""
    told = introduction
    same = (process.c.machine == told.machine) & (process.c.version == told.version)
    asked = sa.select(process.c.id, same.label("same")).where(
        process.c.kind == told.kind, process.c.name == told.name, _alive
    )
    found = connection.execute(asked.order_by(process.c.id)).all()
    for row in found:
        if not row.same:
            set_ended(connection, row.id, "")
    return next((row.id for row in found if row.same), None)


def end_all(connection: Connection, kind: str, name: str, message: str) -> None:
    mine = (process.c.kind == kind) & (process.c.name == name) & _alive
    connection.execute(sa.update(process).where(mine).values(state=ProcessState.ENDED, message=message))


def set_pulse(connection: Connection, identity: int, pulse: Pulse) -> bool | None:
    """Write a heartbeat. Whether readers see another state now; None: the process is not known (any more)."""
    asked = sa.select(process.c.state, _overdue.label("silent")).where(process.c.id == identity)
    before = connection.execute(asked.with_for_update()).one_or_none()
    if before is None:
        return None
    connection.execute(
        sa.update(process)
        .where(process.c.id == identity)
        .values(
            heartbeat=sa.func.now(),
            steady_since=sa.case((_overdue, sa.func.now()), else_=process.c.steady_since),
            silence_noticed=None,
            state=pulse.state,
            message=pulse.message,
            memory=pulse.memory,
            disk_free=pulse.disk_free,
            disk_total=pulse.disk_total,
        )
    )
    return bool(before.silent or before.state != pulse.state)


def set_ended(connection: Connection, identity: int, message: str) -> None:
    connection.execute(
        sa.update(process).where(process.c.id == identity).values(state=ProcessState.ENDED, message=message)
    )


def every(connection: Connection) -> tuple[datetime, list[Process]]:
    """All processes, and the database's time at which they were read."""
    rows = connection.execute(sa.select(process)).all()
    return connection.execute(sa.select(sa.func.now())).scalar_one(), [_read(row) for row in rows]


def notice_silent(connection: Connection) -> list[Process]:
    """Mark the silent ones that nobody noticed yet; two that ask at once never get the same one.

    When the database or the only machine was away, every heartbeat is overdue, and nobody is to blame:
    so at least one process must have been heard of without a gap for as long as silence takes.
    """
    steady = process.alias("steady")
    witness = sa.exists().where(
        steady.c.state != ProcessState.ENDED,
        steady.c.heartbeat >= _patience_ends(steady),
        steady.c.steady_since < _patience_ends(steady),
    )
    statement = (
        sa.update(process)
        .where(_alive, _overdue, process.c.silence_noticed.is_(None), witness)
        .values(silence_noticed=sa.func.now())
        .returning(process)
    )
    return [_read(row) for row in connection.execute(statement)]


def delete_older(connection: Connection, age: timedelta) -> int:
    """Delete those not heard of for `age`, the silent ones too: nobody will hear of them again."""
    condition = (process.c.heartbeat < sa.func.now() - age) & (sa.not_(_alive) | _overdue)
    return connection.execute(sa.delete(process).where(condition)).rowcount


def _read(row: Row[Any]) -> Process:
    return Process(
        id=row.id,
        kind=row.kind,
        name=row.name,
        machine=row.machine,
        pid=row.pid,
        version=row.version,
        state=ProcessState(row.state),
        started=row.started,
        heartbeat=row.heartbeat,
        interval=row.interval,
        message=row.message,
        monitoring=row.monitoring,
        memory=row.memory,
        disk_free=row.disk_free,
        disk_total=row.disk_total,
        restarts=row.restarts,
    )
