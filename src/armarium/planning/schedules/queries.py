"""SQL of schedules, and of the harvests that follow them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.db.stretches import Beginning, stretch
from armarium.planning.harvests.tables import harvest
from armarium.planning.schedules.model import Schedule, Unit
from armarium.planning.schedules.tables import schedule


@dataclass(frozen=True)
class Follower:
    """A harvest that runs by a schedule."""

    id: int
    name: str
    active: bool
    runs: int
    next_at: datetime | None


def schedules(connection: Connection, limit: int, offset: Beginning) -> tuple[list[Schedule], int]:
    order = (schedule.c.active.desc(), schedule.c.id)
    total = connection.scalar(sa.select(sa.func.count()).select_from(schedule))
    found = stretch(connection, sa.select(schedule), order, limit, offset)
    return [_schedule(row) for row in found], int(total or 0)


def active(connection: Connection) -> list[Schedule]:
    asked = sa.select(schedule).where(schedule.c.active).order_by(schedule.c.id)
    return [_schedule(row) for row in connection.execute(asked)]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Schedule | None:
    asked = sa.select(schedule).where(schedule.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _schedule(row) if row else None


def by_name(connection: Connection, name: str) -> Schedule | None:
    row = connection.execute(sa.select(schedule).where(schedule.c.name == name)).one_or_none()
    return _schedule(row) if row else None


def insert(connection: Connection, **values: object) -> int | None:
    """The number of the new schedule; None if there is one of that name."""
    made = postgresql_insert(schedule).values(**values).on_conflict_do_nothing()
    number: int | None = connection.scalar(made.returning(schedule.c.id))
    return number


def update(connection: Connection, number: int, **values: object) -> None:
    counted = schedule.c.edition + 1
    changed = sa.update(schedule).where(schedule.c.id == number)
    connection.execute(changed.values(edition=counted, **values))


def followers(connection: Connection, number: int, *, limit: int) -> list[Follower]:
    columns = (harvest.c.id, harvest.c.name, harvest.c.active, harvest.c.runs, harvest.c.next_at)
    asked = sa.select(*columns).where(harvest.c.schedule == number).order_by(harvest.c.name).limit(limit)
    return [Follower(*row) for row in connection.execute(asked)]


def follower_counts(connection: Connection) -> dict[int, int]:
    asked = sa.select(harvest.c.schedule, sa.func.count()).where(harvest.c.schedule.is_not(None))
    return {row[0]: row[1] for row in connection.execute(asked.group_by(harvest.c.schedule))}


def _schedule(row: sa.Row[Any]) -> Schedule:
    return Schedule(**{**row._mapping, "unit": Unit(row.unit)})
