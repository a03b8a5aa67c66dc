"""The tables of the transfer: its mapping, what it made in planning, and its log.

What planning numbers is named without foreign keys: planning deletes nothing, and rooms do not share tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.dialects.postgresql import insert as upsert

from armarium.core import clock
from armarium.core.entities import from_row, values_of
from armarium.core.message import Message
from armarium.db.rows import Rows
from armarium.db.schema import count, flag, limit, moment, number, reference, schema, text
from armarium.db.stretches import Beginning, stretch
from armarium.selection.model import Frequency, RecordState
from armarium.selection.records import queries as record_queries
from armarium.selection.records.model import Record
from armarium.selection.tables import among, collection, record
from armarium.selection.transfer.model import (
    Change,
    Entry,
    Line,
    Link,
    Placed,
    Rule,
    Target,
    Transfer,
    TransferKind,
)

NO_FACTS = sa.text("'{}'::jsonb")

#: What planning is told; an empty budget, frequency or depth stands for all of them.
rule = sa.Table(
    "selection_rule",
    schema,
    number(),
    text("budget"),
    text("frequency"),
    text("depth"),
    text("profile"),
    limit("max_objects"),
    limit("max_bytes"),
    sa.Column("overrides", JSONB, nullable=False, server_default=NO_FACTS),
    text("pattern"),
    sa.UniqueConstraint("budget", "frequency", "depth"),
)

#: Which harvest takes the records of a collection with a frequency. Without a row: the usual one is made.
target = sa.Table(
    "selection_target",
    schema,
    sa.Column("collection", sa.BigInteger, sa.ForeignKey("selection_collection.id"), primary_key=True),
    sa.Column("frequency", sa.Text, primary_key=True),
    limit("harvest"),  # empty: to be made
    text("name"),
    text("schedule"),
    flag("automatic"),
    sa.Index("selection_target_harvest_index", "harvest"),
)

#: What was made in planning for a record on a domain: see `model.Link`.
link = sa.Table(
    "selection_link",
    schema,
    number(),
    reference("record", "selection_record.id"),
    text("domain"),
    sa.Column("planned_domain", sa.BigInteger, nullable=False),
    sa.Column("seed_list", sa.BigInteger, nullable=False),
    sa.Column("configuration", sa.BigInteger, nullable=False, unique=True),
    limit("harvest"),  # that the transfer put it into; empty: into none, or taken out again
    sa.Column("asked", JSONB, nullable=False, server_default=NO_FACTS),
    sa.Column("kept", JSONB, nullable=False, server_default=NO_FACTS),
    limit("transfer"),  # the last that changed something
    moment("made_at"),
    sa.UniqueConstraint("record", "domain"),
    sa.Index("selection_link_harvest_index", "harvest"),
)

transfer = sa.Table(
    "selection_transfer",
    schema,
    number(),
    text("state"),  # waiting, running, done, failed
    text("by"),
    limit("collection"),  # empty: all
    limit("harvest"),  # before a run of which it happened
    limit("run"),
    moment("asked_at"),
    moment("ended_at", nullable=True),
    count("total"),
    count("handled"),
    count("after"),  # the record up to which it came
    count("made"),
    count("changed"),
    count("taken_out"),
    count("conflict"),
    count("unable"),
    count("failed"),
    text("error"),
    sa.Index("selection_transfer_run_index", "run"),
)

transfer_line = sa.Table(
    "selection_transfer_line",
    schema,
    number(),
    reference("transfer", "selection_transfer.id"),
    text("kind"),
    reference("record", "selection_record.id"),
    text("domain"),
    sa.Column("changes", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),  # [field, old, new]
    sa.Column("reason", JSONB),  # {"template", "values"}
    sa.Index("selection_transfer_line_transfer_index", "transfer", "kind", "id"),
    sa.Index("selection_transfer_line_record_index", "record", "id"),
)


# Questions


@dataclass(frozen=True)
class Scope:
    """Which records are looked at; an empty one: all that are wanted, or were."""

    collection: int | None = None
    harvest: int | None = None
    of_harvest: Sequence[tuple[int, Frequency]] = ()  # collections and frequencies that lead to the harvest


# Records


def _wanted(scope: Scope) -> "sa.ColumnElement[bool]":
    linked = sa.exists().where(link.c.record == record.c.id)
    chosen = sa.and_(record.c.active, record.c.state == RecordState.VALIDATED.value, collection.c.active)
    wanted = sa.or_(chosen, linked)
    if scope.collection is not None:
        wanted = sa.and_(wanted, record.c.collection == scope.collection)
    if scope.harvest is not None:
        pairs = sa.tuple_(record.c.collection, record.c.frequency)
        named = pairs.in_([(number, one.value) for number, one in scope.of_harvest])
        in_it = sa.exists().where(link.c.record == record.c.id, link.c.harvest == scope.harvest)
        wanted = sa.and_(wanted, sa.or_(named, in_it))
    return wanted


def count_records(connection: Connection, scope: Scope) -> int:
    joined = record.join(collection, collection.c.id == record.c.collection)
    asked = sa.select(sa.func.count()).select_from(joined).where(_wanted(scope))
    return connection.scalar(asked) or 0


def next_records(
    connection: Connection, scope: Scope, *, after: int = 0, most: int | None = None, lock: bool = False
) -> list[Record]:
    """The next records in the order of their numbers; locked, nobody changes one while it is transferred."""
    asked = record_queries.selected().where(_wanted(scope), record.c.id > after).order_by(record.c.id)
    asked = asked.limit(most) if most is not None else asked
    return record_queries.read(connection, asked.with_for_update(of=record) if lock else asked)


# Links


def links_of(connection: Connection, records: Sequence[int] | None = None) -> dict[int, list[Link]]:
    """By record, the oldest first."""
    asked = sa.select(link).order_by(link.c.id)
    if records is not None:
        asked = asked.where(among(link.c.record, records))
    found: dict[int, list[Link]] = {}
    for row in connection.execute(asked):
        found.setdefault(row.record, []).append(_link(row))
    return found


def by_configurations(connection: Connection, numbers: Sequence[int]) -> dict[int, int]:
    """Configuration → record."""
    asked = sa.select(link.c.configuration, link.c.record).where(among(link.c.configuration, numbers))
    return {row.configuration: row.record for row in connection.execute(asked)}


def put_link(
    connection: Connection,
    *,
    record: int,
    domain: str,
    placed: Placed,
    asked: Mapping[str, Any],
    kept: Mapping[str, Any],
    transfer: int | None,
) -> None:
    values = {
        "planned_domain": placed.domain,
        "seed_list": placed.seed_list,
        "configuration": placed.configuration,
        "harvest": kept["harvest"],
        "asked": dict(asked),
        "kept": dict(kept),
        "transfer": transfer,
    }
    made = upsert(link).values(record=record, domain=domain, made_at=clock.now(), **values)
    connection.execute(made.on_conflict_do_update(index_elements=[link.c.record, link.c.domain], set_=values))


def _link(row: "sa.Row[Any]") -> Link:
    placed = Placed(row.planned_domain, row.seed_list, row.configuration)
    return Link(row.id, row.record, row.domain, placed, row.asked, row.kept, row.transfer, row.made_at)


# Transfers


class TransferRows(Rows[Transfer]):
    def value(self, row: Mapping[Any, Any]) -> Transfer:
        values = dict(row)
        return from_row(Transfer, values | {"counts": {kind: values[column(kind)] for kind in TransferKind}})

    def of_run(self, connection: Connection, run: int) -> Transfer | None:
        found, _ = self.page(connection, 1, 0, transfer.c.run == run)
        return found[0] if found else None


transfers = TransferRows(transfer, Transfer, order=(transfer.c.id.desc(),))  # the latest first


def column(kind: TransferKind) -> str:
    return kind.value.replace("-", "_")


# Lines


def insert_lines(connection: Connection, number: int, entries: Sequence[Entry]) -> None:
    rows = [
        {
            "transfer": number,
            "kind": one.kind.value,
            "record": one.record,
            "domain": one.domain,
            "changes": [[change.name, change.old, change.new] for change in one.changes],
            "reason": _kept(one.reason),
        }
        for one in entries
    ]
    if rows:
        connection.execute(transfer_line.insert(), rows)


def lines_of(
    connection: Connection, number: int, kind: TransferKind | None, *, limit: int, offset: Beginning = 0
) -> list[Line]:
    asked = _lines().where(transfer_line.c.transfer == number)
    if kind is not None:
        asked = asked.where(transfer_line.c.kind == kind.value)
    return [_line(row) for row in stretch(connection, asked, [transfer_line.c.id], limit, offset)]


def lines_of_record(connection: Connection, number: int, limit: int) -> list[Line]:
    """The latest first."""
    asked = _lines().where(transfer_line.c.record == number).order_by(transfer_line.c.id.desc()).limit(limit)
    return [_line(row) for row in connection.execute(asked)]


def _lines() -> "Select[Any]":
    title = sa.func.coalesce(sa.func.nullif(record.c.title, ""), record.c.address).label("title")
    return sa.select(transfer_line, title).join(record, record.c.id == transfer_line.c.record)


def _line(row: "sa.Row[Any]") -> Line:
    reason = Message(row.reason["template"], row.reason["values"]) if row.reason else None
    changes = tuple(Change(*one) for one in row.changes)
    return Line(
        TransferKind(row.kind), row.record, row.title, row.domain, changes, reason, row.id, row.transfer
    )


def _kept(reason: Message | None) -> Any:
    if reason is None:
        return sa.null()
    return {"template": reason.template, "values": {name: str(one) for name, one in reason.values.items()}}


# The mapping


CHOSEN = ("budget", "frequency", "depth")
mapping_rules = Rows(rule, Rule, order=(rule.c.id,))


def rules(connection: Connection) -> list[Rule]:
    """Those that name least come first."""
    return sorted(mapping_rules.all(connection), key=lambda one: one.particular)


def columns_of(given: Rule) -> dict[str, Any]:
    """An empty choice stands for all of them."""
    values = values_of(given) | {"overrides": dict(given.overrides)}
    return {
        name: "" if value is None and name in CHOSEN else value
        for name, value in values.items()
        if name != "id"
    }


def delete_rule(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(rule).where(rule.c.id == number))


def targets(connection: Connection, harvest: int | None = None) -> list[Target]:
    asked = sa.select(target)
    if harvest is not None:
        asked = asked.where(target.c.harvest == harvest)
    return [from_row(Target, row._asdict()) for row in connection.execute(asked)]


def put_targets(connection: Connection, given: Sequence[Target]) -> None:
    for one in given:
        values = {name: getattr(one, name) for name in ("harvest", "name", "schedule", "automatic")}
        row = {"collection": one.collection, "frequency": one.frequency.value, **values}
        made = insert(target).values(**row)
        keys = [target.c.collection, target.c.frequency]
        connection.execute(made.on_conflict_do_update(index_elements=keys, set_=values))


def configurations_of(connection: Connection, number: int) -> list[int]:
    """Planning's, of the records of a collection."""
    asked = sa.select(link.c.configuration).join(record, record.c.id == link.c.record)
    return list(connection.scalars(asked.where(record.c.collection == number)))
