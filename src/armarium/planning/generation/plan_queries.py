"""What is kept of plans made in the background."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.planning.tables.harvests import harvest_plan


def plan_of(connection: Connection, harvest: int) -> "Row[Any] | None":
    return connection.execute(sa.select(harvest_plan).where(harvest_plan.c.harvest == harvest)).first()


def begin(connection: Connection, harvest: int, state: str, of: int) -> None:
    """The document of the last plan stays until the new one is made."""
    values = {"state": state, "asked_at": clock.now(), "done": 0, "of": of, "error": ""}
    connection.execute(
        insert(harvest_plan)
        .values(harvest=harvest, **values)
        .on_conflict_do_update(index_elements=["harvest"], set_=values)
    )


def save(connection: Connection, harvest: int, **values: object) -> None:
    connection.execute(sa.update(harvest_plan).where(harvest_plan.c.harvest == harvest).values(**values))
