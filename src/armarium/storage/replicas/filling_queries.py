"""SQL of filling the register's side of a new replica."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.storage.model import CopyState, ReplicaState
from armarium.storage.tables import file_copy, replica, stored_file


def ask(connection: Connection, place: int) -> None:
    """Copies of all files that are known now. The caller holds the replicas: nobody registers meanwhile."""
    last = sa.select(sa.func.coalesce(sa.func.max(stored_file.c.id), 0)).scalar_subquery()
    connection.execute(sa.update(replica).where(replica.c.id == place).values(filled_to=0, fill_to=last))


def unfilled(connection: Connection) -> int | None:
    """A replica that is not filled, locked; those at which somebody else is are left to them."""
    active = replica.c.state == ReplicaState.ACTIVE.value
    asked = sa.select(replica.c.id).where(active, replica.c.filled_to < replica.c.fill_to)
    number: int | None = connection.scalar(
        asked.order_by(replica.c.id).limit(1).with_for_update(skip_locked=True, key_share=True)
    )
    return number


def fill(connection: Connection, place: int, length: int, now: datetime) -> None:
    """The next range of files."""
    mine = replica.c.id == place
    begin, last = connection.execute(sa.select(replica.c.filled_to, replica.c.fill_to).where(mine)).one()
    end = min(begin + length, last)
    wanted = sa.select(
        stored_file.c.id, sa.literal(place), sa.literal(CopyState.WAITING.value), sa.literal(now)
    ).where(stored_file.c.id > begin, stored_file.c.id <= end)
    added = insert(file_copy).from_select(["file", "replica", "state", "changed_at"], wanted)
    connection.execute(added.on_conflict_do_nothing())
    connection.execute(sa.update(replica).where(mine).values(filled_to=end))
