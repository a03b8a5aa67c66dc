"""The table of schedules, its rows, and the harvests that follow them."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.columns import edition, flag, moment, number, text
from armarium.db.rows import Rows
from armarium.db.schema import schema
from armarium.planning.harvests.tables import harvest
from armarium.planning.schedules.model import Schedule

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
schedules = Rows(schedule, Schedule, order=(schedule.c.active.desc(), schedule.c.id))


@dataclass(frozen=True)
class Follower:
    """A harvest that runs by a schedule."""

    id: int
    name: str
    active: bool
    next_at: datetime | None


def followers(connection: Connection, number: int, *, limit: int) -> list[Follower]:
    asked = sa.select(harvest.c.id, harvest.c.name, harvest.c.active, harvest.c.next_at)
    asked = asked.where(harvest.c.schedule == number).order_by(harvest.c.name).limit(limit)
    return [Follower(*row) for row in connection.execute(asked)]


def follower_counts(connection: Connection) -> dict[int, int]:
    asked = sa.select(harvest.c.schedule, sa.func.count()).where(harvest.c.schedule.is_not(None))
    return {row[0]: row[1] for row in connection.execute(asked.group_by(harvest.c.schedule))}
