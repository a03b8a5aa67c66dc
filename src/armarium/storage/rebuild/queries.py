"""SQL of the rebuild: it adds rows, and never touches one that is there."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.storage.tables import archive, file_copy, replica, stored_file


def known(connection: Connection, names: Collection[str]) -> set[str]:
    asked = sa.select(stored_file.c.name).where(stored_file.c.name.in_(list(names)))
    return set(connection.scalars(asked))


def set_archive(connection: Connection, word: str) -> None:
    """Also for processes that have opened the replicas already, as those of another archive."""
    connection.execute(sa.update(archive).values(id=word))
    connection.execute(sa.update(replica).values(edition=replica.c.edition + 1))


def add_copies(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(sa.insert(file_copy), [dict(row) for row in rows])
