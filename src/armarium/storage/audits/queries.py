"""SQL of audits: runs, the copies they look at, and what they found."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.entities import from_row
from armarium.db.stretches import Beginning, stretch
from armarium.storage.audits.model import AT_WORK, Run
from armarium.storage.files.checking import AUDITED, Subject
from armarium.storage.model import AuditKind, RunState
from armarium.storage.tables import audit_run, file_copy, replica, stored_file

RUN = sa.select(*audit_run.c, replica.c.name.label("replica_name")).join(
    replica, replica.c.id == audit_run.c.replica
)
SUBJECT = sa.select(
    stored_file.c.id.label("file"),
    stored_file.c.name,
    stored_file.c.size,
    stored_file.c.sha256,
    stored_file.c.blake3,
).join(file_copy, file_copy.c.file == stored_file.c.id)
LOOKED_AT = file_copy.c.state.in_(sorted(AUDITED))
OPEN = audit_run.c.state.in_(sorted(AT_WORK))


# Runs


def add_run(connection: Connection, **values: object) -> int:
    made = sa.insert(audit_run).values(**values).returning(audit_run.c.id)
    number: int = connection.execute(made).scalar_one()
    return number


def one(connection: Connection, number: int) -> Run | None:
    row = connection.execute(RUN.where(audit_run.c.id == number)).mappings().first()
    return _run(row) if row else None


def page(
    connection: Connection,
    *,
    state: RunState | None = None,
    replica: int | None = None,
    limit: int,
    offset: Beginning = 0,
) -> tuple[list[Run], int]:
    where = [
        *([audit_run.c.state == state] if state else []),
        *([audit_run.c.replica == replica] if replica else []),
    ]
    found = stretch(connection, RUN.where(*where), [audit_run.c.id.desc()], limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(audit_run).where(*where)) or 0
    return [_run(row) for row in found.mappings()], total


def at_work(connection: Connection) -> list[Run]:
    return [_run(row) for row in connection.execute(RUN.where(OPEN).order_by(audit_run.c.id)).mappings()]


def one_at_a_time(connection: Connection, replica_id: int) -> None:
    """Two who start an audit of the same replica do so one after the other."""
    key = sa.func.hashtextextended(f"audit:{replica_id}", 0)
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


def open_run(connection: Connection, replica_id: int, kind: AuditKind) -> int | None:
    asked = sa.select(audit_run.c.id).where(audit_run.c.replica == replica_id, audit_run.c.kind == kind, OPEN)
    return connection.scalar(asked)


def last_asked(connection: Connection, replica_id: int, kind: AuditKind) -> datetime | None:
    """When the last one was asked for that nobody has cancelled."""
    counted = audit_run.c.state != RunState.CANCELLED
    asked = sa.select(sa.func.max(audit_run.c.asked_at)).where(
        audit_run.c.replica == replica_id, audit_run.c.kind == kind, counted
    )
    moment: datetime | None = connection.scalar(asked)
    return moment


def save_run(connection: Connection, number: int, **values: object) -> bool:
    """False: it is not at work any more, somebody cancelled it."""
    asked = sa.update(audit_run).where(audit_run.c.id == number, OPEN).values(**values)
    return connection.execute(asked).rowcount == 1


def count(connection: Connection, number: int, at: datetime, figures: Mapping[str, int], cursor: str) -> bool:
    """Add to what a run has found; it counts also if the run was cancelled meanwhile."""
    added = {name: audit_run.c[name] + figure for name, figure in figures.items()}
    asked = sa.update(audit_run).where(audit_run.c.id == number)
    state = connection.execute(
        asked.values(**added, heard_at=at, cursor=cursor).returning(audit_run.c.state)
    ).scalar_one()
    return state in AT_WORK


def is_at_work(connection: Connection, number: int) -> bool:
    return connection.scalar(sa.select(audit_run.c.id).where(audit_run.c.id == number, OPEN)) is not None


# Replicas, as far as audits want to know


def audited_replicas(connection: Connection) -> Sequence[Any]:
    asked = sa.select(replica.c.id, replica.c.name, replica.c.audit_days, replica.c.returned_at)
    return connection.execute(asked.where(replica.c.state != "retired").order_by(replica.c.id)).all()


def audit_rate(connection: Connection, replica_id: int) -> int:
    return connection.scalar(sa.select(replica.c.audit_rate_bytes).where(replica.c.id == replica_id)) or 0


# Copies


def subject(connection: Connection, file_id: int, replica_id: int) -> Subject | None:
    asked = SUBJECT.where(file_copy.c.file == file_id, file_copy.c.replica == replica_id, LOOKED_AT)
    row = connection.execute(asked).mappings().first()
    return Subject(**row) if row else None


def oldest(
    connection: Connection, replica_id: int, older_than: datetime, besides: Collection[int], limit: int
) -> list[Subject]:
    """Those whose last check is the longest ago, and before that moment; never checked ones first."""
    asked = (
        SUBJECT.where(*_due(replica_id, older_than))
        .where(file_copy.c.file.not_in(sorted(besides)))
        .order_by(file_copy.c.checked_at.asc().nulls_first(), file_copy.c.file)
        .limit(limit)
    )
    return [Subject(**row) for row in connection.execute(asked).mappings()]


def totals(connection: Connection, replica_id: int, older_than: datetime | None) -> tuple[int, int]:
    """Files and bytes that a run has before it."""
    where = _due(replica_id, older_than) if older_than else [file_copy.c.replica == replica_id, LOOKED_AT]
    asked = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(stored_file.c.size), 0))
    joined = asked.select_from(file_copy).join(stored_file, stored_file.c.id == file_copy.c.file)
    files, total = connection.execute(joined.where(*where)).one()
    return int(files), int(total)


def any_due(connection: Connection, replica_id: int, older_than: datetime) -> bool:
    asked = sa.select(file_copy.c.file).where(*_due(replica_id, older_than)).limit(1)
    return connection.scalar(asked) is not None


def _due(replica_id: int, older_than: datetime) -> list[sa.ColumnElement[bool]]:
    checked = file_copy.c.checked_at
    return [file_copy.c.replica == replica_id, LOOKED_AT, sa.or_(checked.is_(None), checked < older_than)]


# Presence: names in batches


def known_copies(connection: Connection, replica_id: int, names: Collection[str]) -> dict[str, Any]:
    """Of these names, the files that the register knows, with the state of their copy here (or None)."""
    here = sa.and_(file_copy.c.file == stored_file.c.id, file_copy.c.replica == replica_id)
    asked = (
        sa.select(
            stored_file.c.id,
            stored_file.c.name,
            stored_file.c.size,
            stored_file.c.sha256,
            stored_file.c.blake3,
            file_copy.c.state,
        )
        .outerjoin(file_copy, here)
        .where(stored_file.c.name.in_(sorted(names)))
    )
    return {row.name: row for row in connection.execute(asked)}


def note_present(connection: Connection, run: Run, files: Collection[int], at: datetime) -> None:
    """Copies that are there with their size. The run and this moment say it: a row of history for each, every
    week, would soon be most of the database."""
    if files:
        here = sa.and_(file_copy.c.replica == run.replica, file_copy.c.file.in_(sorted(files)))
        connection.execute(sa.update(file_copy).where(here).values(seen_at=at))


def unseen(connection: Connection, run: Run, since: datetime, after: int, limit: int) -> list[Subject]:
    """Copies that should have been in a listing that began then, and were not."""
    seen = file_copy.c.seen_at
    asked = (
        SUBJECT.where(file_copy.c.replica == run.replica, LOOKED_AT, file_copy.c.file > after)
        .where(sa.or_(seen.is_(None), seen < since), file_copy.c.changed_at < since)
        .order_by(file_copy.c.file)
        .limit(limit)
    )
    return [Subject(**row) for row in connection.execute(asked).mappings()]


def _run(row: Mapping[Any, Any]) -> Run:
    return from_row(Run, row)
