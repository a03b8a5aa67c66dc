"""The SQL of the configurations in a harvest."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.db.stretches import Beginning, stretch
from armarium.planning.harvests.model import Member
from armarium.planning.tables.domains import configuration, domain, profile, seed_list
from armarium.planning.tables.harvests import harvest_configuration

STEP = 10_000  # rows of one statement


def add_configurations(connection: Connection, number: int, configurations: Sequence[int]) -> int:
    """Those that exist and are not in it yet; how many."""
    added = 0
    for start in range(0, len(configurations), STEP):
        known = sa.select(sa.literal(number), configuration.c.id).where(
            configuration.c.id.in_(configurations[start : start + STEP])
        )
        columns = ["harvest", "configuration"]
        statement = insert(harvest_configuration).from_select(columns, known).on_conflict_do_nothing()
        # What it returns is counted: of an INSERT the driver is not asked for the number of rows.
        added += len(connection.execute(statement.returning(harvest_configuration.c.configuration)).all())
    return added


def remove_configurations(connection: Connection, number: int, configurations: Collection[int] | None) -> int:
    gone = harvest_configuration.delete().where(harvest_configuration.c.harvest == number)
    if configurations is not None:
        gone = gone.where(harvest_configuration.c.configuration.in_(configurations))
    return connection.execute(gone).rowcount


def configurations_in(connection: Connection, number: int, names: Sequence[str]) -> dict[str, list[int]]:
    """The configurations with which a harvest takes these domains, by the name of the domain."""
    chosen = (
        sa.select(domain.c.name, configuration.c.id)
        .select_from(harvest_configuration)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .join(domain, domain.c.id == configuration.c.domain)
        .where(harvest_configuration.c.harvest == number, domain.c.name.in_(names))
    )
    found: dict[str, list[int]] = {}
    for name, one in connection.execute(chosen):
        found.setdefault(name, []).append(one)
    return found


def count_configurations(connection: Connection, number: int) -> int:
    mine = harvest_configuration.c.harvest == number
    return connection.scalar(sa.select(sa.func.count()).select_from(harvest_configuration).where(mine)) or 0


def _members(number: int, text: str) -> Any:
    chosen = (
        sa.select(harvest_configuration.c.configuration)
        .select_from(harvest_configuration)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .join(domain, domain.c.id == configuration.c.domain)
        .where(harvest_configuration.c.harvest == number)
    )
    return chosen.where(domain.c.name.icontains(text, autoescape=True)) if text else chosen


def members(
    connection: Connection, number: int, text: str, limit: int, offset: Beginning = 0
) -> tuple[list[Member], int]:
    """A stretch of the configurations of a harvest, by the names of their domains."""
    chosen = _members(number, text)
    total = connection.scalar(sa.select(sa.func.count()).select_from(chosen.subquery())) or 0
    order = (domain.c.name, configuration.c.name)
    some = stretch(connection, chosen, order, limit, offset).scalars().all()
    lines = sa.func.regexp_split_to_table(seed_list.c.seeds, r"\n").table_valued("one")
    lines = lines.render_derived(name="lines")  # a function may look at the tables before it: it is lateral
    seeds = (
        sa.select(sa.func.count())
        .select_from(seed_list.join(lines, sa.true()))
        .where(seed_list.c.id == sa.any_(configuration.c.seed_lists), lines.c.one.regexp_match(r"^\s*[^#\s]"))
        .scalar_subquery()
    )
    wanted = (
        sa.select(
            configuration.c.id.label("configuration"),
            configuration.c.name,
            configuration.c.active,
            configuration.c.domain,
            domain.c.name.label("domain_name"),
            domain.c.active.label("domain_active"),
            profile.c.name.label("profile"),
            seeds.label("seeds"),
            configuration.c.max_objects,
            configuration.c.max_bytes,
            configuration.c.best_objects,
        )
        .join(domain, domain.c.id == configuration.c.domain)
        .join(profile, profile.c.id == configuration.c.profile)
        .where(configuration.c.id.in_(some))
        .order_by(*order)
    )
    rows = connection.execute(wanted).mappings().all()
    choices = configurations_of(connection, [row["domain"] for row in rows])
    return [Member(**row, choices=tuple(choices.get(row["domain"], ()))) for row in rows], total


def configurations_of(connection: Connection, domains: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """The active configurations of domains, by name."""
    if not domains:
        return {}
    wanted = sa.select(configuration.c.domain, configuration.c.id, configuration.c.name).where(
        configuration.c.domain.in_(domains), configuration.c.active
    )
    found: dict[int, list[tuple[int, str]]] = {}
    for row in connection.execute(wanted.order_by(configuration.c.name)):
        found.setdefault(row.domain, []).append((row.id, row.name))
    return found


def domains_named(connection: Connection, names: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """Of the names that are known: the domain and its default configuration."""
    found: dict[str, tuple[int, int | None]] = {}
    for start in range(0, len(names), STEP):
        wanted = sa.select(domain.c.name, domain.c.id, domain.c.default_configuration).where(
            domain.c.name.in_(names[start : start + STEP])
        )
        found.update({row.name: (row.id, row.default_configuration) for row in connection.execute(wanted)})
    return found


def configurations_named(connection: Connection, domains: Sequence[int], name: str) -> dict[int, int]:
    """Domain → its active configuration of this name."""
    found: dict[int, int] = {}
    for start in range(0, len(domains), STEP):
        wanted = sa.select(configuration.c.domain, configuration.c.id).where(
            configuration.c.domain.in_(domains[start : start + STEP]),
            configuration.c.name == name,
            configuration.c.active,
        )
        found.update({row.domain: row.id for row in connection.execute(wanted)})
    return found


def domain_of(connection: Connection, configuration_id: int, *, active: bool) -> int | None:
    wanted = sa.select(configuration.c.domain).where(configuration.c.id == configuration_id)
    return connection.scalar(wanted.where(configuration.c.active) if active else wanted)


def seeds_in_harvest(
    connection: Connection, number: int, domains: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Domain → name of its configuration in the harvest, and the text of the seed list of the same name."""
    same = sa.and_(seed_list.c.domain == configuration.c.domain, seed_list.c.name == configuration.c.name)
    wanted = (
        sa.select(configuration.c.domain, configuration.c.name, seed_list.c.seeds)
        .join(harvest_configuration, harvest_configuration.c.configuration == configuration.c.id)
        .join(seed_list, same)
        .where(harvest_configuration.c.harvest == number, configuration.c.domain.in_(domains))
    )
    return {row.domain: (row.name, row.seeds) for row in connection.execute(wanted)}


def profiles(connection: Connection) -> list[tuple[int, str, str]]:
    """Active profiles: number, name, description."""
    wanted = sa.select(profile.c.id, profile.c.name, profile.c.description).where(profile.c.active)
    return [
        (row.id, row.name, row.description) for row in connection.execute(wanted.order_by(profile.c.name))
    ]
