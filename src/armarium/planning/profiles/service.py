"""The verbs of profiles. A version is never altered: a change makes another."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.entities import Kind
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import Refused, existing
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.db.stretches import Beginning, stretch
from armarium.planning.parsing import check_plain_name
from armarium.planning.profiles import rules
from armarium.planning.profiles.rules import Profile, Usage, Version, ordered
from armarium.planning.searching import Searched
from armarium.planning.tables.domains import configuration, domain, profile, profile_version
from armarium.planning.traps.rules import check_traps

MOST_COUNTED = 10_000  # of millions of configurations nobody wants the exact number, at this price
_newest = sa.and_(profile_version.c.profile == profile.c.id, profile_version.c.version == profile.c.version)


class ProfileRows(Rows[Profile]):
    """Each with its newest version."""

    def selected(self) -> "sa.Select[Any]":
        newest = (profile_version.c.id.label("version_id"), profile_version.c.document)
        return sa.select(*profile.c, *newest).select_from(profile.join(profile_version, _newest))

    def value(self, row: Mapping[Any, Any]) -> Profile:
        return super().value({**row, "document": ordered(row["document"])})


class VersionRows(Rows[Version]):
    def value(self, row: Mapping[Any, Any]) -> Version:
        return super().value({**row, "document": ordered(row["document"])})


profiles = ProfileRows(profile, Profile, order=(profile.c.active.desc(), profile.c.id))
versions = VersionRows(profile_version, Version, order=(profile_version.c.version.desc(),))


def counts_of_usage(connection: Connection) -> dict[int, int]:
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


def usage_of(
    connection: Connection, number: int, limit: int, offset: Beginning = 0
) -> tuple[list[Usage], int]:
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


LONGEST_REASON = 1000
ON_THE_SERVER = frozenset({Via.COMMAND, Via.SYSTEM})


class Profiles(Searched[Profile]):
    """`machines` says whether somebody may change what concerns the machines that crawl (rules.MACHINE);
    who works on the server itself may."""

    rows = profiles
    kind = Kind(
        "profile",
        topic="profiles",
        missing=message("There is no profile with the number %(number)s."),
        unnamed=message("There is no profile named %(name)s."),
        taken=message("There is a profile named %(name)s already."),
        changed=message("Somebody changed this profile meanwhile. Look at it again, then save."),
    )

    usage_counts = reading(counts_of_usage)
    #: Configurations that use the profile, and how many there are.
    usage = reading(usage_of)

    def active(self) -> list[Profile]:
        """Those that may be chosen, for select boxes."""
        with self._database.transaction() as connection:
            return self.rows.all(connection, profile.c.active)

    def versions(self, number: int, *, limit: int = 1000, offset: Beginning = 0) -> tuple[list[Version], int]:
        """The versions, newest first, and how many there are."""
        with self._database.transaction() as connection:
            self.existing(connection, number)
            return versions.page(connection, limit, offset, profile_version.c.profile == number)

    def version(self, number: int, which: int) -> Version:
        with self._database.transaction() as connection:
            return self._version(connection, number, which)

    # Changing

    def create(
        self,
        actor: Actor,
        name: str,
        *,
        description: str = "",
        document: Mapping[str, Any],
        reason: str = "",
        machines: bool = False,
    ) -> Profile:
        name, kept = check_plain_name(name), judged(document)
        _refuse_machines(actor, machines, {}, kept)
        values: dict[str, object] = {"name": name, "description": description.strip(), "version": 1}
        with self._database.transaction() as connection:
            number = self.rows.insert(connection, **values)
            if number is None:
                raise self.name_taken(values)
            _add_version(connection, actor, number, 1, kept, reason)
            made = self.existing(connection, number)
            self._record(
                connection, actor, "created", made, None, {**made.described(), **dict(rules.flat(kept))}
            )
            return made

    def describe(
        self,
        actor: Actor,
        number: int,
        *,
        name: str,
        description: str,
        active: bool,
        seen: str | None = None,
    ) -> Profile:
        """Change what is no part of a version."""
        name = check_plain_name(name)
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            if before.shipped and name != before.name:  # new domains ask for it by its name
                text = message("This profile came with Armarium and keeps its name. Make a copy of it.")
                raise Refused(text, field="name")
            values = {"name": name, "description": description.strip(), "active": active}
            after = self.update(connection, before, values)
            self.note(connection, actor, before, after)
            return after

    def new_version(
        self,
        actor: Actor,
        number: int,
        document: Mapping[str, Any],
        reason: str,
        *,
        seen: str | None = None,
        machines: bool = False,
    ) -> Profile:
        """Another version; jobs made from now on use it. One that says the same as the newest is refused."""
        kept = judged(document)
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            _refuse_machines(actor, machines, before.document, kept)
            return self._next_version(connection, actor, before, kept, reason)

    def go_back(
        self,
        actor: Actor,
        number: int,
        to: int,
        reason: str,
        *,
        seen: str | None = None,
        machines: bool = False,
    ) -> Profile:
        """A new version that says what an older one said."""
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            kept = judged(self._version(connection, number, to).document)
            _refuse_machines(actor, machines, before.document, kept)
            why = reason.strip() or f"Back to version {to}."
            return self._next_version(connection, actor, before, kept, why)

    # Steps

    def _next_version(
        self,
        connection: Connection,
        actor: Actor,
        before: Profile,
        kept: Mapping[str, Any],
        reason: str,
    ) -> Profile:
        changed = rules.differences(before.document, kept)
        if not changed:
            raise Refused(message("Nothing differs from version %(version)s.", version=before.version))
        _add_version(connection, actor, before.id, before.version + 1, kept, reason)
        after = self.update(connection, before, {"version": before.version + 1})
        was = {"version": before.version, **{one.key: one.before for one in changed}}
        now = {"version": after.version, "reason": reason, **{one.key: one.after for one in changed}}
        self._record(connection, actor, "version_made", after, was, now)
        return after

    def _record(
        self,
        connection: Connection,
        actor: Actor,
        what: str,
        profile: Profile,
        before: Mapping[str, object] | None,
        after: Mapping[str, object],
    ) -> None:
        """What a version says stands in the log key by key."""
        subject = Subject(self.kind.name, profile.id, profile.name)
        record(connection, actor, f"profile.{what}", subject, before=before, after=after)
        announce(connection, self.kind.topic)

    def _version(self, connection: Connection, number: int, which: int) -> Version:
        of = profile_version.c
        found = versions.one(connection, of.profile == number, of.version == which)
        return existing(found, message("This profile has no version %(version)s.", version=which))


def judged(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as it is kept; its expressions must be such as the crawler can use."""
    kept = rules.checked(document)
    for key in ("accept", "reject"):
        try:
            check_traps(kept.get("scope", {}).get(key, ()))
        except Refused as refusal:
            raise rules.BadOrder({f"scope.{key}": refusal.message}) from refusal
    return kept


def _refuse_machines(
    actor: Actor, machines: bool, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    if not machines and actor.via not in ON_THE_SERVER:
        rules.check_machine(before, after)


def _add_version(
    connection: Connection, actor: Actor, number: int, which: int, document: Mapping[str, Any], reason: str
) -> None:
    reason = reason.strip()
    if len(reason) > LONGEST_REASON:
        text = message("The reason is longer than %(most)s characters.", most=LONGEST_REASON)
        raise Refused(text, field="reason")
    facts = {"document": document, "reason": reason, "by": actor.name, "created_at": clock.now()}
    versions.insert(connection, profile=number, version=which, **facts)


ACTIONS: dict[str, Message] = {
    "profile.created": message("Profile created"),
    "profile.changed": message("Profile changed"),
    "profile.version_made": message("New version of a profile"),
}
WORDS: dict[str, Message] = {
    "profile": message("Profile"),
    "version": message("Version"),
    "reason": message("Reason"),
    "description": message("Description"),
    "active": message("Active"),
}
