"""SQL of what storage says on the overview. All of it reads little, however many files there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.stretches import MOST, by_period, count_up_to
from armarium.storage.intake.model import NOT_TAKEN
from armarium.storage.model import DAMAGED, RepairState, ReplicaKind, ReplicaState, RunState
from armarium.storage.repairs.queries import WAITING
from armarium.storage.tables import (
    accession,
    accession_line,
    audit_run,
    batch,
    file_copy,
    repair,
    repair_approval,
    replica,
    stored_file,
    watched_folder,
)

LATEST = 50  # audits, batches and accessions that are looked through: they are few, and have no index
LISTED = 5  # of each kind of thing
UNDER_WAY = (RunState.WAITING.value, RunState.RUNNING.value)
STORING = sa.text("stored_file.state = 'storing'")  # as its index has it
IN_USE = replica.c.state != ReplicaState.RETIRED.value

# What waits


def repairs_to_decide(connection: Connection, account: int) -> tuple[int, int]:
    """How many wait for this person, and the first: where votes are even, or their approval is missing."""
    approved = sa.exists().where(
        repair_approval.c.repair == repair.c.id, repair_approval.c.account == account
    )
    theirs = sa.or_(repair.c.state == RepairState.UNDECIDED.value, ~approved)
    in_question = repair.c.state.in_([RepairState.UNDECIDED.value, RepairState.PROPOSED.value])
    asked = sa.select(repair.c.id).where(in_question, WAITING, theirs).order_by(repair.c.id)
    return count_up_to(connection, asked), connection.scalar(asked.limit(1)) or 0


# What runs


@dataclass(frozen=True)
class Storing:
    files: int
    bytes: int
    troubled: int  # of these, how many could not be stored yet
    last: datetime | None  # when the last of those came
    trouble: str


def storing(connection: Connection) -> Storing:
    """Files on their way into the replicas, counted to some bound."""
    columns = [stored_file.c[name] for name in ("id", "size", "trouble", "registered_at")]
    some = sa.select(*columns).where(STORING).limit(MOST).subquery()
    bad = some.c.trouble != ""
    row = connection.execute(
        sa.select(
            sa.func.count(),
            sa.func.coalesce(sa.func.sum(some.c.size), 0),
            sa.func.count().filter(bad),
            sa.func.max(some.c.registered_at).filter(bad),
            sa.func.max(some.c.trouble),
        )
    ).one()
    return Storing(row[0], int(row[1]), row[2], row[3], row[4] or "")


def latest_audits(connection: Connection) -> list["sa.Row[Any]"]:
    names = ("id", "kind", "state", "ended_at", "files", "bytes", "files_total", "bytes_total", "error")
    asked = sa.select(*(audit_run.c[name] for name in names), replica.c.name.label("replica_name"))
    joined = asked.join(replica, replica.c.id == audit_run.c.replica)
    return list(connection.execute(joined.order_by(audit_run.c.id.desc()).limit(LATEST)))


def latest_batches(connection: Connection) -> list["sa.Row[Any]"]:
    names = ("id", "function", "state", "ended_at", "files", "files_total", "error")
    asked = sa.select(*(batch.c[name] for name in names)).order_by(batch.c.id.desc())
    return list(connection.execute(asked.limit(LATEST)))


def replicas(connection: Connection) -> Sequence["sa.Row[Any]"]:
    """Those in use: whether they answer, and how far they are filled."""
    names = ("id", "name", "state", "away_since", "trouble", "filled_to", "fill_to")
    asked = sa.select(*(replica.c[name] for name in names)).where(IN_USE)
    return connection.execute(asked.order_by(replica.c.name)).all()


# What went wrong


@dataclass(frozen=True)
class Damaged:
    replica: int
    name: str
    copies: int
    last: datetime


def damaged(connection: Connection) -> list[Damaged]:
    """Copies that are missing or have other bytes, of each replica in use, counted to some bound."""
    bad = (
        sa.select(file_copy.c.changed_at)
        .where(
            file_copy.c.replica == replica.c.id,
            file_copy.c.state.in_(sorted(DAMAGED)),
            sa.text("file_copy.state <> 'accepted'"),  # as its index has it
        )
        .limit(MOST)
        .lateral()
    )
    asked = (
        sa.select(replica.c.id, replica.c.name, sa.func.count(), sa.func.max(bad.c.changed_at))
        .select_from(replica.join(bad, sa.true()))
        .where(IN_USE)
        .group_by(replica.c.id, replica.c.name)
        .order_by(replica.c.name)
    )
    return [Damaged(*row) for row in connection.execute(asked)]


def failed_repairs(connection: Connection) -> list["sa.Row[Any]"]:
    """That could not be carried out, and are tried again."""
    asked = (
        sa.select(repair.c.id, repair.c.error, repair.c.proposed_at, stored_file.c.name)
        .join(stored_file, stored_file.c.id == repair.c.file)
        .where(repair.c.state == RepairState.FAILED.value)
    )
    return list(connection.execute(asked.order_by(repair.c.id.desc()).limit(LISTED)))


def left_out(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    """Accessions with files that were offered since then and not taken: how many, and when the last."""
    latest = (
        sa.select(accession.c.id, accession.c.name).order_by(accession.c.id.desc()).limit(LATEST).subquery()
    )
    line = (
        sa.select(accession_line.c.at)
        .where(
            accession_line.c.accession == latest.c.id,
            accession_line.c.outcome.in_(sorted(NOT_TAKEN)),
            accession_line.c.at >= since,
        )
        .limit(MOST)
        .lateral()
    )
    last = sa.func.max(line.c.at).label("last")
    asked = (
        sa.select(latest.c.id, latest.c.name, sa.func.count().label("files"), last)
        .select_from(latest.join(line, sa.true()))
        .group_by(latest.c.id, latest.c.name)
        .order_by(last.desc())
    )
    return list(connection.execute(asked.limit(LISTED)))


def troubled_folders(connection: Connection) -> list["sa.Row[Any]"]:
    asked = sa.select(watched_folder).where(watched_folder.c.trouble != "")
    return list(connection.execute(asked.order_by(watched_folder.c.path).limit(LISTED)))


# Figures


def stored_by_week(
    connection: Connection, since: datetime, zone: str
) -> tuple[dict[date, int], dict[date, int]]:
    """Files, and their bytes."""
    sums = [sa.func.count(), sa.func.sum(stored_file.c.size)]
    files, size = by_period(connection, stored_file.c.stored_at, zone, since, sums)
    return files, size


def checked_by_week(
    connection: Connection, since: datetime, zone: str
) -> tuple[dict[date, int], dict[date, int]]:
    """Copies that audits found sound, and those that they did not."""
    sums = [sa.func.sum(audit_run.c.ok), sa.func.sum(audit_run.c.missing + audit_run.c.corrupt)]
    sound, bad = by_period(connection, audit_run.c.ended_at, zone, since, sums)
    return sound, bad


def stored_by_month(
    connection: Connection, since: datetime, zone: str
) -> tuple[dict[date, int], dict[date, int]]:
    """The same, for the report."""
    sums = [sa.func.count(), sa.func.sum(stored_file.c.size)]
    files, size = by_period(connection, stored_file.c.stored_at, zone, since, sums, period="month")
    return files, size


def room_left(connection: Connection) -> list["sa.Row[Any]"]:
    """Replicas in use that hold bytes, each with the free space that was seen last; 0: not known."""
    asked = sa.select(replica.c.name, replica.c.free_bytes).where(
        IN_USE, replica.c.kind != ReplicaKind.CHECKSUM.value
    )
    return list(connection.execute(asked.order_by(replica.c.name)))
