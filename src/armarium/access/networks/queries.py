"""SQL of the networks."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.access.policy.model import Network
from armarium.access.tables import network


def all_of_them(connection: Connection) -> list[Network]:
    return [_network(row) for row in connection.execute(sa.select(network).order_by(network.c.name))]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Network | None:
    asked = sa.select(network).where(network.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _network(row) if row else None


def insert(connection: Connection, at: datetime, by: str, **values: object) -> int | None:
    """The number of the new one; None if there is one of that name."""
    made = postgresql_insert(network).values(created_at=at, created_by=by, **values)
    number: int | None = connection.scalar(made.on_conflict_do_nothing().returning(network.c.id))
    return number


def update(connection: Connection, number: int, **values: object) -> None:
    changed = sa.update(network).where(network.c.id == number)
    connection.execute(changed.values(edition=network.c.edition + 1, **values))


def delete(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(network).where(network.c.id == number))


def _network(row: sa.Row[Any]) -> Network:
    found = dict(row._mapping)
    return Network(**{**found, "ranges": tuple(found["ranges"])})
