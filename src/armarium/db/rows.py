"""The rows of one table as values of a dataclass: the SQL that every entity has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.entities import D, from_row
from armarium.db.stretches import Beginning, stretch

Condition = ColumnElement[bool]
FEW = 1000  # names


@dataclass(frozen=True)
class Rows(Generic[D]):
    """The columns of the table are the fields of the dataclass, or more; `id` is its number."""

    table: sa.Table
    kind: type[D]
    order: tuple[ColumnElement[Any], ...]  # of lists; that of no two rows
    joined: "sa.Select[Any] | None" = None  # the table with what is asked of others, as names

    def selected(self) -> sa.Select[Any]:
        """What is read of each; a subclass may join other tables, or leave something out."""
        return sa.select(self.table) if self.joined is None else self.joined

    def locked(self, asked: sa.Select[Any]) -> sa.Select[Any]:
        return asked.with_for_update(of=self.table)

    def value(self, row: Mapping[Any, Any]) -> D:
        return from_row(self.kind, row)

    def read(self, connection: Connection, asked: sa.Select[Any]) -> list[D]:
        """What a query made of `selected` finds."""
        return [self.value(row) for row in connection.execute(asked).mappings()]

    def one(self, connection: Connection, *conditions: Condition, lock: bool = False) -> D | None:
        asked = self.selected().where(*conditions)
        row = connection.execute(self.locked(asked) if lock else asked).mappings().one_or_none()
        return self.value(row) if row else None

    def by_id(self, connection: Connection, number: int, *, lock: bool = False) -> D | None:
        return self.one(connection, self.table.c.id == number, lock=lock)

    def by_name(self, connection: Connection, name: str, *, lock: bool = False) -> D | None:
        return self.one(connection, self.table.c.name == name, lock=lock)

    def names(self, connection: Connection, *conditions: Condition) -> list[str]:
        """Some of those that there are, to propose one where another was misspelt."""
        asked = sa.select(self.table.c.name).where(*conditions).order_by(self.table.c.name).limit(FEW)
        return list(connection.execute(asked).scalars())

    def all(self, connection: Connection, *conditions: Condition, lock: bool = False) -> list[D]:
        asked = self.selected().where(*conditions)
        # Locked in one order by everybody, so that no two wait for each other.
        asked = self.locked(asked.order_by(self.table.c.id)) if lock else asked.order_by(*self.order)
        return self.read(connection, asked)

    def page(
        self, connection: Connection, limit: int | None, offset: Beginning, *conditions: Condition
    ) -> tuple[list[D], int]:
        """A stretch of those that fulfil the conditions, and how many there are in all."""
        asked = self.selected().where(*conditions)
        total = connection.scalar(asked.with_only_columns(sa.func.count(), maintain_column_froms=True))
        found = stretch(connection, asked, self.order, limit, offset)
        return [self.value(row) for row in found.mappings()], int(total or 0)

    def add(self, connection: Connection, **values: object) -> int:
        """The number of the new one, of which nothing must be unique."""
        made = sa.insert(self.table).values(_kept(values)).returning(self.table.c.id)
        number: int = connection.execute(made).scalar_one()
        return number

    def insert(self, connection: Connection, **values: object) -> int | None:
        """The number of the new one; None if what must be unique is taken."""
        made = insert(self.table).values(_kept(values)).on_conflict_do_nothing()
        number: int | None = connection.scalar(made.returning(self.table.c.id))
        return number

    def new(self, connection: Connection, **values: object) -> D:
        """The new one, of which nothing must be unique."""
        found = self.by_id(connection, self.add(connection, **values))
        assert found is not None
        return found

    def update(self, connection: Connection, number: int, **values: object) -> None:
        counted = {"edition": self.table.c.edition + 1} if "edition" in self.table.c else {}
        changed = sa.update(self.table).where(self.table.c.id == number)
        connection.execute(changed.values({**counted, **_kept(values)}))


def _kept(values: Mapping[str, object]) -> dict[str, object]:
    """Arrays of PostgreSQL are lists."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
