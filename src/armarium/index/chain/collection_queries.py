"""What the chain reads and writes of collections."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.db.stretches import Beginning, stretch
from armarium.index.chain.model import Collection
from armarium.index.tables import index_collection

C = index_collection.c


def _collection(row: Row[Any]) -> Collection:
    return Collection(
        row.id,
        row.name,
        row.title,
        row.everything,
        tuple(row.harvests),
        tuple(row.accessions),
        row.active,
        row.edition,
    )


def active(connection: Connection, *, hold: bool = False) -> list[Collection]:
    found = sa.select(index_collection).where(C.active).order_by(C.id)
    found = found.with_for_update() if hold else found
    return [_collection(row) for row in connection.execute(found)]


def page(connection: Connection, limit: int, offset: Beginning) -> tuple[list[Collection], int]:
    total = connection.scalar(sa.select(sa.func.count()).select_from(index_collection)) or 0
    found = stretch(connection, sa.select(index_collection), (~C.everything, C.name), limit, offset)
    return [_collection(row) for row in found], total


def named(connection: Connection, name: str) -> Collection | None:
    row = connection.execute(sa.select(index_collection).where(C.name == name)).one_or_none()
    return None if row is None else _collection(row)


def get(connection: Connection, number: int, *, hold: bool = False) -> Collection | None:
    found = sa.select(index_collection).where(C.id == number)
    row = connection.execute(found.with_for_update() if hold else found).one_or_none()
    return None if row is None else _collection(row)


def is_unchanged(connection: Connection, known: Collection) -> bool:
    """Whether a collection is still the one we know, and will be until the transaction ends."""
    held = sa.select(C.edition, C.active).where(C.id == known.id).with_for_update(read=True)
    row = connection.execute(held).one_or_none()
    return row is not None and (row.edition, row.active) == (known.edition, known.active)


def add(connection: Connection, values: Mapping[str, object], by: str) -> int | None:
    """The number of the new one; None if the name is taken."""
    row = {**values, "created_at": clock.now(), "created_by": by}
    added = insert(index_collection).values(row).on_conflict_do_nothing(index_elements=[C.name])
    number: int | None = connection.scalar(added.returning(C.id))
    return number


def change(connection: Connection, number: int, edition: int, values: Mapping[str, object]) -> bool:
    """Whether it was still of that edition."""
    changed = sa.update(index_collection).where(C.id == number, C.edition == edition)
    return connection.execute(changed.values({**values, "edition": edition + 1})).rowcount == 1


def having(connection: Connection, harvest: int | None, accession: int | None) -> list[Collection]:
    """Active collections to which a file of this harvest and accession belongs until the transaction ends."""
    found: list[sa.ColumnElement[bool]] = [C.everything.expression]
    if harvest is not None:
        found.append(sa.literal(harvest) == sa.any_(C.harvests))
    if accession is not None:
        found.append(sa.literal(accession) == sa.any_(C.accessions))
    having = sa.select(index_collection).where(C.active, sa.or_(*found)).order_by(C.id)
    return [_collection(row) for row in connection.execute(having.with_for_update(read=True))]
