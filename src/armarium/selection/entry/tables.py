"""The tables of live checks."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import count, flag, moment, number, reference, text
from armarium.db.schema import schema
from armarium.selection import tables as selection_tables  # noqa: F401  (whose tables these refer to)

#: What somebody entered at once, for one collection.
batch = sa.Table(
    "selection_check_batch",
    schema,
    number(),
    reference("collection", "selection_collection.id"),
    reference("record", "selection_record.id", nullable=True),  # whose address is looked at again
    reference("account", "account.id", nullable=True),
    moment("created_at"),
    text("created_by"),
    sa.Index("selection_check_batch_account_index", "account", "created_at"),
    sa.Index("selection_check_batch_created_at_index", "created_at"),
)

#: One line with what was seen. Kept for ever where a record came of it: the evidence for its selection.
check = sa.Table(
    "selection_check",
    schema,
    number(),
    reference("batch", "selection_check_batch.id"),
    sa.Column("line", sa.Integer, nullable=False),
    text("typed"),
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False, server_default=sa.text("''")),
    text("state"),
    sa.Column("twin", sa.Integer, nullable=False, server_default=sa.text("0")),
    text("trouble"),
    sa.Column("steps", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    text("robots"),
    text("robots_rule"),
    text("title"),
    text("language"),
    text("media_type"),
    count("size"),
    flag("whole"),
    text("tls_problem"),
    sa.Column("seconds", sa.Float, nullable=False, server_default=sa.text("0")),
    sa.Column("picture", sa.LargeBinary),
    text("picture_state"),
    moment("checked_at", nullable=True),
    reference("record", "selection_record.id", nullable=True, index=True),
    sa.UniqueConstraint("batch", "line"),
)
