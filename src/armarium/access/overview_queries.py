"""SQL of what access says on the overview."""

from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.tables import missing, use, viewing
from armarium.db.figures import MOST


def read_by_day(connection: Connection, first: date) -> tuple[dict[date, int], dict[date, int]]:
    """Visits, and pages that were shown."""
    times = sa.func.sum(use.c.times)
    pages = times.filter(use.c.kind == "page", use.c.outcome == "shown")
    asked = sa.select(use.c.day, times.filter(use.c.kind == "visit"), pages).where(use.c.day >= first)
    rows = connection.execute(asked.group_by(use.c.day)).all()
    return {row[0]: int(row[1] or 0) for row in rows}, {row[0]: int(row[2] or 0) for row in rows}


def missing_of(connection: Connection, account: int) -> list["sa.Row[Any]"]:
    """The open viewings of a person with addresses that were missing and are handed to no harvest."""
    noted = (
        sa.select(missing.c.id)
        .where(missing.c.viewing == viewing.c.id, missing.c.harvest.is_(None))
        .limit(MOST)
        .lateral()
    )
    asked = (
        sa.select(viewing.c.id, sa.func.count().label("addresses"))
        .select_from(viewing.join(noted, sa.true()))
        .where(viewing.c.account == account, viewing.c.ended_at.is_(None))
        .group_by(viewing.c.id)
        .order_by(viewing.c.id.desc())
    )
    return list(connection.execute(asked))
