"""The tables of imports: each with its file, for a while, and with what was wrong in it, for ever."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import count, limit, moment, number, reference, text
from armarium.db.schema import schema

imported = sa.Table(
    "selection_import",
    schema,
    number(),
    text("name"),  # of the file
    count("bytes"),
    reference("collection", "selection_collection.id", nullable=True),  # of lines that name none
    text("mode"),  # trial, all, good
    text("state"),  # waiting, running, tried, imported, refused, failed
    moment("created_at"),
    text("by"),
    sa.Column("editor", JSONB, nullable=False),  # who asked, and how far their right reached
    text("language"),  # in which they read
    moment("begun_at", nullable=True),
    moment("ended_at", nullable=True),
    count("done"),
    limit("total"),  # lines; empty: not known yet
    count("lines"),
    count("created"),
    count("changed"),
    count("unchanged"),
    count("refused"),
    sa.Column("notes", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    sa.Column("error", JSONB),
    sa.Column("denied", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    moment("cleared_at", nullable=True),  # the file is gone since
    sa.Index("selection_import_created_at_index", "created_at"),
)

#: The file in pieces, so that none of them is large: no disk that web and workers would have to share.
piece = sa.Table(
    "selection_import_piece",
    schema,
    sa.Column("import", sa.BigInteger, sa.ForeignKey("selection_import.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

fault = sa.Table(
    "selection_import_fault",
    schema,
    sa.Column("import", sa.BigInteger, sa.ForeignKey("selection_import.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("line", sa.Integer, nullable=False),
    text("column"),
    text("given"),
    sa.Column("text", JSONB, nullable=False),
)
