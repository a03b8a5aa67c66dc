"""Selection → planning: what the transfer makes, with planning's own verbs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.domains.model import NewConfiguration
from armarium.planning.domains.queries import lock_domains, profile_number
from armarium.planning.domains.rules import check_overrides, domain_of
from armarium.planning.domains.service import Domains
from armarium.planning.harvests import member_queries
from armarium.planning.harvests.checks import existing_harvest as existing_harvest
from armarium.planning.harvests.model import Definition
from armarium.planning.harvests.service import Harvests, note_domains
from armarium.planning.model import HarvestKind
from armarium.planning.tables.domains import configuration, domain, profile, seed_list
from armarium.planning.tables.harvests import harvest, harvest_configuration, schedule
from armarium.planning.tables.jobs import job, job_configuration
from armarium.selection.findings.model import Result
from armarium.selection.transfer.model import Choices, Harvest, Harvested, Link, Month, Placed, Placing, Setup

ORIGIN = "selection"


@dataclass(frozen=True)
class PlanningDesk:
    domains: Domains
    harvests: Harvests

    def choices(self, connection: Connection) -> Choices:
        return choices(connection)

    def check_overrides(self, overrides: Mapping[str, Any]) -> None:
        check_overrides(overrides)

    def refused(self, domains: Collection[str]) -> dict[str, Message]:
        found = {}
        for name in domains:
            try:
                domain_of(name)
            except Refused as refusal:
                found[name] = refusal.message
        return found

    def stopped(self, connection: Connection, domains: Collection[str]) -> set[str]:
        return stopped(connection, domains)

    def present(self, connection: Connection, links: Sequence[Link]) -> dict[int, Setup]:
        return present(connection, links)

    def history(self, connection: Connection, configurations: Collection[int], limit: int) -> list[Harvested]:
        return history(connection, configurations, limit)

    def months(self, connection: Connection, configurations: Collection[int], since: datetime) -> list[Month]:
        return months(connection, configurations, since)

    def make_harvest(self, connection: Connection, actor: Actor, name: str, schedule: str) -> int:
        """Like any new definition it is inactive: nothing runs that nobody asked for."""
        number = schedule_number(connection, schedule)
        if number is None:
            raise Refused(message("Planning has no active schedule named %(name)s.", name=schedule))
        return self.harvests.create_in(connection, actor, Definition(name, schedule=number)).id

    def put(self, connection: Connection, actor: Actor, placing: Placing) -> Placed:
        setup, placed = placing.setup, placing.placed
        # Who chose a site did not choose the rest of its domain: broad harvests take it if a person says so.
        number = placed.domain if placed else self._domain(connection, actor, placing.domain)
        owner = lock_domains(connection, [number])[number]
        listed = (placed.seed_list if placed else None, placing.list_name, setup.seeds, placing.comments)
        given = NewConfiguration(
            name=setup.name,
            profile=self._profile(connection, setup.profile),
            seed_lists=(),
            max_objects=setup.max_objects,
            max_bytes=setup.max_bytes,
            overrides=setup.overrides,
            comments=placing.comments,
            active=setup.active,
        )
        known = placed.configuration if placed else None
        kept = self.domains.configurations.keep(connection, actor, owner, listed, known, given)
        before = placing.before.harvest if placing.before else None
        _move(connection, kept.id, before, setup.harvest)
        seed_list = placed.seed_list if placed else kept.seed_lists[0]
        return Placed(number, seed_list, kept.id)

    def note(self, connection: Connection, actor: Actor, joined: Mapping[int, int]) -> None:
        for number, count in sorted(joined.items()):
            action = "harvest.domains_added" if count > 0 else "harvest.domains_removed"
            note_domains(connection, actor, existing_harvest(connection, number), action, abs(count))

    def _domain(self, connection: Connection, actor: Actor, name: str) -> int:
        return self.domains.ensure(connection, actor, [name], ORIGIN, broad=False)[name]

    def _profile(self, connection: Connection, name: str) -> int:
        found = profile_number(connection, name)
        if found is None:
            raise Refused(message("Planning has no active profile named %(name)s.", name=name))
        return found


def _move(connection: Connection, configuration: int, before: int | None, after: int | None) -> None:
    if before == after:
        return
    if before is not None:
        member_queries.remove_configurations(connection, before, [configuration])
    if after is not None:
        member_queries.add_configurations(connection, after, [configuration])


# --- SQL of what planning has for records of selection.


BIGINTS = sa.ARRAY(sa.BigInteger)


def _among(column: "sa.ColumnElement[int]", numbers: Collection[int]) -> "sa.ColumnElement[bool]":
    return column == sa.any_(sa.literal(sorted(numbers), BIGINTS))


def choices(connection: Connection) -> Choices:
    profiles = connection.scalars(sa.select(profile.c.name).where(profile.c.active).order_by(profile.c.name))
    schedules = connection.scalars(
        sa.select(schedule.c.name).where(schedule.c.active).order_by(schedule.c.id)
    )
    asked = sa.select(harvest.c.id, harvest.c.name, harvest.c.active, harvest.c.next_at).order_by(
        harvest.c.name
    )
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


def months(connection: Connection, configurations: Collection[int], since: datetime) -> list[Month]:
    first = sa.cast(
        sa.func.timezone("UTC", sa.func.date_trunc("month", job.c.ended_at, "UTC")), sa.Date
    ).label("first")
    asked = (
        sa.select(
            first,
            sa.func.coalesce(sa.func.sum(job_configuration.c.objects), 0),
            sa.func.coalesce(sa.func.sum(job_configuration.c.bytes), 0),
        )
        .select_from(job_configuration)
        .join(job, job.c.id == job_configuration.c.job)
        .where(_among(job_configuration.c.configuration, configurations), job.c.ended_at > since)
        .group_by(first)
        .order_by(first)
    )
    return [Month(row[0], int(row[1]), int(row[2])) for row in connection.execute(asked)]


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
