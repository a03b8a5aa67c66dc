"""The tables of bulk edits: what was to be changed, in which records, and what stood there before."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.core.entities import from_row
from armarium.core.message import Message
from armarium.db.rows import Rows
from armarium.db.schema import count, moment, number, reference, schema, text
from armarium.db.stretches import Beginning, stretch
from armarium.selection.bulk.model import MOST, Bulk, BulkRow, BulkState, Changes, Outcome, Verdict
from armarium.selection.search.conditions import conditions
from armarium.selection.search.model import Question
from armarium.selection.tables import collection, record

bulk = sa.Table(
    "selection_bulk",
    schema,
    number(),
    reference("account", "account.id", nullable=True),
    text("actor"),
    text("query"),  # of the question that found the records
    sa.Column("changes", JSONB, nullable=False),
    text("state"),
    count("found"),
    count("changing"),
    count("same"),
    count("refused"),
    count("changed"),
    count("passed_over"),  # somebody changed them between the preview and the change
    count("restored"),
    count("kept"),  # not restored, because somebody changed them since
    text("problem"),
    moment("made_at"),
    moment("applied_at", nullable=True),
    moment("undone_at", nullable=True),
    text("undone_by"),
    sa.Index("selection_bulk_made_at_index", "made_at"),
)

bulk_record = sa.Table(
    "selection_bulk_record",
    schema,
    sa.Column("bulk", sa.BigInteger, sa.ForeignKey("selection_bulk.id"), primary_key=True),
    sa.Column("record", sa.BigInteger, sa.ForeignKey("selection_record.id"), primary_key=True),
    sa.Column("edition", sa.Integer, nullable=False),  # that the preview saw
    text("verdict"),  # change, same, or why it cannot be changed
    sa.Column("why", JSONB),  # the sentence of a refusal, and its values
    sa.Column("before", JSONB),
    sa.Column("after", JSONB),
    text("outcome"),  # changed, passed over, restored, kept
    sa.Column("edition_after", sa.Integer),
)

#: Apart, because it is written while the transaction of the change holds all the rest.
bulk_progress = sa.Table(
    "selection_bulk_progress",
    schema,
    sa.Column("bulk", sa.BigInteger, primary_key=True, autoincrement=False),
    count("done"),
    count("total"),
)


class BulkRows(Rows[Bulk]):
    def value(self, row: Mapping[Any, Any]) -> Bulk:
        return from_row(Bulk, dict(row) | {"changes": Changes.of(row["changes"])})


bulk_edits = BulkRows(
    bulk,
    Bulk,
    order=(bulk.c.id.desc(),),
    joined=sa.select(
        bulk, *(sa.func.coalesce(bulk_progress.c[name], 0).label(name) for name in ("done", "total"))
    ).outerjoin(bulk_progress, bulk_progress.c.bulk == bulk.c.id),
)

# Questions and changes


OFTEN = 5000


def take_in(connection: Connection, number: int, question: Question, me: int | None) -> int:
    """The records that the question finds, each as it is now; how many there are, at most one too many."""
    found = sa.select(sa.literal(number), record.c.id, record.c.edition).where(*conditions(question, me))
    names = ["bulk", "record", "edition"]
    connection.execute(bulk_record.insert().from_select(names, found.limit(MOST + 1)))
    there = sa.select(sa.func.count()).where(bulk_record.c.bulk == number)
    return connection.execute(there).scalar_one()


def put_progress(connection: Connection, number: int, done: int, total: int) -> None:
    made = postgresql_insert(bulk_progress).values(bulk=number, done=done, total=total)
    put = made.on_conflict_do_update(
        index_elements=[bulk_progress.c.bulk], set_={"done": done, "total": total}
    )
    connection.execute(put)


# Its records


def members(
    connection: Connection, number: int, *, verdict: Verdict | None = None, outcome: Outcome | None = None
) -> list[sa.Row[Any]]:
    """Number, edition before and after, and the values before, of each record."""
    names = ("record", "edition", "edition_after", "before")
    asked = sa.select(*(bulk_record.c[name] for name in names)).where(bulk_record.c.bulk == number)
    if verdict is not None:
        asked = asked.where(bulk_record.c.verdict == verdict.value)
    if outcome is not None:
        asked = asked.where(bulk_record.c.outcome == outcome.value)
    return list(connection.execute(asked.order_by(bulk_record.c.record)))


def put_members(connection: Connection, number: int, rows: Sequence[Mapping[str, object]]) -> None:
    """Other values for each of these records, given with its number; all of them name the same columns."""
    if not rows:
        return
    names = [name for name in rows[0] if name != "record"]
    changed = (
        sa.update(bulk_record)
        .where(bulk_record.c.bulk == number, bulk_record.c.record == sa.bindparam("which"))
        .values({name: sa.bindparam(f"new_{name}") for name in names})
    )
    given = [{"which": row["record"], **{f"new_{name}": row[name] for name in names}} for row in rows]
    for start in range(0, len(given), OFTEN):
        connection.execute(changed, given[start : start + OFTEN])


def counts(connection: Connection, number: int) -> dict[str, int]:
    """How many records have each verdict."""
    asked = sa.select(bulk_record.c.verdict, sa.func.count()).where(bulk_record.c.bulk == number)
    return {row[0]: row[1] for row in connection.execute(asked.group_by(bulk_record.c.verdict))}


def outcomes(connection: Connection, number: int) -> dict[str, int]:
    asked = sa.select(bulk_record.c.outcome, sa.func.count()).where(bulk_record.c.bulk == number)
    return {row[0]: row[1] for row in connection.execute(asked.group_by(bulk_record.c.outcome))}


def rows(
    connection: Connection,
    number: int,
    *,
    verdicts: Iterable[Verdict] = (),
    outcome: Outcome | None = None,
    limit: int,
    offset: Beginning = 0,
) -> list[BulkRow]:
    asked = (
        sa.select(bulk_record, record.c.title, record.c.address, collection.c.name.label("collection_name"))
        .join(record, record.c.id == bulk_record.c.record)
        .join(collection, collection.c.id == record.c.collection)
        .where(bulk_record.c.bulk == number)
    )
    if wanted := [one.value for one in verdicts]:
        asked = asked.where(bulk_record.c.verdict.in_(wanted))
    if outcome is not None:
        asked = asked.where(bulk_record.c.outcome == outcome.value)
    found = stretch(connection, asked, [bulk_record.c.record], limit, offset)
    return [_row(row) for row in found]


def strange_collections(connection: Connection, number: int) -> list[tuple[int, str]]:
    """The collections of records that were refused because they are somebody else's."""
    asked = (
        sa.select(collection.c.id, collection.c.name)
        .join(record, record.c.collection == collection.c.id)
        .join(bulk_record, bulk_record.c.record == record.c.id)
        .where(bulk_record.c.bulk == number, bulk_record.c.verdict == Verdict.NOT_YOURS.value)
    )
    return [(row[0], row[1]) for row in connection.execute(asked.distinct().order_by(collection.c.id))]


def clear(connection: Connection, *, previews_before: datetime, done_before: datetime) -> int:
    """Forget previews that nobody came back to, and the values before of what can no longer be undone."""
    old = sa.select(bulk.c.id).where(
        bulk.c.state.in_([BulkState.READY.value, BulkState.FAILED.value]), bulk.c.made_at < previews_before
    )
    connection.execute(sa.delete(bulk_progress).where(bulk_progress.c.bulk.in_(old)))
    connection.execute(sa.delete(bulk_record).where(bulk_record.c.bulk.in_(old)))
    gone = connection.execute(sa.delete(bulk).where(bulk.c.id.in_(old))).rowcount
    late = sa.select(bulk.c.id).where(bulk.c.applied_at < done_before)
    connection.execute(sa.delete(bulk_record).where(bulk_record.c.bulk.in_(late)))
    return gone


def _row(row: sa.Row[Any]) -> BulkRow:
    why = Message(row.why["text"], row.why["values"]) if row.why else None
    return BulkRow(
        row.record,
        row.title or row.address,
        row.address,
        row.collection_name,
        Verdict(row.verdict),
        why,
        row.before or {},
        row.after or {},
        row.outcome,
    )
