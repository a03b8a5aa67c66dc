"""SQL of how the replicas are, and of the history of checks."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.stretches import Beginning, stretch
from armarium.storage.audits.model import RECENT, Age, Health, Run
from armarium.storage.figures import Pace, pace
from armarium.storage.files.checking import AUDITED
from armarium.storage.history import CHECK, Check, Event, as_checks
from armarium.storage.model import DAMAGED, AuditKind, CheckOutcome, RepairState, ReplicaState, RunState
from armarium.storage.tables import (
    audit_run,
    file_check,
    file_copy,
    repair,
    replica,
    storage_event,
    stored_file,
)

YEAR = timedelta(days=365)
STEPS = (30, 90, 180, 365)  # days since the last check, up to so many
NOT_WELL = file_check.c.outcome.in_([CheckOutcome.MISSING, CheckOutcome.CORRUPT, CheckOutcome.UNREADABLE])


def health(connection: Connection, now: datetime) -> list[Health]:
    """All replicas in use, in the order of their names."""
    copies = {row["replica"]: row for row in connection.execute(_copies(now)).mappings()}
    runs = {(row.replica, row.kind): row.ended_at for row in connection.execute(_last_runs())}
    repairs = {row.replica: row for row in connection.execute(_repairs(now - YEAR))}
    asked = sa.select(replica).where(replica.c.state != ReplicaState.RETIRED).order_by(replica.c.name)
    return [
        _health(row, copies.get(row.id, {}), runs, repairs.get(row.id)) for row in connection.execute(asked)
    ]


def _copies(now: datetime) -> "sa.Select[Any]":
    size, checked = stored_file.c.size, file_copy.c.checked_at
    counted = [
        sa.func.count().label("files"),
        _sum(size).label("bytes"),
        sa.func.count().filter(file_copy.c.state.in_(sorted(DAMAGED))).label("damaged"),
        sa.func.min(checked).label("oldest_check"),
        sa.func.count().filter(checked.is_(None)).label("never_files"),
        _sum(size, checked.is_(None)).label("never_bytes"),
        _sum(size, checked > now - RECENT).label("recent"),
    ]
    for days in STEPS:
        within = checked > now - timedelta(days=days)
        counted += [_sum(size, within).label(f"bytes_{days}")]
        counted += [sa.func.count().filter(within).label(f"files_{days}")]
    return (
        sa.select(file_copy.c.replica, *counted)
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .where(file_copy.c.state.in_(sorted(AUDITED | DAMAGED)))
        .group_by(file_copy.c.replica)
    )


def _sum(column: Any, where: "sa.ColumnElement[bool] | None" = None) -> Any:
    total = sa.func.sum(column)
    return sa.func.coalesce(total if where is None else total.filter(where), 0)


def _last_runs() -> "sa.Select[Any]":
    """The last runs over everything that went through."""
    whole = sa.or_(audit_run.c.kind == AuditKind.PRESENCE, audit_run.c.older_than.is_(None))
    ended = sa.func.max(audit_run.c.ended_at).label("ended_at")
    return (
        sa.select(audit_run.c.replica, audit_run.c.kind, ended)
        .where(audit_run.c.state == RunState.FINISHED, whole)
        .group_by(audit_run.c.replica, audit_run.c.kind)
    )


def _repairs(since: datetime) -> "sa.Select[Any]":
    done = sa.func.count().filter(repair.c.state == RepairState.DONE).label("done")
    found = sa.func.count().filter(repair.c.state != RepairState.VOID).label("found")
    asked = sa.select(repair.c.replica, found, done).where(repair.c.proposed_at > since)
    return asked.group_by(repair.c.replica)


def _health(row: Any, copies: Mapping[Any, Any], runs: Mapping[Any, Any], repairs: Any) -> Health:
    return Health(
        replica=row.id,
        name=row.name,
        kind=row.kind,
        state=row.state,
        away_since=row.away_since,
        trouble=row.trouble,
        audit_days=row.audit_days,
        files=copies.get("files", 0),
        bytes=int(copies.get("bytes", 0)),
        damaged=copies.get("damaged", 0),
        oldest_check=copies.get("oldest_check"),
        never_checked=copies.get("never_files", 0),
        checked_recently=int(copies.get("recent", 0)),
        last_presence=runs.get((row.id, AuditKind.PRESENCE)),
        last_checksum=runs.get((row.id, AuditKind.CHECKSUM)),
        damages_of_year=repairs.found if repairs else 0,
        repaired_of_year=repairs.done if repairs else 0,
        ages=_ages(copies) if copies else (),
    )


def _ages(copies: Mapping[Any, Any]) -> tuple[Age, ...]:
    """What was last read within each step; then longer ago; then never."""
    ages, bytes_before, files_before = [], 0, 0
    for days in STEPS:
        within, files = int(copies[f"bytes_{days}"]), copies[f"files_{days}"]
        ages.append(Age(days, within - bytes_before, files - files_before))
        bytes_before, files_before = within, files
    never = Age(None, int(copies["never_bytes"]), copies["never_files"], never=True)
    older = Age(
        None,
        int(copies["bytes"]) - bytes_before - never.bytes,
        copies["files"] - files_before - never.files,
    )
    return (*ages, older, never)


# History


def damages(
    connection: Connection, run: Run, *, limit: int, offset: Beginning = 0
) -> tuple[list[Check], int]:
    """What an audit found that was not well."""
    where = (file_check.c.audit == run.id, NOT_WELL)
    found = stretch(connection, CHECK.where(*where), [file_check.c.id], limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(file_check).where(*where)) or 0
    return as_checks(found), total


def speed(connection: Connection, run: Run) -> Pace:
    """Bytes that an audit read, a second."""
    asked = sa.select(file_check.c.at, file_check.c.size.label("amount")).where(file_check.c.audit == run.id)
    return pace(connection, asked.order_by(file_check.c.id.desc()))


def strangers(connection: Connection, run: Run, *, limit: int) -> list[Event]:
    """Objects in a replica that the register does not know, as a run found them."""
    mine = storage_event.c.details["audit"].as_integer() == run.id
    asked = sa.select(storage_event).where(storage_event.c.replica == run.replica, mine)
    rows = connection.execute(asked.order_by(storage_event.c.id).limit(limit)).mappings()
    return [Event(**row) for row in rows]
