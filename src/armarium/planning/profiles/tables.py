"""The tables of profiles (harvest templates) and their versions."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import flag, moment, number, reference, text
from armarium.db.schema import schema

profile = sa.Table(
    "profile",
    schema,
    number(),
    text("name", unique=True),
    text("description"),
    flag("active"),
    flag("shipped", default=False),  # came with Armarium
    sa.Column("version", sa.Integer, nullable=False),  # the newest
)

#: Never altered: a job cites the version that it was made with.
profile_version = sa.Table(
    "profile_version",
    schema,
    number(),
    reference("profile", "profile.id"),
    sa.Column("version", sa.Integer, nullable=False),  # 1, 2, …
    sa.Column("document", JSONB, nullable=False),  # what differs from the defaults of a crawl order
    text("reason"),
    text("by"),
    moment("created_at"),
    sa.UniqueConstraint("profile", "version"),
)
