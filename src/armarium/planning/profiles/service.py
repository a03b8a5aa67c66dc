"""The verbs of profiles. A version is never altered: a change makes another."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.planning import rules as planning_rules
from armarium.planning.profiles import queries, rules
from armarium.planning.profiles.model import Profile, Usage, Version
from armarium.planning.traps.rules import check_traps

LONGEST_REASON = 1000
ON_THE_SERVER = frozenset({Via.COMMAND, Via.SYSTEM})


def subject(profile: Profile) -> Subject:
    return Subject("profile", profile.id, profile.name)


class Profiles:
    """`machines` says whether somebody may change what concerns the machines that crawl (rules.MACHINE);
    who works on the server itself may."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[Profile], int]:
        with self._database.transaction() as connection:
            return queries.profiles(connection, limit, offset)

    def active(self) -> list[Profile]:
        """Those that may be chosen, for select boxes."""
        with self._database.transaction() as connection:
            return queries.active(connection)

    def get(self, number: int) -> Profile:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    def named(self, name: str) -> Profile:
        with self._database.transaction() as connection:
            found = queries.by_name(connection, name.strip())
        if found is None:
            raise NotFound(message("There is no profile named %(name)s.", name=name))
        return found

    def versions(self, number: int, *, limit: int = 1000, offset: Beginning = 0) -> tuple[list[Version], int]:
        """The versions, newest first, and how many there are."""
        with self._database.transaction() as connection:
            self._existing(connection, number)
            return queries.versions(connection, number, limit, offset)

    def version(self, number: int, which: int) -> Version:
        with self._database.transaction() as connection:
            return self._version(connection, number, which)

    def usage_counts(self) -> dict[int, int]:
        with self._database.transaction() as connection:
            return queries.usage_counts(connection)

    def usage(self, number: int, *, limit: int, offset: Beginning = 0) -> tuple[list[Usage], int]:
        """Configurations that use the profile, and how many there are."""
        with self._database.transaction() as connection:
            return queries.usage(connection, number, limit, offset)

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
        name, kept = planning_rules.check_plain_name(name), judged(document)
        _refuse_machines(actor, machines, {}, kept)
        with self._database.transaction() as connection:
            values = {"name": name, "description": description.strip(), "version": 1}
            number = queries.insert(connection, **values)
            if number is None:
                raise _name_taken(name)
            self._add_version(connection, actor, number, 1, kept, reason)
            made = self._existing(connection, number)
            after = {**made.described(), **dict(rules.flat(kept))}
            record(connection, actor, "profile.created", subject(made), after=after)
            announce(connection, "profiles")
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
        name = planning_rules.check_plain_name(name)
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            _refuse_unseen(before, seen)
            if before.shipped and name != before.name:  # new domains ask for it by its name
                text = message("This profile came with Armarium and keeps its name. Make a copy of it.")
                raise Refused(text, field="name")
            try:
                values = {"name": name, "description": description.strip(), "active": active}
                queries.update(connection, number, **values)
            except IntegrityError as taken:
                raise _name_taken(name) from taken
            after = self._existing(connection, number)
            record(
                connection,
                actor,
                "profile.changed",
                subject(after),
                before=before.described(),
                after=after.described(),
            )
            announce(connection, "profiles")
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
            before = self._existing(connection, number, lock=True)
            _refuse_unseen(before, seen)
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
            before = self._existing(connection, number, lock=True)
            _refuse_unseen(before, seen)
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
        self._add_version(connection, actor, before.id, before.version + 1, kept, reason)
        queries.update(connection, before.id, version=before.version + 1)
        after = self._existing(connection, before.id)
        record(
            connection,
            actor,
            "profile.version_made",
            subject(after),
            before={"version": before.version, **{one.key: one.before for one in changed}},
            after={"version": after.version, "reason": reason, **{one.key: one.after for one in changed}},
        )
        announce(connection, "profiles")
        return after

    def _add_version(
        self,
        connection: Connection,
        actor: Actor,
        number: int,
        which: int,
        document: Mapping[str, Any],
        reason: str,
    ) -> None:
        reason = reason.strip()
        if len(reason) > LONGEST_REASON:
            text = message("The reason is longer than %(most)s characters.", most=LONGEST_REASON)
            raise Refused(text, field="reason")
        queries.insert_version(
            connection, number, which, document, reason=reason, by=actor.name, at=clock.now()
        )

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Profile:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no profile with the number %(number)s.", number=number))
        return found

    def _version(self, connection: Connection, number: int, which: int) -> Version:
        found = queries.version(connection, number, which)
        if found is None:
            raise NotFound(message("This profile has no version %(version)s.", version=which))
        return found


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


def _refuse_unseen(before: Profile, seen: str | None) -> None:
    if seen and seen != before.mark:
        raise Refused(message("Somebody changed this profile meanwhile. Look at it again, then save."))


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a profile named %(name)s already.", name=name), field="name")


ACTIONS: dict[str, Message] = {
    "profile.created": message("Profile made"),
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
