"""SQL of records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select

from armarium.accounts.tables import account
from armarium.core import clock
from armarium.core.entities import from_row
from armarium.db.rows import Rows
from armarium.selection.records.model import Comment, Further, Record
from armarium.selection.tables import RECORD_COLUMNS, address, among, collection, comment, record, theme

said = Rows(comment, Comment, order=(comment.c.id,))
OFTEN = 5000  # rows that one statement writes or reads


def selected() -> Select[Any]:
    """Records with the names of what they number; other queries add their conditions and their order."""
    return (
        sa.select(
            *RECORD_COLUMNS,
            collection.c.name.label("collection_name"),
            theme.c.name.label("theme_name"),
            sa.func.coalesce(account.c.name, "").label("responsible_name"),
        )
        .join(collection, collection.c.id == record.c.collection)
        .join(theme, theme.c.id == record.c.theme)
        .outerjoin(account, account.c.id == record.c.responsible)
    )


def read(connection: Connection, asked: Select[Any]) -> list[Record]:
    """The records that a query made of `selected()` finds, with their further addresses."""
    return completed(connection, connection.execute(asked).all())


def completed(connection: Connection, rows: Sequence[sa.Row[Any]]) -> list[Record]:
    further = further_of(connection, [row.id for row in rows])
    return [from_row(Record, row._asdict() | {"further": further.get(row.id, ())}) for row in rows]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Record | None:
    asked = selected().where(record.c.id == number)
    found = read(connection, asked.with_for_update(of=record) if lock else asked)
    return found[0] if found else None


def by_ids(connection: Connection, numbers: Sequence[int], *, lock: bool = False) -> list[Record]:
    """In the order of their numbers, so that two people who lock many cannot wait for each other."""
    found: list[Record] = []
    ordered = sorted(set(numbers))
    for start in range(0, len(ordered), OFTEN):
        part = ordered[start : start + OFTEN]
        asked = selected().where(among(record.c.id, part))
        asked = asked.order_by(record.c.id)
        found += read(connection, asked.with_for_update(of=record) if lock else asked)
    return found


def by_keys(connection: Connection, keys: Iterable[str]) -> list[Record]:
    """Every record, of any collection, with one of these addresses."""
    return read(connection, selected().where(among(record.c.key, keys)).order_by(record.c.id))


def keys_taken(connection: Connection, number: int, keys: Iterable[str]) -> dict[str, int]:
    """Which of these addresses the collection has already, and in which record."""
    asked = sa.select(record.c.key, record.c.id)
    asked = asked.where(record.c.collection == number, among(record.c.key, keys))
    return {row[0]: row[1] for row in connection.execute(asked)}


def note_seen(connection: Connection, number: int, keys: Sequence[str]) -> None:
    """Those of its addresses that are still one of these were seen to answer."""
    for table, of in ((record, record.c.id), (address, address.c.record)):
        fits = sa.and_(of == number, among(table.c.key, keys))
        connection.execute(sa.update(table).where(fits).values(checked_at=clock.now()))


def insert_many(connection: Connection, rows: Sequence[Mapping[str, object]]) -> list[int]:
    """The numbers of the new records, in the order of the rows.

    They are drawn first: rows that need not tell their numbers are written in a third of the time.
    """
    sequence = sa.func.pg_get_serial_sequence(record.name, "id")
    drawn = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, len(rows)))
    numbers = sorted(connection.scalars(drawn))
    numbered = [{"id": number, **row} for number, row in zip(numbers, rows, strict=True)]
    for start in range(0, len(numbered), OFTEN):
        connection.execute(record.insert(), numbered[start : start + OFTEN])
    return numbers


def update_each(connection: Connection, changes: Mapping[int, Mapping[str, object]]) -> None:
    """Other values for each record; all of them name the same columns."""
    if not changes:
        return
    names = next(iter(changes.values()))
    changed = (
        sa.update(record)
        .where(record.c.id == sa.bindparam("which"))
        .values(edition=record.c.edition + 1, **{name: sa.bindparam(f"new_{name}") for name in names})
    )
    rows = [
        {"which": number, **{f"new_{name}": value for name, value in values.items()}}
        for number, values in changes.items()
    ]
    for start in range(0, len(rows), OFTEN):
        connection.execute(changed, rows[start : start + OFTEN])


def update_many(connection: Connection, numbers: Sequence[int], values: Mapping[str, object]) -> None:
    """The same values for all of them."""
    for start in range(0, len(numbers), OFTEN):
        changed = sa.update(record).where(among(record.c.id, numbers[start : start + OFTEN]))
        connection.execute(changed.values(edition=record.c.edition + 1, **values))


def put_further(connection: Connection, further: Mapping[int, Sequence[tuple[Further, str]]]) -> None:
    """These further addresses, each with its key, and no others, for each of these records."""
    connection.execute(sa.delete(address).where(among(address.c.record, further)))
    rows = [
        {"record": number, "address": one.address, "key": key, "note": one.note, "checked_at": one.checked_at}
        for number, listed in further.items()
        for one, key in listed
    ]
    for start in range(0, len(rows), OFTEN):
        connection.execute(address.insert(), rows[start : start + OFTEN])


def further_of(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[Further, ...]]:
    found: dict[int, tuple[Further, ...]] = {}
    if numbers:
        asked = sa.select(address).where(among(address.c.record, numbers)).order_by(address.c.id)
        for row in connection.execute(asked):
            one = Further(row.address, row.note, row.checked_at)
            found[row.record] = (*found.get(row.record, ()), one)
    return found


# Comments


def comments(connection: Connection, number: int) -> list[Comment]:
    return said.all(connection, comment.c.record == number)


def accounts_among(connection: Connection, numbers: Iterable[int]) -> set[int]:
    """Those of these accounts that exist and may be used."""
    asked = sa.select(account.c.id).where(among(account.c.id, numbers), account.c.active)
    return set(connection.scalars(asked))
