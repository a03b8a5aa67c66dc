"""Which harvest a job is of: its order says it, and all its files, for those who have nothing else."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.planning.tables.domains import domain, profile, profile_version
from armarium.planning.tables.harvests import harvest, harvest_run, schedule
from armarium.planning.tables.jobs import channel, job, job_configuration

#: The collections of the archive to which what a harvest brings belongs.
CollectionsOf = Callable[[Connection, int], Sequence[str]]


def in_none(_connection: Connection, _harvest: int) -> Sequence[str]:
    return ()


def provenance(
    connection: Connection, number: int, alias_days: int, collections: CollectionsOf
) -> dict[str, Any]:
    """The facts of `crawl_order.Harvest`."""
    of_job = sa.select(
        harvest.c.id.label("definition"),
        harvest.c.name,
        harvest.c.kind,
        harvest.c.comments,
        harvest.c.audience,
        harvest_run.c.number.label("run"),
        job.c.id.label("job"),
        job.c.created_at,
        channel.c.name.label("channel"),
        sa.func.coalesce(schedule.c.name, "").label("schedule"),
        profile.c.name.label("profile"),
        profile_version.c.version.label("profile_version"),
    )
    joined = (
        job.join(harvest, harvest.c.id == job.c.harvest)
        .join(harvest_run, harvest_run.c.id == job.c.run)
        .join(channel, channel.c.id == job.c.channel)
        .join(profile_version, profile_version.c.id == job.c.profile_version)
        .join(profile, profile.c.id == profile_version.c.profile)
        .outerjoin(schedule, schedule.c.id == harvest.c.schedule)
    )
    found = connection.execute(of_job.select_from(joined).where(job.c.id == number)).mappings().one()
    facts = {name: value for name, value in found.items() if name != "created_at"}
    return {
        **facts,
        "planned": found["created_at"].isoformat(),
        "collections": list(collections(connection, found["definition"])),
        "aliases": _aliases(connection, number, alias_days),
        "duplicate_jobs": _earlier(connection, number),
    }


def _aliases(connection: Connection, number: int, days: int) -> dict[str, str]:
    """Domains that the job's own stand for, as long as that holds."""
    own = domain.alias()
    since = sa.func.coalesce(domain.c.alias_since, domain.c.created_at)
    asked = (
        sa.select(domain.c.name, own.c.name)
        .join(own, own.c.id == domain.c.alias_of)
        .where(own.c.id.in_(_domains(number)), since > clock.now() - timedelta(days=days))
    )
    return {row[0]: row[1] for row in connection.execute(asked.order_by(domain.c.name))}


def _earlier(connection: Connection, number: int) -> list[int]:
    """Jobs that brought files of the same domains: what they have is not stored again."""
    others = job_configuration.c
    asked = (
        sa.select(others.job)
        .distinct()
        .join(job, job.c.id == others.job)
        .where(others.domain.in_(_domains(number)), others.job != number, job.c.files > 0)
    )
    return list(connection.scalars(asked.order_by(others.job)))


def _domains(number: int) -> "sa.Select[tuple[int]]":
    return sa.select(job_configuration.c.domain).where(job_configuration.c.job == number)
