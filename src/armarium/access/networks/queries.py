"""SQL of the networks, and of the rules that speak of them."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.networks.model import Network
from armarium.access.tables import network, rule
from armarium.db.rows import Rows

networks = Rows(network, Network, order=(network.c.name,))


def delete(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(network).where(network.c.id == number))


def unknown(connection: Connection, numbers: Iterable[int]) -> set[int]:
    """Those of the numbers that no network has; the others stay until the end of the transaction."""
    wanted = set(numbers)
    if not wanted:
        return wanted
    asked = sa.select(network.c.id).where(network.c.id.in_(wanted)).with_for_update(read=True)
    return wanted - set(connection.scalars(asked))


def rules_of(connection: Connection, number: int) -> list[int]:
    """The rules, not yet ended, that speak of a network."""
    asked = sa.select(rule.c.id).where(rule.c.ended_at.is_(None), rule.c.networks.contains([number]))
    return list(connection.scalars(asked.order_by(rule.c.id)))
