"""SQL of the legal scope."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.selection.legal.model import Criterion, ScopeNote
from armarium.selection.legal.tables import scope_note


def insert(connection: Connection, values: Mapping[str, object]) -> int:
    number: int = connection.execute(
        scope_note.insert().values(**values).returning(scope_note.c.id)
    ).scalar_one()
    return number


def notes(connection: Connection, record: int) -> list[ScopeNote]:
    """Newest first."""
    asked = sa.select(scope_note).where(scope_note.c.record == record).order_by(scope_note.c.id.desc())
    return [_note(row) for row in connection.execute(asked)]


def _note(row: sa.Row[Any]) -> ScopeNote:
    return ScopeNote(**{**row._mapping, "criterion": Criterion(row.criterion)})
