"""SQL of what the index says on the overview."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.figures import MOST, count_up_to
from armarium.index.chain.model import IndexState
from armarium.index.tables import index_file, index_step
from armarium.index.upkeep.queries import TROUBLED

LATEST = 50  # steps that are looked through


def waiting_files(connection: Connection) -> int:
    """Those whose turn comes, counted to some bound."""
    to_do = index_file.c.state.in_([IndexState.WAITING.value, IndexState.AGAIN.value])
    return count_up_to(connection, sa.select(index_file.c.file).where(to_do, index_file.c.error == ""))


def failed_files(connection: Connection) -> tuple[int, datetime | None]:
    """How many, to some bound, and when the last was tried."""
    some = sa.select(index_file.c.asked_at).where(TROUBLED).limit(MOST).subquery()
    row = connection.execute(sa.select(sa.func.count(), sa.func.max(some.c.asked_at))).one()
    return row[0], row[1]


def latest_steps(connection: Connection) -> list["sa.Row[Any]"]:
    asked = sa.select(index_step).order_by(index_step.c.id.desc()).limit(LATEST)
    return list(connection.execute(asked))
