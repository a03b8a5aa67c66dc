"""SQL of what planning has for records of selection."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.planning.model import HarvestKind
from armarium.planning.tables.domains import configuration, domain, profile, seed_list
from armarium.planning.tables.harvests import harvest, harvest_configuration, schedule
from armarium.planning.tables.jobs import job, job_configuration
from armarium.selection.findings.model import Result
from armarium.selection.transfer.model import Link, Setup
from armarium.selection.transfer.planning import Choices, Harvest, Harvested

BIGINTS = sa.ARRAY(sa.BigInteger)


def _among(column: "sa.ColumnElement[int]", numbers: Collection[int]) -> "sa.ColumnElement[bool]":
    return column == sa.any_(sa.literal(sorted(numbers), BIGINTS))


def choices(connection: Connection) -> Choices:
    profiles = connection.scalars(sa.select(profile.c.name).where(profile.c.active).order_by(profile.c.name))
    schedules = connection.scalars(
        sa.select(schedule.c.name).where(schedule.c.active).order_by(schedule.c.id)
    )
    asked = sa.select(harvest.c.id, harvest.c.name, harvest.c.active).order_by(harvest.c.name)
    harvests = connection.execute(asked.where(harvest.c.kind != HarvestKind.BROAD.value))
    return Choices(tuple(profiles), tuple(schedules), {row.id: Harvest(*row) for row in harvests})


def stopped(connection: Connection, names: Collection[str]) -> set[str]:
    wanted = sa.literal(sorted(names), sa.ARRAY(sa.Text))
    asked = sa.select(domain.c.name).where(domain.c.name == sa.any_(wanted), ~domain.c.active)
    return set(connection.scalars(asked))


def present(connection: Connection, links: Sequence[Link]) -> dict[int, Setup]:
    """By configuration. Its harvest is the one into which the transfer put it, if it still is in that one."""
    lists = {one.placed.configuration: one.placed.seed_list for one in links}
    members = _members(connection, [(one.kept["harvest"], one.placed.configuration) for one in links])
    seeds = _seeds(connection, lists.values())
    columns = ("id", "name", "active", "max_objects", "max_bytes", "overrides")
    asked = (
        sa.select(*(configuration.c[name] for name in columns), profile.c.name.label("profile"))
        .join(profile, profile.c.id == configuration.c.profile)
        .where(_among(configuration.c.id, lists))
    )
    return {
        row.id: Setup(
            name=row.name,
            seeds=seeds[lists[row.id]],
            profile=row.profile,
            max_objects=row.max_objects,
            max_bytes=row.max_bytes,
            overrides=row.overrides,
            active=row.active,
            harvest=members.get(row.id),
        )
        for row in connection.execute(asked)
    }


def _seeds(connection: Connection, numbers: Collection[int]) -> dict[int, str]:
    asked = sa.select(seed_list.c.id, seed_list.c.seeds).where(_among(seed_list.c.id, numbers))
    return {row.id: row.seeds for row in connection.execute(asked)}


def _members(connection: Connection, expected: Sequence[tuple[int | None, int]]) -> dict[int, int]:
    """Configuration → harvest, of those that are where they were put."""
    wanted = {configured: number for number, configured in expected if number is not None}
    asked = sa.select(harvest_configuration).where(_among(harvest_configuration.c.configuration, wanted))
    return {
        row.configuration: row.harvest
        for row in connection.execute(asked)
        if wanted[row.configuration] == row.harvest
    }


def schedule_number(connection: Connection, name: str) -> int | None:
    return connection.scalar(sa.select(schedule.c.id).where(schedule.c.name == name, schedule.c.active))


def _results() -> "sa.Select[tuple[object, ...]]":
    return (
        sa.select(
            job.c.id.label("job"),
            job.c.state,
            job.c.ended_at,
            harvest.c.id.label("harvest"),
            harvest.c.name.label("harvest_name"),
            job_configuration.c.configuration,
            job_configuration.c.objects,
            job_configuration.c.bytes,
            sa.func.coalesce(job_configuration.c.stop_reason, "").label("stop"),
        )
        .select_from(job_configuration)
        .join(job, job.c.id == job_configuration.c.job)
        .join(harvest, harvest.c.id == job.c.harvest)
    )


def history(connection: Connection, configurations: Collection[int], limit: int) -> list[Harvested]:
    asked = _results().where(_among(job_configuration.c.configuration, configurations))
    rows = connection.execute(asked.order_by(job_configuration.c.job.desc()).limit(limit))
    return [Harvested(**row._mapping) for row in rows]


def results(connection: Connection, number: int) -> list[Result]:
    """What an ended job tells of its configurations; one that broke tells of none."""
    columns = ("configuration", "objects", "bytes", "max_objects", "max_bytes", "stop_reason", "seeds")
    asked = (
        sa.select(job.c.ended_at, *(job_configuration.c[name] for name in columns))
        .join(job, job.c.id == job_configuration.c.job)
        .where(job_configuration.c.job == number, job_configuration.c.objects.is_not(None))
    )
    return [
        Result(
            configuration=row.configuration,
            job=number,
            at=row.ended_at,
            objects=row.objects,
            bytes=row.bytes or 0,
            stop=row.stop_reason or "",
            max_objects=row.max_objects,
            max_bytes=row.max_bytes,
            seeds=row.seeds,
        )
        for row in connection.execute(asked)
    ]
