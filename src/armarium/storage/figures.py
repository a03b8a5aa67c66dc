"""Sums over all files and copies: counted when they are asked for, and kept where that takes too long.

In a small archive counting takes no time, and whoever has just pressed a button sees what it did. In a large
one it takes seconds: then a task counts now and then, and pages show its figures, and of when they are.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.tables import storage_figure

SLOW = 0.2  # seconds
SHARE = 20  # the task spends at most one of so many seconds on counting
FORSAKEN = timedelta(hours=6)  # no worker has counted for so long: then whoever asks does

Content = dict[str, Any]
Counted = Callable[[Connection], Content]


class KeptFigures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str, count: Counted) -> tuple[Content, datetime | None]:
        """The figures, and of when they are; None: of this moment."""
        with self._database.transaction() as connection:
            kept = one(connection, name)
        if kept is not None and clock.now() - kept.at < FORSAKEN:
            return kept.content, kept.at
        return self._counted(name, count), None

    def refresh(self, counts: Mapping[str, Counted]) -> None:
        """Count again what is kept, if that was long enough ago."""
        with self._database.transaction() as connection:
            kept = all_kept(connection)
        for name, count in counts.items():
            if name in kept and (clock.now() - kept[name].at).total_seconds() > SHARE * kept[name].seconds:
                self._counted(name, count)

    def _counted(self, name: str, count: Counted) -> Content:
        began = time.monotonic()
        with self._database.transaction() as connection:
            content = count(connection)
            seconds = time.monotonic() - began
            if seconds > SLOW:
                keep(connection, name, content, seconds, clock.now())
            else:
                forget(connection, name)
        return content


# How fast work went

STRETCHES = 40  # points of a curve
LATEST_RESULTS = 20_000  # that are looked at: a page asks for it again and again

#: The middle of a stretch of time, and how much was done in it, a second.
Pace = list[tuple[datetime, float]]


def pace(connection: Connection, results: "sa.Select[Any]") -> Pace:
    """From results with the columns `at` and `amount`; nothing where a curve would say nothing."""
    done = results.limit(LATEST_RESULTS).subquery()
    first, last = connection.execute(sa.select(sa.func.min(done.c.at), sa.func.max(done.c.at))).one()
    if first is None or (last - first).total_seconds() < STRETCHES / 4:
        return []
    length = (last - first) / STRETCHES
    since = sa.func.extract("epoch", done.c.at - first) / length.total_seconds()
    stretch = sa.func.least(sa.func.floor(since), STRETCHES - 1).label("stretch")
    found = {
        int(row[0]): float(row[1] or 0)
        for row in connection.execute(sa.select(stretch, sa.func.sum(done.c.amount)).group_by(stretch))
    }
    seconds = length.total_seconds()
    return [(first + length * (at + 0.5), found.get(at, 0.0) / seconds) for at in range(STRETCHES)]


# SQL


@dataclass(frozen=True)
class Kept:
    name: str
    at: datetime
    seconds: float
    content: dict[str, Any]


def one(connection: Connection, name: str) -> Kept | None:
    return all_kept(connection).get(name)


def all_kept(connection: Connection) -> dict[str, Kept]:
    return {row["name"]: Kept(**row) for row in connection.execute(sa.select(storage_figure)).mappings()}


def keep(
    connection: Connection, name: str, content: Mapping[str, Any], seconds: float, now: datetime
) -> None:
    values = {"at": now, "seconds": seconds, "content": dict(content)}
    kept = insert(storage_figure).values(name=name, **values)
    connection.execute(kept.on_conflict_do_update(index_elements=["name"], set_=values))


def forget(connection: Connection, name: str) -> None:
    connection.execute(sa.delete(storage_figure).where(storage_figure.c.name == name))
