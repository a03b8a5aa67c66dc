"""The table of what was found about the legal scope. The database refuses to alter or delete it."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import flag, moment, number, reference, text
from armarium.db.schema import schema
from armarium.selection.legal.model import Criterion, ScopeNote

scope_note = sa.Table(
    "selection_scope_note",
    schema,
    number(),
    reference("record", "selection_record.id", index=True),
    moment("at"),
    text("author"),
    text("criterion"),
    flag("meets"),
    text("text"),
    sa.Column("evidence", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
)


# Questions


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
