"""The SQL of the calendar: what is planned, what it brought so far, what it may bring."""

from collections.abc import Collection
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.planning.domains.tables import configuration
from armarium.planning.harvests.expected import Coming, Volume
from armarium.planning.harvests.run_queries import OPEN
from armarium.planning.harvests.tables import harvest, harvest_configuration, harvest_run
from armarium.planning.jobs.tables import job

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
            harvest.c.runs,
        )
        .where(harvest.c.active, harvest.c.next_at.is_not(None))
        .order_by(harvest.c.next_at, harvest.c.id)
        .limit(limit)
    )
    return [Coming(**row) for row in connection.execute(wanted).mappings()]


def measured(connection: Connection) -> dict[int, Volume]:
    """What an active harvest brought on average in its last runs that have ended."""
    jobs = job.c.run == harvest_run.c.id
    ended = (
        sa.select(harvest_run.c.id)
        .where(
            harvest_run.c.harvest == harvest.c.id,
            harvest_run.c.state == "generated",
            sa.exists().where(jobs),
            ~sa.exists().where(jobs, job.c.state.in_(OPEN)),
        )
        .order_by(harvest_run.c.number.desc())
        .limit(RUNS_AVERAGED)
        .lateral("ended")
    )
    seconds = sa.func.extract("epoch", job.c.ended_at - job.c.started_at)
    brought = (
        sa.select(
            sa.func.sum(job.c.objects).label("objects"),
            sa.func.sum(job.c.bytes).label("bytes"),
            sa.func.coalesce(sa.func.sum(seconds), 0).label("seconds"),
        )
        .where(job.c.run == ended.c.id)
        .lateral("brought")
    )
    wanted = (
        sa.select(
            harvest.c.id,
            sa.func.avg(brought.c.objects).label("objects"),
            sa.func.avg(brought.c.bytes).label("bytes"),
            sa.func.avg(brought.c.seconds).label("seconds"),
        )
        .select_from(harvest.join(ended, sa.true()).join(brought, sa.true()))
        .where(harvest.c.active)
        .group_by(harvest.c.id)
    )
    return {
        row.id: Volume(1, float(row.objects), float(row.bytes), float(row.seconds))
        for row in connection.execute(wanted)
    }


def estimated(
    connection: Connection, but: Collection[int], *, unknown: int, average: int, per_hour: int
) -> dict[int, Volume]:
    """What the configurations of active harvests without a history may bring, by their own best results."""
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
    wanted = (
        sa.select(harvest.c.id, sa.func.sum(objects).label("objects"), sa.func.sum(size).label("bytes"))
        .join(harvest_configuration, harvest_configuration.c.harvest == harvest.c.id)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .where(harvest.c.active, harvest.c.next_at.is_not(None), harvest.c.id.not_in(list(but)))
        .group_by(harvest.c.id)
    )
    return {
        row.id: Volume(1, float(row.objects), float(row.bytes), float(row.objects) * 3600 / per_hour)
        for row in connection.execute(wanted)
    }


def brought_by_day(connection: Connection, begin: datetime, end: datetime, zone: str) -> dict[date, Volume]:
    """What runs that began have brought, on the day on which they were due."""
    seconds = sa.func.extract("epoch", job.c.ended_at - job.c.started_at)
    day = sa.cast(sa.func.timezone(zone, harvest_run.c.due_at), sa.Date).label("day")
    wanted = (
        sa.select(
            day,
            sa.func.count(sa.distinct(harvest_run.c.id)).label("runs"),
            sa.func.coalesce(sa.func.sum(job.c.objects), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes), 0).label("bytes"),
            sa.func.coalesce(sa.func.sum(seconds), 0).label("seconds"),
        )
        .select_from(harvest_run.outerjoin(job, job.c.run == harvest_run.c.id))
        .where(harvest_run.c.due_at >= begin, harvest_run.c.due_at < end, harvest_run.c.state != "skipped")
        .group_by(day)
    )
    return {
        row.day: Volume(row.runs, float(row.objects), float(row.bytes), float(row.seconds))
        for row in connection.execute(wanted)
    }


def runs_between(
    connection: Connection, begin: datetime, end: datetime, limit: int, offset: int
) -> tuple[list[sa.RowMapping], int]:
    """Runs that were due in a stretch of time, skipped ones too, with the names of their harvests."""
    within = (harvest_run.c.due_at >= begin, harvest_run.c.due_at < end)
    total = connection.scalar(sa.select(sa.func.count()).select_from(harvest_run).where(*within)) or 0
    brought = (
        sa.select(
            sa.func.count().label("jobs"),
            sa.func.coalesce(sa.func.sum(job.c.objects), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes), 0).label("bytes"),
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
