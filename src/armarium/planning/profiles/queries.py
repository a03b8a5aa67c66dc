"""SQL of profiles."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.db.stretches import Beginning, stretch
from armarium.planning.profiles.model import Profile, Usage, Version
from armarium.planning.profiles.rules import ordered
from armarium.planning.tables.domains import configuration, domain, profile, profile_version

MOST_COUNTED = 10_000  # of millions of configurations nobody wants the exact number, at this price
_newest = sa.and_(profile_version.c.profile == profile.c.id, profile_version.c.version == profile.c.version)


class ProfileRows(Rows[Profile]):
    """Each with its newest version."""

    def asked(self) -> "sa.Select[Any]":
        newest = (profile_version.c.id.label("version_id"), profile_version.c.document)
        return sa.select(*profile.c, *newest).select_from(profile.join(profile_version, _newest))

    def value(self, row: Mapping[Any, Any]) -> Profile:
        return super().value({**row, "document": ordered(row["document"])})


class VersionRows(Rows[Version]):
    def value(self, row: Mapping[Any, Any]) -> Version:
        return super().value({**row, "document": ordered(row["document"])})


profiles = ProfileRows(profile, Profile, order=(profile.c.active.desc(), profile.c.id))
versions = VersionRows(profile_version, Version, order=(profile_version.c.version.desc(),))


def usage_counts(connection: Connection) -> dict[int, int]:
    """How many configurations use each profile, counted up to `MOST_COUNTED`."""
    some = (
        sa.select(sa.literal(1))
        .where(configuration.c.profile == profile.c.id)
        .limit(MOST_COUNTED)
        .correlate(profile)
        .subquery()
    )
    counted = sa.select(sa.func.count()).select_from(some).correlate(profile).scalar_subquery()
    return {row[0]: row[1] for row in connection.execute(sa.select(profile.c.id, counted))}


def usage(connection: Connection, number: int, limit: int, offset: Beginning = 0) -> tuple[list[Usage], int]:
    mine = configuration.c.profile == number
    asked = (
        sa.select(domain.c.id, domain.c.name, configuration.c.name, configuration.c.active)
        .join(domain, domain.c.id == configuration.c.domain)
        .where(mine)
    )
    some = sa.select(sa.literal(1)).where(mine).limit(MOST_COUNTED).subquery()
    total = connection.scalar(sa.select(sa.func.count()).select_from(some))
    found = stretch(connection, asked, [configuration.c.id], limit, offset)
    return [Usage(*tuple(row)) for row in found], int(total or 0)
