"""The table of what was found about the legal scope. The database refuses to alter or delete it."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import flag, moment, number, reference, text
from armarium.db.schema import schema

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
