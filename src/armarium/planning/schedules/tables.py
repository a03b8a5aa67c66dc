"""The table of schedules: when harvests run."""

import sqlalchemy as sa

from armarium.db.columns import edition, flag, moment, number, text
from armarium.db.schema import schema

schedule = sa.Table(
    "schedule",
    schema,
    number(),
    text("name", unique=True),
    text("comments"),
    flag("active"),
    text("unit"),  # minute, hour, day, week, month, once
    sa.Column("every", sa.Integer, nullable=False, server_default=sa.text("1")),
    flag("anytime", default=False),  # exactly so long after the last run, not at a fixed moment
    sa.Column("minute", sa.Integer),
    sa.Column("hour", sa.Integer),
    sa.Column("weekday", sa.Integer),  # 1 Monday … 7 Sunday
    sa.Column("day", sa.Integer),  # of the month; beyond its end: the last one
    text("zone"),  # of hour and minute: Europe/Paris; empty: UTC
    moment("starts_at", nullable=True),
    moment("ends_at", nullable=True),
    sa.Column("max_runs", sa.Integer),
    edition(),
)
