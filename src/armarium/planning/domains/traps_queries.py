"""SQL of the lists of crawler traps for all domains."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.db.stretches import Beginning, stretch
from armarium.planning.domains.tables import trap_list


@dataclass(frozen=True)
class TrapList:
    id: int
    name: str
    description: str
    active: bool
    expressions: Sequence[str]
    edition: int

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return {
            "name": self.name,
            "description": self.description,
            "active": self.active,
            "expressions": list(self.expressions),
        }

    @property
    def mark(self) -> str:
        """Changes whenever something about the list changes."""
        return sha256(json.dumps(self.described()).encode()).hexdigest()[:16]


def lists(
    connection: Connection, limit: int | None = None, offset: Beginning = 0
) -> tuple[list[TrapList], int]:
    order = (trap_list.c.active.desc(), trap_list.c.name)
    total = connection.scalar(sa.select(sa.func.count()).select_from(trap_list))
    found = stretch(connection, sa.select(trap_list), order, limit, offset)
    return [_list(row) for row in found], int(total or 0)


def active(connection: Connection) -> list[TrapList]:
    asked = sa.select(trap_list).where(trap_list.c.active).order_by(trap_list.c.id)
    return [_list(row) for row in connection.execute(asked)]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> TrapList | None:
    asked = sa.select(trap_list).where(trap_list.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _list(row) if row else None


def by_name(connection: Connection, name: str, *, lock: bool = False) -> TrapList | None:
    asked = sa.select(trap_list).where(trap_list.c.name == name)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _list(row) if row else None


def insert(connection: Connection, **values: object) -> int | None:
    """The number of the new list; None if there is one of that name."""
    made = postgresql_insert(trap_list).values(**values).on_conflict_do_nothing()
    number: int | None = connection.scalar(made.returning(trap_list.c.id))
    return number


def update(connection: Connection, number: int, **values: object) -> None:
    changed = sa.update(trap_list).where(trap_list.c.id == number)
    connection.execute(changed.values(edition=trap_list.c.edition + 1, **values))


def _list(row: sa.Row[Any]) -> TrapList:
    return TrapList(**row._mapping)
