"""The tables of bulk edits: what was to be changed, in which records, and what stood there before."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import count, moment, number, reference, text
from armarium.db.schema import schema

bulk = sa.Table(
    "selection_bulk",
    schema,
    number(),
    reference("account", "account.id", nullable=True),
    text("actor"),
    text("query"),  # of the question that found the records
    sa.Column("changes", JSONB, nullable=False),
    text("state"),
    count("found"),
    count("changing"),
    count("same"),
    count("refused"),
    count("changed"),
    count("passed_over"),  # somebody changed them between the preview and the change
    count("restored"),
    count("kept"),  # not restored, because somebody changed them since
    text("problem"),
    moment("made_at"),
    moment("applied_at", nullable=True),
    moment("undone_at", nullable=True),
    text("undone_by"),
    sa.Index("selection_bulk_made_at_index", "made_at"),
)

bulk_record = sa.Table(
    "selection_bulk_record",
    schema,
    sa.Column("bulk", sa.BigInteger, sa.ForeignKey("selection_bulk.id"), primary_key=True),
    sa.Column("record", sa.BigInteger, sa.ForeignKey("selection_record.id"), primary_key=True),
    sa.Column("edition", sa.Integer, nullable=False),  # that the preview saw
    text("verdict"),  # change, same, or why it cannot be changed
    sa.Column("why", JSONB),  # the sentence of a refusal, and its values
    sa.Column("before", JSONB),
    sa.Column("after", JSONB),
    text("outcome"),  # changed, passed over, restored, kept
    sa.Column("edition_after", sa.Integer),
)

#: Apart, because it is written while the transaction of the change holds all the rest.
bulk_progress = sa.Table(
    "selection_bulk_progress",
    schema,
    sa.Column("bulk", sa.BigInteger, primary_key=True, autoincrement=False),
    count("done"),
    count("total"),
)
