"""The table of nominations."""

import sqlalchemy as sa

from armarium.db.columns import moment, number, reference, text
from armarium.db.schema import schema

nomination = sa.Table(
    "selection_nomination",
    schema,
    number(),
    moment("at"),
    reference(
        "collection", "selection_collection.id", nullable=True
    ),  # empty: whoever nominated did not know
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False),
    text("title"),
    text("reason"),
    text("name"),  # of the person; removed after some time, as the mail address
    text("mail"),
    text("language"),  # in which the person wants an answer
    text("origin"),  # network address; removed after some days
    text("state"),  # waiting, accepted, declined
    text("answer"),
    moment("decided_at", nullable=True),
    text("decided_by"),
    reference("record", "selection_record.id", nullable=True),
    sa.Index("selection_nomination_state_index", "state", "at"),
    sa.Index("selection_nomination_key_index", "key"),
    sa.Index("selection_nomination_origin_index", "origin", "at"),
)
