"""The table of plans: previews that took too long to be made while a page waits."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import count, moment, text
from armarium.db.schema import schema

#: The last plan of a harvest, made in the background. One at a time: a new one takes the place of the old.
harvest_plan = sa.Table(
    "harvest_plan",
    schema,
    sa.Column("harvest", sa.BigInteger, sa.ForeignKey("harvest.id"), primary_key=True, autoincrement=False),
    text("state"),  # previews.PlanState
    moment("asked_at"),
    count("done"),  # domains looked at
    count("of"),
    sa.Column("document", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),  # plan.Plan
    text("error"),
)
