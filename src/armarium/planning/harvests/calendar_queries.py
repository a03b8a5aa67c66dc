"""The SQL of the calendar: what is planned, what it brought so far, what it may bring."""

from collections.abc import Collection
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.planning.harvests.dates import Coming, Volume
from armarium.planning.tables.domains import configuration
from armarium.planning.tables.harvests import harvest, harvest_configuration, harvest_run
from armarium.planning.tables.jobs import OPEN, counted, job

RUNS_AVERAGED = 5
NO_LIMIT = sa.literal(2**62)


def coming(connection: Connection, *, limit: int | None = None) -> list[Coming]:
    """The active harvests that have a next date, soonest first."""
    wanted = (
        sa.select(
            harvest.c.id,
            harvest.c.name,
            harvest.c.kind,
            harvest.c.schedule,
            harvest.c.next_at,
            harvest.c.scheduled_runs.label("runs"),
            harvest.c.rhythm_from,
        )
        .where(harvest.c.active, harvest.c.next_at.is_not(None))
        .order_by(harvest.c.next_at, harvest.c.id)
        .limit(limit)
    )
    return [Coming(**row) for row in connection.execute(wanted).mappings()]


def measured(connection: Connection, wanted: Collection[int]) -> dict[int, Volume]:
    """What these harvests brought on average in their last runs that have ended."""
    jobs = job.c.run == harvest_run.c.id
    ended = (
        sa.select(harvest_run.c.id)
        .where(
            harvest_run.c.harvest == harvest.c.id,
            harvest_run.c.state == "generated",
            harvest_run.c.jobs > 0,
            ~sa.exists().where(jobs, job.c.state.in_(OPEN)),
        )
        .order_by(harvest_run.c.number.desc())
        .limit(RUNS_AVERAGED)
        .lateral("ended")
    )
    seconds = sa.func.extract("epoch", job.c.ended_at - job.c.started_at)
    brought = (
        sa.select(
            sa.func.coalesce(sa.func.sum(job.c.objects), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes), 0).label("bytes"),
            sa.func.coalesce(sa.func.sum(seconds), 0).label("seconds"),
        )
        .where(job.c.run == ended.c.id, counted())
        .lateral("brought")
    )
    asked = (
        sa.select(
            harvest.c.id,
            sa.func.avg(brought.c.objects).label("objects"),
            sa.func.avg(brought.c.bytes).label("bytes"),
            sa.func.avg(brought.c.seconds).label("seconds"),
        )
        .select_from(harvest.join(ended, sa.true()).join(brought, sa.true()))
        .where(harvest.c.id == sa.any_(sa.literal(list(wanted), ARRAY(sa.BigInteger))))
        .group_by(harvest.c.id)
    )
    return {
        row.id: Volume(1, float(row.objects), float(row.bytes), float(row.seconds))
        for row in connection.execute(asked)
    }


def estimated(
    connection: Connection, wanted: Collection[int], *, unknown: int, average: int, per_hour: int
) -> dict[int, Volume]:
    """What the configurations of these harvests may bring, by their own best results."""
    objects = sa.func.least(
        sa.func.coalesce(configuration.c.best_objects, unknown),
        sa.func.coalesce(configuration.c.max_objects, NO_LIMIT),
        sa.func.coalesce(harvest.c.max_objects, NO_LIMIT),
    )
    size = sa.func.least(
        sa.func.coalesce(configuration.c.best_bytes, objects * average),
        sa.func.coalesce(configuration.c.max_bytes, NO_LIMIT),
        sa.func.coalesce(harvest.c.max_bytes, NO_LIMIT),
    )
    asked = (
        sa.select(harvest.c.id, sa.func.sum(objects).label("objects"), sa.func.sum(size).label("bytes"))
        .join(harvest_configuration, harvest_configuration.c.harvest == harvest.c.id)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .where(harvest.c.id == sa.any_(sa.literal(list(wanted), ARRAY(sa.BigInteger))))
        .group_by(harvest.c.id)
    )
    return {
        row.id: Volume(1, float(row.objects), float(row.bytes), float(row.objects) * 3600 / per_hour)
        for row in connection.execute(asked)
    }


def brought_by_day(connection: Connection, begin: datetime, end: datetime, zone: str) -> dict[date, Volume]:
    """What runs that began have brought, on the day on which they were due."""
    seconds = sa.func.extract("epoch", job.c.ended_at - job.c.started_at)
    day = sa.cast(sa.func.timezone(zone, harvest_run.c.due_at), sa.Date).label("day")
    within = (
        harvest_run.c.due_at >= begin,
        harvest_run.c.due_at < end,
        harvest_run.c.state != "skipped",
    )
    # Apart from their jobs: to count runs in both at once, the database would sort all jobs of the year.
    counts = connection.execute(sa.select(day, sa.func.count()).where(*within).group_by(day))
    runs: dict[date, int] = {row[0]: row[1] for row in counts}
    wanted = (
        sa.select(
            day,
            sa.func.coalesce(sa.func.sum(job.c.objects).filter(counted()), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes).filter(counted()), 0).label("bytes"),
            sa.func.coalesce(sa.func.sum(seconds), 0).label("seconds"),
        )
        .join(job, job.c.run == harvest_run.c.id)
        .where(*within)
        .group_by(day)
    )
    brought = {
        row.day: Volume(0, float(row.objects), float(row.bytes), float(row.seconds))
        for row in connection.execute(wanted)
    }
    return {one: Volume(count) + brought.get(one, Volume()) for one, count in runs.items()}


def runs_between(
    connection: Connection, begin: datetime, end: datetime, limit: int, offset: int
) -> tuple[list[sa.RowMapping], int]:
    """Runs that were due in a stretch of time, skipped ones too, with the names of their harvests."""
    within = (harvest_run.c.due_at >= begin, harvest_run.c.due_at < end)
    total = connection.scalar(sa.select(sa.func.count()).select_from(harvest_run).where(*within)) or 0
    brought = (
        sa.select(
            sa.func.count().label("jobs"),
            sa.func.count().filter(job.c.state.in_(OPEN)).label("unfinished"),
            sa.func.count().filter(job.c.state == "failed").label("failed"),
            sa.func.coalesce(sa.func.sum(job.c.objects).filter(counted()), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes).filter(counted()), 0).label("bytes"),
        )
        .where(job.c.run == harvest_run.c.id)
        .lateral("brought")
    )
    wanted = (
        sa.select(
            harvest.c.id,
            harvest.c.name,
            harvest_run.c.number,
            harvest_run.c.state,
            harvest_run.c.due_at,
            *brought.c,
        )
        .select_from(
            harvest_run.join(harvest, harvest.c.id == harvest_run.c.harvest).join(brought, sa.true())
        )
        .where(*within)
        .order_by(harvest_run.c.due_at, harvest_run.c.id)
    )
    return list(connection.execute(wanted.limit(limit).offset(offset)).mappings()), total
