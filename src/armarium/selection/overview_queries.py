"""SQL of what selection says on the overview. All of it reads little, however many records there are."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.tables import audit
from armarium.db.stretches import MOST, by_period, count_up_to
from armarium.selection.bulk.model import RUNNING as BULK_RUNNING
from armarium.selection.bulk.model import BulkState
from armarium.selection.bulk.tables import bulk, bulk_progress
from armarium.selection.entry.model import ENDED, SELECTABLE
from armarium.selection.entry.tables import batch, check
from armarium.selection.exchange.model import UNDER_WAY, ImportState
from armarium.selection.exchange.tables import imported
from armarium.selection.model import RecordState
from armarium.selection.tables import among, collection, record
from armarium.selection.transfer.model import TransferKind, TransferState
from armarium.selection.transfer.tables import target, transfer, transfer_line

LATEST = 50  # transfers that are looked through: they have no index but their number
LISTED = 5  # of each kind of thing
WHOLE = sa.and_(transfer.c.collection.is_(None), transfer.c.harvest.is_(None))


@dataclass(frozen=True)
class Lines:
    """Addresses that somebody entered, and what became of them."""

    selectable: int  # of which no record was made yet
    unseen: int  # at which nobody has looked yet
    batches: tuple[int, ...]


def entered(connection: Connection, account: int, since: datetime) -> Lines:
    """What one person entered since then."""
    fine = sa.and_(check.c.state.in_(sorted(SELECTABLE)), check.c.record.is_(None))
    unseen = check.c.state.not_in(sorted(ENDED))
    asked = (
        sa.select(check.c.batch, sa.func.count().filter(fine), sa.func.count().filter(unseen))
        .join(batch, batch.c.id == check.c.batch)
        .where(batch.c.account == account, batch.c.created_at > since, batch.c.record.is_(None))
        .group_by(check.c.batch)
        .order_by(check.c.batch.desc())
        .limit(LATEST)
    )
    rows = [row for row in connection.execute(asked) if row[1] or row[2]]
    return Lines(sum(row[1] for row in rows), sum(row[2] for row in rows), tuple(row[0] for row in rows))


def conflicts(connection: Connection) -> int:
    """Records of the last whole transfer that planning has otherwise, and that nobody has settled since."""
    found = connection.execute(
        sa.select(transfer.c.id, transfer.c.asked_at)
        .where(WHOLE, transfer.c.state == TransferState.DONE.value)
        .order_by(transfer.c.id.desc())
        .limit(1)
    ).one_or_none()
    if found is None:
        return 0
    settled = sa.exists().where(
        audit.c.object_kind == "record",
        audit.c.object_id == sa.cast(transfer_line.c.record, sa.Text),
        audit.c.action == "transfer.settled",
        audit.c.at > found.asked_at,
    )
    lines = sa.select(transfer_line.c.record).distinct()
    mine = sa.and_(transfer_line.c.transfer == found.id, transfer_line.c.kind == TransferKind.CONFLICT.value)
    return count_up_to(connection, lines.where(mine, ~settled))


def tried_imports(connection: Connection, by: str, since: datetime) -> list[int]:
    """Imports of one person whose report waits to be read and confirmed, the last first."""
    asked = sa.select(imported.c.id).where(
        imported.c.created_at > since, imported.c.by == by, imported.c.state == ImportState.TRIED.value
    )
    return list(connection.scalars(asked.order_by(imported.c.id.desc()).limit(MOST)))


def ready_bulk(connection: Connection, account: int, since: datetime) -> list[int]:
    """Bulk edits of one person whose preview waits to be read, the last first."""
    asked = sa.select(bulk.c.id).where(
        bulk.c.made_at > since, bulk.c.account == account, bulk.c.state == BulkState.READY.value
    )
    return list(connection.scalars(asked.order_by(bulk.c.id.desc()).limit(MOST)))


# What runs


def running_imports(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    asked = sa.select(imported.c.id, imported.c.name, imported.c.done, imported.c.total)
    under_way = imported.c.state.in_(sorted(UNDER_WAY))
    found = asked.where(imported.c.created_at > since, under_way).order_by(imported.c.id.desc())
    return list(connection.execute(found.limit(LISTED)))


def running_bulk(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    asked = (
        sa.select(bulk.c.id, bulk.c.actor, bulk_progress.c.done, bulk_progress.c.total)
        .outerjoin(bulk_progress, bulk_progress.c.bulk == bulk.c.id)
        .where(bulk.c.made_at > since, bulk.c.state.in_(sorted(BULK_RUNNING)))
    )
    return list(connection.execute(asked.order_by(bulk.c.id.desc()).limit(LISTED)))


def latest_transfers(connection: Connection) -> list["sa.Row[Any]"]:
    columns = [
        transfer.c[name]
        for name in ("id", "state", "asked_at", "ended_at", "handled", "total", "failed", "error")
    ]
    asked = sa.select(*columns, WHOLE.label("whole"))
    return list(connection.execute(asked.order_by(transfer.c.id.desc()).limit(LATEST)))


# What went wrong


def failed_imports(connection: Connection, by: str | None, since: datetime) -> list["sa.Row[Any]"]:
    """Of one person, or of everybody."""
    asked = sa.select(imported.c.id, imported.c.name, imported.c.created_at).where(
        imported.c.created_at > since, imported.c.state == ImportState.FAILED.value
    )
    asked = asked if by is None else asked.where(imported.c.by == by)
    return list(connection.execute(asked.order_by(imported.c.id.desc()).limit(LISTED)))


def failed_bulk(connection: Connection, account: int | None, since: datetime) -> list["sa.Row[Any]"]:
    asked = sa.select(bulk.c.id, bulk.c.problem, bulk.c.made_at).where(
        bulk.c.made_at > since, bulk.c.state == BulkState.FAILED.value
    )
    asked = asked if account is None else asked.where(bulk.c.account == account)
    return list(connection.execute(asked.order_by(bulk.c.id.desc()).limit(LISTED)))


# Figures, and what a new archive has


def created_by_week(
    connection: Connection, own: Collection[int] | None, since: datetime, zone: str
) -> tuple[dict[date, int], dict[date, int]]:
    """Those that are validated now, and the others."""
    validated = record.c.state == RecordState.VALIDATED.value
    sums = [sa.func.count().filter(validated), sa.func.count().filter(~validated)]
    accepted, others = by_period(connection, record.c.created_at, zone, since, sums, *_of(own))
    return accepted, others


def harvests_of(connection: Connection, own: Collection[int]) -> list[int]:
    """The harvests that the transfer made for these collections."""
    asked = sa.select(target.c.harvest).where(among(target.c.collection, own), target.c.harvest.is_not(None))
    return list(connection.scalars(asked.distinct()))


def has(connection: Connection) -> tuple[bool, bool, bool]:
    """Whether there is a collection, a record, a record that was validated."""
    validated = sa.exists().where(record.c.state == RecordState.VALIDATED.value)
    row = connection.execute(
        sa.select(sa.exists(sa.select(collection.c.id)), sa.exists(sa.select(record.c.id)), validated)
    ).one()
    return bool(row[0]), bool(row[1]), bool(row[2])


def _of(own: Collection[int] | None) -> list["sa.ColumnElement[bool]"]:
    return [] if own is None else [among(record.c.collection, own)]


# The report


@dataclass(frozen=True)
class Coverage:
    """A collection with its records by state, and how many of the validated ones were harvested."""

    collection: int
    name: str
    proposed: int
    validated: int
    refused: int
    harvested: int

    @property
    def missed(self) -> int:
        return self.validated - self.harvested


def coverage(connection: Connection, since: datetime) -> list[Coverage]:
    def count(*conditions: "sa.ColumnElement[bool]") -> "sa.ColumnElement[int]":
        return sa.func.count(record.c.id).filter(*conditions)

    validated = record.c.state == RecordState.VALIDATED.value
    states = (
        record.c.state == RecordState.PROPOSED.value,
        validated,
        record.c.state == RecordState.REFUSED.value,
    )
    asked = (
        sa.select(
            collection.c.id,
            collection.c.name,
            *(count(state) for state in states),
            count(validated, record.c.harvested_at >= since),
        )
        .select_from(collection.outerjoin(record, record.c.collection == collection.c.id))
        .group_by(collection.c.id, collection.c.name)
        .order_by(collection.c.name)
    )
    return [Coverage(*row) for row in connection.execute(asked)]


def done_by_month(
    connection: Connection, actions: Collection[str], since: datetime, zone: str
) -> dict[str, dict[date, int]]:
    """What the audit log has of these actions. Nothing of it says who."""
    sums = [sa.func.count().filter(audit.c.action == action) for action in actions]
    chosen = audit.c.action.in_(sorted(actions))
    found = by_period(connection, audit.c.at, zone, since, sums, chosen, period="month")
    return dict(zip(actions, found, strict=True))
