"""What the viewer asks of planning, storage and index, in its own words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.viewings.protocols import Brought, Fate, Handed, Job, JobFile, Line, MetadataRecord, Plan
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.chain.model import IndexState
from armarium.index.tables import index_file
from armarium.planning.harvests.events import EventHarvests, Pasted, SeedResult, Seeds, read_seeds
from armarium.planning.harvests.model import Definition
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.service import Harvests
from armarium.planning.jobs.service import Jobs
from armarium.planning.labels import STATES
from armarium.planning.model import HarvestKind, JobState
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import job
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.model import FileState
from armarium.storage.tables import stored_file

MOST_HARVESTS = 200  # to choose from
PIECE = 1 << 20
PROFILE = "page"  # what was missing is wanted with what it embeds, and no further


@dataclass(frozen=True)
class BroughtHome:
    """Viewer → planning, storage and index: what jobs brought."""

    database: Database
    planned: Jobs
    stored: Files
    reader: Reader

    def jobs(self, numbers: Sequence[int]) -> list[Job]:
        with self.database.transaction() as connection:
            return jobs(connection, numbers)

    def of_run(self, run: int) -> list[int]:
        with self.database.transaction() as connection:
            found = of_run(connection, run)
        if found is None:
            raise NotFound(message("There is no run with the number %(number)s.", number=run))
        return found

    def brought(self, jobs: Sequence[int]) -> Brought:
        with self.database.transaction() as connection:
            return brought(connection, jobs)

    def files(self, job: int, *, limit: int, offset: int = 0) -> tuple[list[JobFile], int]:
        with self.database.transaction() as connection:
            return files(connection, job, limit, offset)

    def seeds(self, jobs: Sequence[int], most: int) -> list[str]:
        found: dict[str, None] = {}
        for number in jobs:
            for url, _ in self.planned.seeds(number):
                found[url] = None
                if len(found) == most:
                    return list(found)
        return list(found)

    def records(self, job: int, file: str) -> list[MetadataRecord]:
        self._check(job, file)
        with self.reader.open(file) as opened:
            return [
                MetadataRecord(one.target_uri, one.offset, one.block.length, one.content_type or "")
                for one in ArchiveReader(opened)
                if one.target_uri
            ]

    def content(self, job: int, file: str, offset: int) -> Iterator[bytes]:
        self._check(job, file)
        block = self.reader.record(file, offset).block
        while piece := block.read(PIECE):
            yield piece

    def whole(self, file: str) -> tuple[int | None, Iterator[bytes]]:
        known = self.stored.named(file)
        return known.job, self.reader.pieces(known.name)

    def _check(self, job: int, file: str) -> None:
        with self.database.transaction() as connection:
            if not describes(connection, job, file):
                told = message("Job %(job)s has no file %(name)s about its crawl.", job=job, name=file[:200])
                raise NotFound(told)


@dataclass(frozen=True)
class ToEventHarvests:
    """Viewer → planning: addresses that were missing become seeds."""

    events: EventHarvests
    planned: Harvests

    def harvests(self) -> list[tuple[int, str]]:
        found, _ = self.planned.search(HarvestFilter(kind=HarvestKind.EVENT), limit=MOST_HARVESTS)
        return [(row.harvest.id, row.harvest.name) for row in found]

    def profiles(self) -> list[tuple[int, str]]:
        found = sorted(self.events.choices(), key=lambda one: one[1] != PROFILE)
        return [(number, f"{name}: {text}" if text else name) for number, name, text in found]

    def add(self, actor: Actor, harvest: int, urls: Sequence[str], plan: Plan) -> Handed:
        return self._pasted(harvest, urls, lambda: self.events.add(actor, harvest, _seeds(urls, plan)))

    def create(self, actor: Actor, name: str, urls: Sequence[str], plan: Plan, *, activate: bool) -> Handed:
        given = Definition(name, HarvestKind.EVENT, schedule=self.events.default_schedule())
        return _handed(self.events.create(actor, given, _seeds(urls, plan), activate=activate))

    def _pasted(self, harvest: int, urls: Sequence[str], paste: Callable[[], Pasted]) -> Handed:
        try:
            return _handed(paste())
        except Refused as refusal:
            read = read_seeds("\n".join(urls))
            if refusal.field != "seeds" or not any(line.taken is SeedResult.TAKEN for line in read):
                raise
            # Nothing was new to the harvest, which is no reason to refuse for those who hand over.
            lines = tuple(
                Line(
                    one.text, Fate.REFUSED if one.taken is SeedResult.REFUSED else Fate.DUPLICATE, one.reason
                )
                for one in read
            )
            return Handed(harvest, self.planned.get(harvest).name, lines)


def _seeds(urls: Sequence[str], plan: Plan) -> Seeds:
    return Seeds("\n".join(urls), plan.profile, max_bytes=plan.max_bytes)


def _handed(pasted: Pasted) -> Handed:
    lines = tuple(Line(line.text, Fate(line.taken.value), line.reason) for line in pasted.lines)
    return Handed(pasted.harvest.id, pasted.harvest.name, lines)


# --- SQL of what jobs brought, over planning, storage and index.


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
