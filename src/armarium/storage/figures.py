"""Sums over all files and copies: counted when they are asked for, and kept where that takes too long.

In a small archive counting takes no time, and whoever has just pressed a button sees what it did. In a large
one it takes seconds: then a task counts now and then, and pages show its figures, and of when they are.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage import figure_queries

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
            kept = figure_queries.one(connection, name)
        if kept is not None and clock.now() - kept.at < FORSAKEN:
            return kept.content, kept.at
        return self._counted(name, count), None

    def refresh(self, counts: Mapping[str, Counted]) -> None:
        """Count again what is kept, if that was long enough ago."""
        with self._database.transaction() as connection:
            kept = figure_queries.all_kept(connection)
        for name, count in counts.items():
            if name in kept and (clock.now() - kept[name].at).total_seconds() > SHARE * kept[name].seconds:
                self._counted(name, count)

    def _counted(self, name: str, count: Counted) -> Content:
        began = time.monotonic()
        with self._database.transaction() as connection:
            content = count(connection)
            seconds = time.monotonic() - began
            if seconds > SLOW:
                figure_queries.keep(connection, name, content, seconds, clock.now())
            else:
                figure_queries.forget(connection, name)
        return content
