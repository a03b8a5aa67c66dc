"""The table of what was found about the legal scope. The database refuses to alter or delete it."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.rows import Rows
from armarium.db.schema import flag, moment, number, reference, schema, text
from armarium.selection.legal.model import ScopeNote

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


notes = Rows(scope_note, ScopeNote, order=(scope_note.c.id.desc(),))
