"""SQL over several rooms."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.index.chain.collections import HARVEST
from armarium.index.tables import index_collection, index_file
from armarium.planning.arrivals.handover import COMPANION
from armarium.planning.tables.harvests import INDEX, arrival, harvest
from armarium.planning.tables.jobs import job
from armarium.selection.tables import collection
from armarium.selection.transfer.tables import target
from armarium.storage.files import queries as files
from armarium.storage.model import CopyState
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.tables import stored_file

BIGINTS = sa.ARRAY(sa.BigInteger)


def files_of_jobs(connection: Connection, jobs: Collection[int]) -> dict[str, int]:
    """The files that these jobs brought, each with its job. None of those that came from outside."""
    mine = index_file.c.job == sa.any_(sa.literal(sorted(jobs), BIGINTS))
    asked = sa.select(index_file.c.name, index_file.c.job).where(mine, index_file.c.accession.is_(None))
    return {row.name: row.job for row in connection.execute(asked)}


def harvest_name(connection: Connection, number: int) -> str:
    return connection.scalar(sa.select(harvest.c.name).where(harvest.c.id == number)) or ""


def collections_of(connection: Connection, number: int) -> list[str]:
    """Those of selection for whose records this harvest is, then those of the archive that were given it.
    That of everything says nothing, nor that of the harvest itself, which begins with its first file."""
    chosen = sa.select(collection.c.name).join(target, target.c.collection == collection.c.id)
    mine = sa.literal(number) == sa.any_(index_collection.c.harvests)
    own = index_collection.c.name == HARVEST.format(number)
    given = sa.select(index_collection.c.name).where(mine, ~own, index_collection.c.active)
    names = [
        *connection.scalars(chosen.where(target.c.harvest == number).order_by(collection.c.name)),
        *connection.scalars(given.order_by(index_collection.c.name)),
    ]
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class Superfluous:
    """A file among the arrivals, and what the register says of its name."""

    job: int
    name: str
    file: int | None  # in the register, with the same content; none for an index
    needed: str  # the path that the register will clear away itself, when it can


def superfluous(connection: Connection, lying: Sequence[tuple[int, str]]) -> list[Superfluous]:
    """Of these files: those whose content is stored, and indexes of jobs that have ended."""
    file_name = sa.func.regexp_replace(arrival.c.name, rf"\{COMPANION}$", "").collate("C")
    same = sa.and_(stored_file.c.sha256 == arrival.c.sha256, stored_file.c.size == arrival.c.size)
    stored = sa.and_(same, arrival.c.stored_at.is_not(None), stored_file.c.stored_at.is_not(None))
    is_index = arrival.c.kind == INDEX
    asked = (
        sa.select(
            arrival.c.job,
            arrival.c.name,
            sa.case((is_index, None), else_=stored_file.c.id).label("file"),
            sa.case((is_index, stored_file.c.companion), else_=stored_file.c.source).label("needed"),
        )
        .join(job, job.c.id == arrival.c.job)
        .outerjoin(stored_file, stored_file.c.name == file_name)
        .where(sa.tuple_(arrival.c.job, arrival.c.name).in_(lying))
        .where(sa.case((is_index, job.c.ended_at.is_not(None)), else_=stored))
    )
    return [Superfluous(row.job, row.name, row.file, row.needed or "") for row in connection.execute(asked)]


def is_safe(connection: Connection, file: int) -> bool:
    """Whether every active replica has accepted it, and one of them keeps bytes."""
    if files.lacking(connection, file):
        return False
    copies = files.copies(connection, file)
    return any(copy.state is CopyState.ACCEPTED and holds_bytes(copy.replica) for copy in copies)
