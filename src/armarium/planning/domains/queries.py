"""The SQL of domains, their seed lists and configurations, and what every change of one begins and ends
with: finding it, and noting what was done."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.rows import Rows
from armarium.db.stretches import Beginning, stretch
from armarium.planning.domains.model import Configuration, Domain, SeedList
from armarium.planning.tables.domains import configuration, domain, profile, seed_list

LIKE = 2  # letters at the beginning, which a slip of the pen leaves alone

domains = Rows(domain, Domain, order=(domain.c.name,))
seed_lists = Rows(seed_list, SeedList, order=(seed_list.c.id,))


def names_like(connection: Connection, name: str) -> list[str]:
    return domains.names(connection, domain.c.name.startswith(name[:LIKE], autoescape=True))


class ConfigurationRows(Rows[Configuration]):
    """With the names of their profiles."""

    def selected(self) -> "sa.Select[Any]":
        named = sa.select(configuration, profile.c.name.label("profile_name"))
        return named.join(profile, profile.c.id == configuration.c.profile)


configurations = ConfigurationRows(configuration, Configuration, order=(configuration.c.id,))


def lists_of(connection: Connection, domain_id: int) -> list[SeedList]:
    return seed_lists.all(connection, seed_list.c.domain == domain_id)


def configurations_of(connection: Connection, domain_id: int) -> list[Configuration]:
    return configurations.all(connection, configuration.c.domain == domain_id)


def numbers_of(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    chosen = sa.select(domain.c.name, domain.c.id).where(
        domain.c.name == sa.any_(sa.cast(list(names), ARRAY(sa.Text)))
    )
    return {row.name: row.id for row in connection.execute(chosen)}


#: Domains with their default seed list and configuration, in one statement: the numbers are taken first, so
#: that each may name the other. Foreign keys are checked when all of it is there.
MAKE_DOMAINS = """
WITH given AS ({given}),
fresh AS MATERIALIZED (
    SELECT
        nextval(pg_get_serial_sequence('domain', 'id')) AS domain,
        nextval(pg_get_serial_sequence('seed_list', 'id')) AS list,
        nextval(pg_get_serial_sequence('configuration', 'id')) AS configuration,
        name, seeds, comments
    FROM (
        SELECT * FROM given
        WHERE NOT EXISTS (
            -- Only a stretch of the index is read, however many domains there are.
            SELECT FROM domain WHERE domain.name = given.name AND domain.name BETWEEN :first AND :last
        )
        ORDER BY name
    ) AS unknown
),
made AS (
    INSERT INTO domain (id, name, default_configuration, origin, comments, created_at, broad)
    SELECT domain, name, configuration, :origin, comments, :now, :broad FROM fresh
    ON CONFLICT (name) DO NOTHING
    RETURNING id, name
),
lists AS (
    INSERT INTO seed_list (id, domain, name, seeds)
    SELECT list, domain, 'default', seeds FROM fresh JOIN made ON made.id = fresh.domain
),
configurations AS (
    INSERT INTO configuration (id, domain, name, profile, seed_lists, max_bytes)
    SELECT configuration, domain, 'default', :profile, ARRAY[list], :max_bytes
    FROM fresh JOIN made ON made.id = fresh.domain
)
SELECT {answer} FROM made
"""
FROM_ARRAYS = (
    'SELECT name COLLATE "C" AS name, seeds, comments '
    "FROM unnest(CAST(:names AS text[]), CAST(:seeds AS text[]), CAST(:comments AS text[])) "
    "AS arrays (name, seeds, comments)"
)


#: The planner cannot know how many rows a statement within the statement gives, and joins two million-row
#: ones in a loop, which never ends. A hash is right for few as well.
BY_HASH = sa.text("SET LOCAL enable_nestloop = off")
AS_EVER = sa.text("SET LOCAL enable_nestloop TO DEFAULT")


def make_domains(
    connection: Connection, facts: Iterable[tuple[str, str, str]], values: Mapping[str, object]
) -> dict[str, int]:
    """Make those of (name, seeds, comments) that there are not; their numbers by name.

    `values`: origin, now, profile, max_bytes and broad of all of them.
    """
    names, seeds, comments = (list(column) for column in zip(*facts, strict=True))
    given = {**values, "names": names, "seeds": seeds, "comments": comments}
    given |= {"first": min(names), "last": max(names)}
    return {row.name: row.id for row in _make(connection, FROM_ARRAYS, "name, id", given)}


def make_domains_from(connection: Connection, given: str, values: Mapping[str, object]) -> int:
    """Make domains out of a query that gives name, seeds and comments; how many there were not before.

    `values`: as above, with the `first` and the `last` of the names.
    """
    ((number,),) = _make(connection, given, "count(*)", values)
    return int(number)


def _make(
    connection: Connection, given: str, answer: str, values: Mapping[str, object]
) -> "Sequence[sa.Row[Any]]":
    connection.execute(BY_HASH)
    rows = connection.execute(sa.text(MAKE_DOMAINS.format(given=given, answer=answer)), dict(values)).all()
    connection.execute(AS_EVER)
    return rows


# Profiles -------------------------------------------------------------------------------------------


def profile_number(connection: Connection, name: str) -> int | None:
    return connection.scalar(sa.select(profile.c.id).where(profile.c.name == name, profile.c.active))


def profiles(connection: Connection) -> list[tuple[int, str]]:
    """Number and name of the profiles that may be chosen."""
    chosen = sa.select(profile.c.id, profile.c.name).where(profile.c.active).order_by(profile.c.name)
    return [(number, name) for number, name in connection.execute(chosen)]


# Aliases --------------------------------------------------------------------------------------------


def aliases_of(connection: Connection, domain_id: int) -> list[tuple[int, str, datetime]]:
    """The domains that are aliases of this one."""
    chosen = (
        sa.select(domain.c.id, domain.c.name, domain.c.alias_since)
        .where(domain.c.alias_of == domain_id)
        .order_by(domain.c.name)
    )
    return [(number, name, since) for number, name, since in connection.execute(chosen)]


def lock_domains(connection: Connection, numbers: Iterable[int]) -> dict[int, Domain]:
    """These domains, locked in the order of their numbers: two who lock must not wait for each other."""
    found = domains.all(connection, domain.c.id.in_(set(numbers)), lock=True)
    return {one.id: one for one in found}


def alias_page(
    connection: Connection, *, live: bool, oldest: datetime, limit: int, offset: Beginning
) -> tuple[list[RowMapping], int]:
    """Aliases that are live, or expired; those that end (or ended) first come first."""
    other = domain.alias("other")
    state = domain.c.alias_since > oldest if live else domain.c.alias_since <= oldest
    chosen = (
        sa.select(
            domain.c.id, domain.c.name, domain.c.alias_of, other.c.name.label("of_name"), domain.c.alias_since
        )
        .join(other, other.c.id == domain.c.alias_of)
        .where(state)
    )
    total = connection.scalar(
        sa.select(sa.func.count()).select_from(domain).where(domain.c.alias_of.is_not(None), state)
    )
    found = stretch(connection, chosen, (domain.c.alias_since, domain.c.name), limit, offset)
    return list(found.mappings()), total or 0


TOPIC = "domains"


def existing_domain(connection: Connection, number: int, *, lock: bool = False) -> Domain:
    missing = message("There is no domain with the number %(number)s.", number=number)
    return existing(domains.by_id(connection, number, lock=lock), missing)


def subject(domain: Domain) -> Subject:
    return Subject("domain", domain.id, domain.name)


def refuse_unseen(edition: int, seen: int | None) -> None:
    """What somebody else changed since it was shown must not be undone unawares."""
    if seen is not None and seen != edition:
        raise Refused(message("Somebody changed this meanwhile. Look at it again, then save."))


def note(
    connection: Connection,
    actor: Actor,
    action: str,
    domain: Domain,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """An entry in the history of the domain, whatever part of it was changed, and word to open pages."""
    record(connection, actor, action, subject(domain), before=before, after=after)
    announce(connection, TOPIC)
