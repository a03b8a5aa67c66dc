"""How often each person wants a digest, and when the last one was written."""

import sqlalchemy as sa

from armarium.db.columns import moment, text
from armarium.db.schema import schema

digest = sa.Table(
    "selection_digest",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    text("rhythm"),  # never, daily, weekly
    moment("written_at", nullable=True),
)
