"""The tables of live checks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.dialects.postgresql import JSONB, distinct_on

from armarium.core.entities import from_row
from armarium.db.rows import Rows
from armarium.db.schema import count, flag, moment, number, reference, schema, text
from armarium.selection import tables as selection_tables  # noqa: F401  (whose tables these refer to)
from armarium.selection.entry.checker import PictureState, RobotsSays, Step
from armarium.selection.entry.model import ENDED, Batch, Check, LineState, Neighbour
from armarium.selection.tables import among, collection, record

#: What somebody entered at once, for one collection.
batch = sa.Table(
    "selection_check_batch",
    schema,
    number(),
    reference("collection", "selection_collection.id"),
    reference("record", "selection_record.id", nullable=True),  # whose address is looked at again
    reference("account", "account.id", nullable=True),
    moment("created_at"),
    text("created_by"),
    sa.Index("selection_check_batch_account_index", "account", "created_at"),
    sa.Index("selection_check_batch_created_at_index", "created_at"),
)

#: One line with what was seen. Kept for ever where a record came of it: the evidence for its selection.
check = sa.Table(
    "selection_check",
    schema,
    number(),
    reference("batch", "selection_check_batch.id"),
    sa.Column("line", sa.Integer, nullable=False),
    text("typed"),
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False, server_default=sa.text("''")),
    text("state"),
    sa.Column("twin", sa.Integer, nullable=False, server_default=sa.text("0")),
    text("trouble"),
    sa.Column("steps", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    text("robots"),
    text("robots_rule"),
    text("title"),
    text("language"),
    text("media_type"),
    count("size"),
    flag("whole"),
    text("tls_problem"),
    sa.Column("seconds", sa.Float, nullable=False, server_default=sa.text("0")),
    sa.Column("picture", sa.LargeBinary),
    text("picture_state"),
    moment("checked_at", nullable=True),
    reference("record", "selection_record.id", nullable=True, index=True),
    sa.UniqueConstraint("batch", "line"),
)


batches = Rows(
    batch,
    Batch,
    order=(batch.c.created_at.desc(), batch.c.id.desc()),
    joined=sa.select(batch, collection.c.name.label("collection_name")).join(
        collection, collection.c.id == batch.c.collection
    ),
)


class CheckRows(Rows[Check]):
    def value(self, row: Mapping[Any, Any]) -> Check:
        read = {
            "steps": tuple(Step.read(step) for step in row["steps"]),
            "robots": row["robots"] or RobotsSays.UNKNOWN,
        }
        return from_row(Check, dict(row) | read)


#: Without pictures, which are large.
checks = CheckRows(
    check,
    Check,
    order=(check.c.line,),
    joined=sa.select(*(one for one in check.c if one.name != "picture"), batch.c.collection).join(
        batch, batch.c.id == check.c.batch
    ),
)

# Questions and changes


ENDED_VALUES = sorted(state.value for state in ENDED)
NEIGHBOURS_SHOWN = 4  # of one host, and of one domain


def batches_of(connection: Connection, account: int | None, limit: int) -> list[tuple[Batch, int, int]]:
    """The latest of one account, each with the number of its lines, and of those that are done."""
    found, _ = batches.page(connection, limit, 0, batch.c.account == account, batch.c.record.is_(None))
    counts = progress_of(connection, [one.id for one in found])
    return [(one, *counts.get(one.id, (0, 0))) for one in found]


def progress_of(connection: Connection, batches: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many lines each has, and how many of them are done."""
    done = sa.func.count().filter(check.c.state.in_(ENDED_VALUES))
    asked = sa.select(check.c.batch, sa.func.count(), done).where(among(check.c.batch, batches))
    return {row[0]: (row[1], row[2]) for row in connection.execute(asked.group_by(check.c.batch))}


def looks_of_record(connection: Connection, number: int) -> dict[str, Check]:
    """The latest look at each of a record's addresses that has ended, by the address's key."""
    asked = checks.selected().where(check.c.record == number, check.c.checked_at.is_not(None))
    latest = asked.ext(distinct_on(check.c.key)).order_by(
        check.c.key, check.c.checked_at.desc(), check.c.id.desc()
    )
    return {one.key: one for one in checks.read(connection, latest)}


def keys_looked_at(connection: Connection, number: int) -> set[str]:
    """Of the addresses of a record at which somebody has looked, or is about to."""
    return set(connection.scalars(sa.select(check.c.key).where(check.c.record == number).distinct()))


def is_looked_at(connection: Connection, number: int) -> bool:
    """Whether a further look at one of a record's addresses is under way."""
    asked = sa.select(check.c.id).where(check.c.record == number, check.c.state.not_in(ENDED_VALUES))
    return connection.scalar(asked.limit(1)) is not None


def make_checking(connection: Connection, number: int) -> None:
    waiting = sa.update(check).where(check.c.id == number, check.c.state == LineState.WAITING.value)
    connection.execute(waiting.values(state=LineState.CHECKING.value))


def picture_of(connection: Connection, number: int) -> bytes | None:
    found: bytes | None = connection.scalar(sa.select(check.c.picture).where(check.c.id == number))
    return found


def pictured(connection: Connection, records: Iterable[int]) -> dict[int, int]:
    """Of these records, the latest look at the site that has a picture."""
    own = sa.or_(check.c.key == record.c.key, check.c.id == record.c.check)
    asked = (
        sa.select(check.c.record, check.c.id)
        .join(record, sa.and_(record.c.id == check.c.record, own))
        .where(among(check.c.record, records), check.c.picture_state == PictureState.TAKEN.value)
    )
    latest = asked.ext(distinct_on(check.c.record)).order_by(check.c.record, check.c.id.desc())
    return {row.record: row.id for row in connection.execute(latest)}


def pictured_addresses(connection: Connection, keys: Collection[str]) -> dict[str, int]:
    """Of addresses that records have, by key, the latest look that has a picture."""
    asked = (
        sa.select(check.c.key, check.c.id)
        .join(record, sa.and_(record.c.id == check.c.record, record.c.key == check.c.key))
        .where(among(record.c.key, keys), check.c.picture_state == PictureState.TAKEN.value)
    )
    latest = asked.ext(distinct_on(check.c.key)).order_by(check.c.key, check.c.id.desc())
    return {row.key: row.id for row in connection.execute(latest)}


def forget(connection: Connection, before: datetime) -> int:
    """Delete what was seen before then, but for what justified a record, and the last look at each of its
    addresses."""
    old = sa.select(batch.c.id).where(batch.c.created_at < before)
    later = check.alias("later")
    outdone = sa.exists().where(
        later.c.record == check.c.record,
        later.c.key == check.c.key,
        later.c.id > check.c.id,
        later.c.checked_at.is_not(None),
    )
    justifies = sa.exists().where(record.c.check == check.c.id)
    useless = sa.or_(check.c.record.is_(None), sa.and_(outdone, ~justifies))
    gone = connection.execute(sa.delete(check).where(check.c.batch.in_(old), useless))
    empty = ~sa.exists().where(check.c.batch == batch.c.id)
    connection.execute(sa.delete(batch).where(batch.c.created_at < before, empty))
    return gone.rowcount


# What the collections have already


def same_key(connection: Connection, keys: Iterable[str]) -> dict[str, list[Neighbour]]:
    """Records, of any collection, with these addresses."""
    found: dict[str, list[Neighbour]] = {}
    for one in _read(connection, _neighbours(among(record.c.key, keys)).order_by(record.c.id)):
        found.setdefault(one.key, []).append(one)
    return found


def near(connection: Connection, column: str, values: Iterable[str]) -> dict[str, list[Neighbour]]:
    """Some records of each of these hosts or domains; `column` says which of the two they are."""
    wanted = sa.select(
        sa.func.unnest(sa.literal(sorted(set(values)), sa.ARRAY(sa.Text))).label("value")
    ).subquery()
    one = _neighbours(record.c[column] == wanted.c.value).order_by(record.c.id).limit(NEIGHBOURS_SHOWN)
    listed = one.lateral()
    asked = sa.select(listed).select_from(wanted.join(listed, sa.true()))
    found: dict[str, list[Neighbour]] = {}
    for neighbour in _read(connection, asked):
        found.setdefault(getattr(neighbour, column), []).append(neighbour)
    return found


def _neighbours(condition: ColumnElement[bool]) -> Select[Any]:
    name = sa.func.coalesce(sa.func.nullif(record.c.title, ""), record.c.address).label("name")
    columns = (record.c.id, name, record.c.address, record.c.key, record.c.host, record.c.domain)
    named = collection.c.name.label("collection_name")
    return (
        sa.select(*columns, record.c.collection, named)
        .join(collection, collection.c.id == record.c.collection)
        .where(condition)
    )


def _read(connection: Connection, asked: Select[Any]) -> list[Neighbour]:
    return [Neighbour(**row._mapping) for row in connection.execute(asked)]
