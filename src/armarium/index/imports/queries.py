"""What an import writes."""

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.index.chain.model import RunState
from armarium.index.tables import index_run

R = index_run.c


def retire_others(connection: Connection, collection: int, run: int) -> int:
    """Let a run be the only live one of its collection; how many others were."""
    others = sa.update(index_run).where(R.collection == collection, R.id != run, R.state == RunState.LIVE)
    return connection.execute(others.values(state=RunState.RETIRED, retired_at=clock.now())).rowcount
