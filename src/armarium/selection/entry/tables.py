"""The tables of live checks."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.dialects.postgresql import JSONB, distinct_on

from armarium.db.columns import count, flag, moment, number, reference, text
from armarium.db.schema import schema
from armarium.selection import tables as selection_tables  # noqa: F401  (whose tables these refer to)
from armarium.selection.entry.checker import PictureState, RobotsSays, Step, Trouble
from armarium.selection.entry.model import ENDED, Batch, Check, LineState, Neighbour
from armarium.selection.tables import collection, record

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


# Questions


ENDED_VALUES = sorted(state.value for state in ENDED)
NEIGHBOURS_SHOWN = 4  # of one host, and of one domain

# Batches


def insert_batch(connection: Connection, values: Mapping[str, object]) -> int:
    number: int = connection.execute(batch.insert().values(**values).returning(batch.c.id)).scalar_one()
    return number


def batch_by_id(connection: Connection, number: int, *, lock: bool = False) -> Batch | None:
    asked = _batches().where(batch.c.id == number)
    row = connection.execute(asked.with_for_update(of=batch) if lock else asked).one_or_none()
    return Batch(**row._mapping) if row else None


def batches_of(connection: Connection, account: int | None, limit: int) -> list[tuple[Batch, int, int]]:
    """The latest of one account, each with the number of its lines, and of those that are done."""
    asked = _batches().where(batch.c.account == account, batch.c.record.is_(None))
    asked = asked.order_by(batch.c.created_at.desc(), batch.c.id.desc()).limit(limit)
    found = [Batch(**row._mapping) for row in connection.execute(asked)]
    counts = progress_of(connection, [one.id for one in found])
    return [(one, *counts.get(one.id, (0, 0))) for one in found]


def progress_of(connection: Connection, batches: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many lines each has, and how many of them are done."""
    done = sa.func.count().filter(check.c.state.in_(ENDED_VALUES))
    wanted = sa.literal(list(batches), sa.ARRAY(sa.BigInteger))
    asked = sa.select(check.c.batch, sa.func.count(), done).where(check.c.batch == sa.any_(wanted))
    return {row[0]: (row[1], row[2]) for row in connection.execute(asked.group_by(check.c.batch))}


def _batches() -> Select[Any]:
    return sa.select(batch, collection.c.name.label("collection_name")).join(
        collection, collection.c.id == batch.c.collection
    )


# Checks


def insert_checks(connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    connection.execute(check.insert(), [dict(row) for row in rows])


def checks_of(connection: Connection, number: int, *, lock: bool = False) -> list[Check]:
    asked = _checks().where(check.c.batch == number).order_by(check.c.line)
    return [_check(row) for row in connection.execute(asked.with_for_update(of=check) if lock else asked)]


def check_by_id(connection: Connection, number: int) -> Check | None:
    row = connection.execute(_checks().where(check.c.id == number)).one_or_none()
    return _check(row) if row else None


def looks_of_record(connection: Connection, number: int) -> dict[str, Check]:
    """The latest look at each of a record's addresses that has ended, by the address's key."""
    asked = _checks().where(check.c.record == number, check.c.checked_at.is_not(None))
    asked = asked.ext(distinct_on(check.c.key)).order_by(
        check.c.key, check.c.checked_at.desc(), check.c.id.desc()
    )
    return {row.key: _check(row) for row in connection.execute(asked)}


def keys_looked_at(connection: Connection, number: int) -> set[str]:
    """Of the addresses of a record at which somebody has looked, or is about to."""
    return set(connection.scalars(sa.select(check.c.key).where(check.c.record == number).distinct()))


def is_looked_at(connection: Connection, number: int) -> bool:
    """Whether a further look at one of a record's addresses is under way."""
    asked = sa.select(check.c.id).where(check.c.record == number, check.c.state.not_in(ENDED_VALUES))
    return connection.scalar(asked.limit(1)) is not None


def update_check(connection: Connection, number: int, values: Mapping[str, object]) -> None:
    connection.execute(sa.update(check).where(check.c.id == number).values(**values))


def make_checking(connection: Connection, number: int) -> None:
    waiting = sa.update(check).where(check.c.id == number, check.c.state == LineState.WAITING.value)
    connection.execute(waiting.values(state=LineState.CHECKING.value))


def picture_of(connection: Connection, number: int) -> bytes | None:
    found: bytes | None = connection.scalar(sa.select(check.c.picture).where(check.c.id == number))
    return found


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


def _checks() -> Select[Any]:
    """Without pictures."""
    columns = [column for column in check.c if column.name != "picture"]
    return sa.select(*columns, batch.c.collection).join(batch, batch.c.id == check.c.batch)


def _check(row: sa.Row[Any]) -> Check:
    values = {
        **row._mapping,
        "state": LineState(row.state),
        "trouble": Trouble(row.trouble),
        "robots": RobotsSays(row.robots or RobotsSays.UNKNOWN),
        "picture_state": PictureState(row.picture_state),
        "steps": tuple(Step.read(step) for step in row.steps),
    }
    return Check(**values)


# What the collections have already


def same_key(connection: Connection, keys: Iterable[str]) -> dict[str, list[Neighbour]]:
    """Records, of any collection, with these addresses."""
    wanted = sa.literal(sorted(set(keys)), sa.ARRAY(sa.Text))
    found: dict[str, list[Neighbour]] = {}
    for one in _read(connection, _neighbours(record.c.key == sa.any_(wanted)).order_by(record.c.id)):
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
