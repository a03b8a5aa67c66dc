"""What the pages read of collections beside what the chain itself reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.index.chain.model import Collection, IndexState, Kind, Level, RunState
from armarium.index.tables import index_collection, index_file, index_membership, index_run


@dataclass(frozen=True)
class Figures:
    files: int = 0
    lines: int = 0
    bytes: int = 0  # of its own runs


@dataclass(frozen=True)
class Origin:
    """A harvest or an accession, and what the index has of it."""

    harvest: int | None
    accession: int | None
    files: int
    lines: int


MOST_ORIGINS = 100
C, F, M, R = index_collection.c, index_file.c, index_membership.c, index_run.c
LIVE = R.state == RunState.LIVE


def figures(connection: Connection, of: Sequence[Collection]) -> dict[int, Figures]:
    """Files, lines and the size of its own runs of each; lines are told by the few runs, not by all files."""
    collections = [one.id for one in of]
    mine = M.collection.in_(collections) & (M.kind == Kind.CDX)
    held = sa.select(M.collection, sa.func.count()).where(mine).group_by(M.collection)
    files: dict[int, int] = {row[0]: row[1] for row in connection.execute(held)}
    fresh = (
        sa.select(M.collection, sa.func.sum(R.lines))
        .join(index_run, R.id == M.run)
        .where(mine, LIVE, R.level == Level.FILE)
        .group_by(M.collection)
    )
    lines: dict[int, int] = {row[0]: int(row[1]) for row in connection.execute(fresh)}
    own = (
        sa.select(R.collection, sa.func.sum(R.lines), sa.func.sum(R.bytes))
        .where(R.collection.in_(collections), R.kind == Kind.CDX, LIVE, R.level != Level.FILE)
        .group_by(R.collection)
    )
    runs = {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(own)}
    return {
        number: Figures(
            files.get(number, 0),
            lines.get(number, 0) + runs.get(number, (0, 0))[0],
            runs.get(number, (0, 0))[1],
        )
        for number in collections
    }


def made(connection: Connection, collection: int) -> tuple[datetime, str]:
    """When, and by whom."""
    row = connection.execute(sa.select(C.created_at, C.created_by).where(C.id == collection)).one()
    return row.created_at, row.created_by


def origins(connection: Connection, most: int = MOST_ORIGINS) -> list[Origin]:
    """Harvests and accessions of which the index has files, those with most files first."""
    counted = (
        sa.select(F.harvest, F.accession, sa.func.count().label("files"), sa.func.sum(F.lines).label("lines"))
        .where(F.state == IndexState.INDEXED, F.harvest.is_not(None) | F.accession.is_not(None))
        .group_by(F.harvest, F.accession)
        .order_by(sa.desc("files"), F.harvest, F.accession)
        .limit(most)
    )
    return [Origin(*row) for row in connection.execute(counted)]
