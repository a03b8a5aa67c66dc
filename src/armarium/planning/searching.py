"""Lists that are searched by a part of a name or comment, and by whether things are in use."""

from typing import Generic, TypeVar

import sqlalchemy as sa

from armarium.audit.entities import Entities
from armarium.core.entities import Entity
from armarium.db.stretches import Beginning

E = TypeVar("E", bound=Entity)

TEXTS = ("name", "description", "comments")
#: What the lists offer as “State”.
STATES = {"active": True, "retired": False}


class Searched(Entities[E], Generic[E]):
    def matching(
        self, text: str = "", active: bool | None = None, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[E], int]:
        """A stretch of those that fit, and how many there are."""
        table = self.rows.table
        conditions: list[sa.ColumnElement[bool]] = []
        if text.strip():
            places = [table.c[name] for name in TEXTS if name in table.c]
            conditions.append(sa.or_(*(one.icontains(text.strip(), autoescape=True) for one in places)))
        if active is not None:
            conditions.append(table.c.active.is_(active))
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset, *conditions)
