"""What harvests brought home, by domain, configuration, run and harvest, as people read it, and its SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select

from armarium.db.stretches import Beginning, stretch
from armarium.planning.model import JobState, is_over
from armarium.planning.tables.domains import configuration, domain
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import counted, job, job_configuration


@dataclass(frozen=True)
class Named:
    id: int
    name: str


@dataclass(frozen=True)
class HistoryRow:
    """What one job brought home for one configuration."""

    job: int
    state: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    harvest: int
    harvest_name: str
    run: int
    run_number: int
    configuration: int
    name: str  # of the configuration
    domain: int
    estimate: int
    max_objects: int | None
    max_bytes: int | None
    limited_by: str
    objects: int | None
    bytes: int | None
    stop_reason: str | None


@dataclass(frozen=True)
class Total:
    entries: int  # jobs
    results: int  # of those, with a result
    objects: int
    bytes: int


@dataclass(frozen=True)
class Run:
    id: int
    harvest: int
    harvest_name: str
    number: int | None  # empty: skipped, so that it never ran
    state: str
    due_at: datetime
    begun_at: datetime | None
    generated_at: datetime | None
    jobs: int
    configurations: int
    left_out: Mapping[str, int]
    error: str
    total_objects: int | None  # the budget of all its jobs together
    total_bytes: int | None
    states: Mapping[JobState, int]
    objects: int
    bytes: int
    files: int
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def unfinished(self) -> int:
        """Jobs that still have something before them."""
        return sum(count for state, count in self.states.items() if not is_over(state))


@dataclass(frozen=True)
class JobOfRun:
    id: int
    objects: int
    estimate: int


# SQL ------------------------------------------------------------------------------------------------


MOST_REASONS = 300_000  # configurations of a run whose reasons are counted while somebody waits


def rows(connection: Connection, column: str, number: int, limit: int, offset: Beginning) -> list[HistoryRow]:
    """Results for one `domain` or one `configuration`, newest first."""
    of = job_configuration.c
    order = (of.job.desc(), of.configuration)
    mine = sa.select(of.job, of.configuration).where(of[column] == number)
    picked = [tuple(row) for row in stretch(connection, mine, order, limit, offset)]
    some = sa.select(job_configuration).where(sa.tuple_(of.job, of.configuration).in_(picked)).subquery()
    names = ("configuration", "domain", "estimate", "max_objects", "max_bytes", "limited_by")
    asked = (
        sa.select(
            some.c.job,
            *(some.c[name] for name in (*names, "objects", "bytes", "stop_reason")),
            job.c.state,
            job.c.created_at,
            job.c.started_at,
            job.c.ended_at,
            harvest.c.id.label("harvest"),
            harvest.c.name.label("harvest_name"),
            harvest_run.c.id.label("run"),
            harvest_run.c.number.label("run_number"),
            sa.func.coalesce(configuration.c.name, "").label("name"),
        )
        .select_from(some)
        .join(job, job.c.id == some.c.job)
        .join(harvest, harvest.c.id == job.c.harvest)
        .join(harvest_run, harvest_run.c.id == job.c.run)
        .outerjoin(configuration, configuration.c.id == some.c.configuration)
        .order_by(some.c.job.desc(), some.c.configuration)
    )
    return [HistoryRow(**found) for found in connection.execute(asked).mappings()]


def total(connection: Connection, column: str, number: int) -> Total:
    of = job_configuration.c
    asked = sa.select(
        sa.func.count().label("entries"),
        sa.func.count(of.objects).label("results"),
        sa.func.coalesce(sa.func.sum(of.objects), 0).label("objects"),
        sa.func.coalesce(sa.func.sum(of.bytes), 0).label("bytes"),
    ).where(of[column] == number)
    found = connection.execute(asked).one()
    return Total(int(found.entries), int(found.results), int(found.objects), int(found.bytes))


def named(connection: Connection, table: sa.Table, number: int) -> Named | None:
    found = connection.execute(sa.select(table.c.id, table.c.name).where(table.c.id == number)).first()
    return Named(*found) if found else None


def domain_named(connection: Connection, name: str) -> Named | None:
    found = connection.execute(sa.select(domain.c.id, domain.c.name).where(domain.c.name == name)).first()
    return Named(*found) if found else None


def configuration_named(connection: Connection, number: int) -> tuple[Named, Named] | None:
    """The configuration and its domain."""
    asked = (
        sa.select(configuration.c.id, configuration.c.name, domain.c.id, domain.c.name)
        .join(domain, domain.c.id == configuration.c.domain)
        .where(configuration.c.id == number)
    )
    found = connection.execute(asked).first()
    return (Named(found[0], found[1]), Named(found[2], found[3])) if found else None


# Runs -------------------------------------------------------------------------------------------------


def _runs() -> "Select[Any]":
    return sa.select(
        *(one for one in harvest_run.c if one.name not in ("cursor", "harvest")),
        harvest.c.id.label("harvest"),
        harvest.c.name.label("harvest_name"),
    ).join(harvest, harvest.c.id == harvest_run.c.harvest)


def runs(connection: Connection, harvest_id: int, limit: int, offset: Beginning) -> list[Run]:
    order = (harvest_run.c.number.desc(), harvest_run.c.id.desc())
    asked = _runs().where(harvest_run.c.harvest == harvest_id)
    found = stretch(connection, asked, order, limit, offset).mappings().all()
    return _with_jobs(connection, [dict(each) for each in found])


def run(connection: Connection, number: int) -> Run | None:
    found = connection.execute(_runs().where(harvest_run.c.id == number)).mappings().first()
    return _with_jobs(connection, [dict(found)])[0] if found else None


def jobs_of_run(connection: Connection, run_id: int, most: int) -> list[JobOfRun]:
    """The first of those whose figures count."""
    asked = sa.select(job.c.id, job.c.objects, job.c.estimate).where(job.c.run == run_id, counted())
    return [JobOfRun(*found) for found in connection.execute(asked.order_by(job.c.id).limit(most))]


def run_count(connection: Connection, harvest_id: int) -> int:
    asked = sa.select(sa.func.count()).where(harvest_run.c.harvest == harvest_id)
    return connection.scalar(asked) or 0


def _with_jobs(connection: Connection, found: Sequence[dict[str, Any]]) -> list[Run]:
    """Each run with the states of its jobs and what they brought."""
    asked = (
        sa.select(
            job.c.run,
            job.c.state,
            sa.func.count().label("jobs"),
            *(
                sa.func.coalesce(sa.func.sum(one).filter(counted()), 0).label(one.name)
                for one in (job.c.objects, job.c.bytes, job.c.files)
            ),
            sa.func.min(job.c.started_at).label("first"),
            sa.func.max(job.c.ended_at).label("last"),
        )
        .where(job.c.run.in_([each["id"] for each in found]))
        .group_by(job.c.run, job.c.state)
    )
    lines = connection.execute(asked).all()
    return [_run(each, [line for line in lines if line.run == each["id"]]) for each in found]


def _run(facts: dict[str, Any], lines: Sequence[Any]) -> Run:
    return Run(
        **facts,
        states={JobState(line.state): int(line.jobs) for line in lines},
        objects=sum(int(line.objects) for line in lines),
        bytes=sum(int(line.bytes) for line in lines),
        files=sum(int(line.files) for line in lines),
        started_at=min((line.first for line in lines if line.first), default=None),
        ended_at=max((line.last for line in lines if line.last), default=None),
    )


def harvest_total(connection: Connection, harvest_id: int) -> Total:
    """Jobs, those done, objects and bytes of all runs."""
    done = sa.func.count().filter(job.c.state == JobState.DONE.value)
    sums = (sa.func.coalesce(sa.func.sum(one).filter(counted()), 0) for one in (job.c.objects, job.c.bytes))
    found = connection.execute(
        sa.select(sa.func.count(), done, *sums).where(job.c.harvest == harvest_id)
    ).one()
    return Total(*(int(each) for each in found))


def reasons_of_run(connection: Connection, run_id: int) -> dict[str, int]:
    """How many domains stopped for which reason; "": no result."""
    reason = sa.func.coalesce(job_configuration.c.stop_reason, "")
    asked = (
        sa.select(reason, sa.func.count())
        .join(job, job.c.id == job_configuration.c.job)
        .where(job.c.run == run_id, job.c.state != JobState.RESUBMITTED.value)
        .group_by(reason)
    )
    return {str(name): int(number) for name, number in connection.execute(asked)}
