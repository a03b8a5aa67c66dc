"""Figures for pages, in SQL that stays quick in long tables: counts that stop, days as people have them."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select

MOST = 1000  # one more than pages show: 999+


def count_up_to(connection: Connection, asked: "Select[Any]", most: int = MOST) -> int:
    """How many rows it finds, but never more than so many."""
    return connection.scalar(sa.select(sa.func.count()).select_from(asked.limit(most).subquery())) or 0


def day_of(moment: "sa.ColumnElement[datetime]", zone: str) -> "sa.ColumnElement[date]":
    """The day on which something was, for those who live in this zone."""
    return sa.cast(sa.func.timezone(zone, moment), sa.Date)


def by_day(
    connection: Connection,
    moment: "sa.ColumnElement[Any]",
    zone: str,
    since: datetime,
    sums: "Iterable[sa.ColumnElement[Any]]",
    *conditions: "sa.ColumnElement[bool]",
) -> list[dict[date, int]]:
    """Each of the sums, by day, from a moment on. There should be an index on `moment` that has the rest."""
    day = day_of(moment, zone).label("day")
    asked = sa.select(day, *sums).where(moment >= since, *conditions).group_by(day)
    rows = connection.execute(asked).all()
    return [{row[0]: int(row[at] or 0) for row in rows} for at in range(1, len(list(sums)) + 1)]
