"""SQL of profiles."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.db.stretches import Beginning, stretch
from armarium.planning.profiles.model import Profile, Usage, Version
from armarium.planning.profiles.rules import ordered
from armarium.planning.tables.domains import configuration, domain, profile, profile_version

MOST_COUNTED = 10_000  # of millions of configurations nobody wants the exact number, at this price
_NEWEST = sa.and_(profile_version.c.profile == profile.c.id, profile_version.c.version == profile.c.version)
_PROFILES = sa.select(
    *profile.c, profile_version.c.id.label("version_id"), profile_version.c.document
).select_from(profile.join(profile_version, _NEWEST))


def profiles(connection: Connection, limit: int, offset: Beginning) -> tuple[list[Profile], int]:
    found = stretch(connection, _PROFILES, (profile.c.active.desc(), profile.c.id), limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(profile))
    return [_profile(row) for row in found], int(total or 0)


def active(connection: Connection) -> list[Profile]:
    asked = _PROFILES.where(profile.c.active).order_by(profile.c.id)
    return [_profile(row) for row in connection.execute(asked)]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Profile | None:
    asked = _PROFILES.where(profile.c.id == number)
    return _one(connection, asked.with_for_update(of=profile) if lock else asked)


def by_name(connection: Connection, name: str) -> Profile | None:
    return _one(connection, _PROFILES.where(profile.c.name == name))


def insert(connection: Connection, **values: object) -> int | None:
    """The number of the new profile; None if there is one of that name."""
    made = postgresql_insert(profile).values(**values).on_conflict_do_nothing()
    number: int | None = connection.scalar(made.returning(profile.c.id))
    return number


def update(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(profile).where(profile.c.id == number).values(**values))


def versions(connection: Connection, number: int, limit: int, offset: Beginning) -> tuple[list[Version], int]:
    mine = profile_version.c.profile == number
    asked = sa.select(profile_version).where(mine)
    total = connection.scalar(sa.select(sa.func.count()).select_from(profile_version).where(mine))
    found = stretch(connection, asked, [profile_version.c.version.desc()], limit, offset)
    return [_version(row) for row in found], int(total or 0)


def version(connection: Connection, number: int, which: int) -> Version | None:
    asked = sa.select(profile_version).where(
        profile_version.c.profile == number, profile_version.c.version == which
    )
    row = connection.execute(asked).one_or_none()
    return _version(row) if row else None


def insert_version(
    connection: Connection,
    number: int,
    which: int,
    document: Mapping[str, Any],
    *,
    reason: str,
    by: str,
    at: datetime,
) -> int:
    values = {"profile": number, "version": which, "document": document, "reason": reason, "by": by}
    made = sa.insert(profile_version).values(**values, created_at=at).returning(profile_version.c.id)
    return int(connection.scalar(made) or 0)


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


def usage(connection: Connection, number: int, limit: int, offset: Beginning) -> tuple[list[Usage], int]:
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


def _one(connection: Connection, asked: Any) -> Profile | None:
    row = connection.execute(asked).one_or_none()
    return _profile(row) if row else None


def _version(row: Any) -> Version:
    return Version(**{**row._mapping, "document": ordered(row.document)})


def _profile(row: Any) -> Profile:
    return Profile(**{**row._mapping, "document": ordered(row.document)})
