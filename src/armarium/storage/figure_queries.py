"""SQL of figures that are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.storage.tables import storage_figure


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
