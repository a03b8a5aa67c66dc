"""SQL of what replicas have to be told of withdrawn files."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.storage.model import FileState
from armarium.storage.replicas.queries import IN_USE
from armarium.storage.tables import replica, stored_file, withdrawal_note


@dataclass(frozen=True)
class Owed:
    file: int
    replica: int
    name: str
    times: int


def owe(connection: Connection, file: int) -> None:
    """To all replicas in use."""
    _add(connection, sa.select(sa.literal(file), replica.c.id, sa.literal(1)).where(IN_USE))


def owe_all(connection: Connection, place: int) -> None:
    """To one replica, of all files that are withdrawn."""
    withdrawn = stored_file.c.state == sa.literal_column(f"'{FileState.WITHDRAWN.value}'")
    _add(connection, sa.select(stored_file.c.id, sa.literal(place), sa.literal(1)).where(withdrawn))


def owed(connection: Connection, file: int | None, most: int) -> list[Owed]:
    """By replicas that answer, as far as is known."""
    columns = (withdrawal_note.c.file, withdrawal_note.c.replica, stored_file.c.name, withdrawal_note.c.times)
    asked = (
        sa.select(*columns)
        .join(stored_file, stored_file.c.id == withdrawal_note.c.file)
        .join(replica, replica.c.id == withdrawal_note.c.replica)
        .where(IN_USE, replica.c.away_since.is_(None))
        .order_by(withdrawal_note.c.file)
        .limit(most)
    )
    if file is not None:
        asked = asked.where(withdrawal_note.c.file == file)
    return [Owed(*row) for row in connection.execute(asked)]


def settle(connection: Connection, one: Owed) -> None:
    """It was told; unless it changed meanwhile, and has to be told again."""
    note = withdrawal_note.c
    mine = sa.and_(note.file == one.file, note.replica == one.replica, note.times == one.times)
    connection.execute(sa.delete(withdrawal_note).where(mine))


def _add(connection: Connection, wanted: "sa.Select[tuple[int, int, int]]") -> None:
    added = insert(withdrawal_note).from_select(["file", "replica", "times"], wanted)
    again = {"times": withdrawal_note.c.times + 1}
    connection.execute(added.on_conflict_do_update(index_elements=["file", "replica"], set_=again))
