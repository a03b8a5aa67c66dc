"""The rows of schedules, and the harvests that follow them."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.planning.schedules.model import Schedule
from armarium.planning.tables.harvests import harvest, schedule

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
