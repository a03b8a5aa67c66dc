"""SQL of what jobs brought, over planning, storage and index."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.viewings.protocols import Brought, Job, JobFile
from armarium.index.chain.model import IndexState
from armarium.index.tables import index_file
from armarium.planning.labels import STATES
from armarium.planning.model import JobState
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import job
from armarium.storage.model import FileState
from armarium.storage.tables import stored_file

BIGINTS = sa.ARRAY(sa.BigInteger)
METADATA = "metadata"
F, X = stored_file.c, index_file.c
#: What came from outside may name a job of another house.
OWN = F.accession.is_(None)
#: Records about the crawl itself are no captures.
LINES = sa.case((sa.and_(X.state == IndexState.INDEXED, F.kind != METADATA), X.lines), else_=0)


def _among(column: "sa.ColumnElement[int | None]", numbers: Sequence[int]) -> "sa.ColumnElement[bool]":
    return column == sa.any_(sa.literal(sorted(numbers), BIGINTS))


def jobs(connection: Connection, numbers: Sequence[int]) -> list[Job]:
    asked = (
        sa.select(job.c.id, job.c.harvest, harvest.c.name, job.c.state, job.c.ended_at)
        .join(harvest, harvest.c.id == job.c.harvest)
        .where(_among(job.c.id, numbers))
        .order_by(job.c.id)
    )
    return [
        Job(number, of, name, *STATES[JobState(state)], ended_at)
        for number, of, name, state, ended_at in connection.execute(asked)
    ]


def of_run(connection: Connection, run: int) -> list[int] | None:
    """None: there is no such run."""
    found = list(connection.scalars(sa.select(job.c.id).where(job.c.run == run).order_by(job.c.id)))
    if not found and connection.scalar(sa.select(harvest_run.c.id).where(harvest_run.c.id == run)) is None:
        return None
    return found


def brought(connection: Connection, numbers: Sequence[int]) -> Brought:
    asked = (
        sa.select(sa.func.count(), sa.func.sum(F.size), sa.func.sum(LINES))
        .select_from(stored_file.outerjoin(index_file, X.file == F.id))
        .where(_among(F.job, numbers), OWN, F.state == FileState.STORED)
    )
    files, size, captures = connection.execute(asked).one()
    return Brought(files, int(size or 0), int(captures or 0))


def files(connection: Connection, number: int, limit: int, offset: int) -> tuple[list[JobFile], int]:
    where = (_among(F.job, [number]), OWN)
    asked = (
        sa.select(F.id, F.name, F.kind, F.size, sa.func.coalesce(LINES, 0), F.state)
        .select_from(stored_file.outerjoin(index_file, X.file == F.id))
        .where(*where)
        .order_by((F.kind == METADATA).desc(), F.id)
        .limit(limit)
        .offset(offset)
    )
    found = [
        JobFile(file, name, kind == METADATA, size, lines, state == FileState.STORED)
        for file, name, kind, size, lines, state in connection.execute(asked)
    ]
    return found, connection.scalar(sa.select(sa.func.count()).select_from(stored_file).where(*where)) or 0


def describes(connection: Connection, number: int, name: str) -> bool:
    """Whether it is a file of this job, and one about the crawl itself."""
    asked = sa.select(F.id).where(_among(F.job, [number]), OWN, F.name == name, F.kind == METADATA)
    return connection.scalar(asked.where(F.state == FileState.STORED)) is not None
