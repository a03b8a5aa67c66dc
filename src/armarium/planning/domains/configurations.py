"""Seed lists and configurations: where a domain is begun, how far it is followed, and by which profile."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.planning import parsing as planning_rules
from armarium.planning.domains import queries, rules
from armarium.planning.domains.model import Configuration, Domain, NewConfiguration, SeedList
from armarium.planning.domains.queries import existing_domain, note, refuse_unseen
from armarium.planning.domains.rules import check_overrides
from armarium.planning.settings import PlanningSettings

DEFAULT_PROFILE = "domain"


def default_values(
    connection: Connection, settings: PlanningSettings, origin: str, *, broad: bool = True
) -> dict[str, object]:
    """What new domains have in common. `broad`: broad harvests take them."""
    profile = queries.profile_number(connection, DEFAULT_PROFILE)
    if profile is None:
        raise Refused(
            message(
                "New domains are harvested by the profile “%(name)s”, and there is none of that name that is "
                "active. Make it, or activate it again.",
                name=DEFAULT_PROFILE,
            )
        )
    return {
        "origin": origin,
        "now": clock.now(),
        "profile": profile,
        "max_bytes": settings.default_max_bytes,
        "broad": broad,
    }


def _seed_list(connection: Connection, domain: int, number: int) -> SeedList:
    found = queries.seed_lists.by_id(connection, number)
    if found is None or found.domain != domain:
        raise NotFound(message("The domain has no seed list with the number %(number)s.", number=number))
    return found


def _configuration(connection: Connection, domain: int, number: int, *, lock: bool = False) -> Configuration:
    found = queries.configurations.by_id(connection, number, lock=lock)
    if found is None or found.domain != domain:
        raise NotFound(message("The domain has no configuration with the number %(number)s.", number=number))
    return found


class Configurations:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    get = reading(_configuration)
    seed_list = reading(_seed_list)
    of = reading(queries.configurations_of)
    seed_lists = reading(queries.lists_of)
    profiles = reading(queries.profiles)

    # Seed lists

    def add_seed_list(
        self, actor: Actor, domain: int, name: str, seeds: str, *, comments: str = ""
    ) -> SeedList:
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            return _add_seed_list(connection, actor, owner, name, seeds, comments)

    def change_seed_list(
        self,
        actor: Actor,
        domain: int,
        number: int,
        *,
        name: str,
        seeds: str,
        comments: str = "",
        seen: int | None = None,
    ) -> SeedList:
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            before = _seed_list(connection, domain, number)
            refuse_unseen(before.edition, seen)
            return _change_seed_list(connection, actor, owner, before, name, seeds, comments)

    # Configurations

    def add(self, actor: Actor, domain: int, given: NewConfiguration) -> Configuration:
        with self._database.transaction() as connection:
            return _add(connection, actor, existing_domain(connection, domain, lock=True), given)

    def change(
        self, actor: Actor, domain: int, number: int, given: NewConfiguration, *, seen: int | None = None
    ) -> Configuration:
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            before = _configuration(connection, domain, number, lock=True)
            refuse_unseen(before.edition, seen)
            return _change(connection, actor, owner, before, given)

    def make_default(self, actor: Actor, domain: int, number: int) -> None:
        """The configuration that broad harvests take."""
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            chosen = _configuration(connection, domain, number)
            if not chosen.active:
                raise Refused(message("An inactive configuration cannot be the default."))
            if owner.default_configuration == number:
                return
            names = {one.id: one.name for one in queries.configurations_of(connection, domain)}
            former = names.get(owner.default_configuration or 0)
            queries.domains.update(connection, domain, default_configuration=number)
            note(
                connection,
                actor,
                "domain.default_changed",
                owner,
                before={"default_configuration": former},
                after={"default_configuration": chosen.name},
            )

    def put(
        self,
        connection: Connection,
        actor: Actor,
        owner: Domain,
        name: str,
        *,
        profile: int,
        seeds: str,
        limits: tuple[int | None, int | None],
        overrides: Mapping[str, Any],
    ) -> int:
        """Make or replace the configuration of this name, and the seed list of the same name."""
        lists = {one.name: one for one in queries.lists_of(connection, owner.id)}
        known = {one.name: one for one in queries.configurations_of(connection, owner.id)}
        name = planning_rules.check_name(name)
        if name in lists:
            listed = _change_seed_list(
                connection, actor, owner, lists[name], name, seeds, lists[name].comments
            )
        else:
            listed = _add_seed_list(connection, actor, owner, name, seeds, "")
        given = NewConfiguration(name, profile, (listed.id,), limits[0], limits[1], overrides)
        if name not in known:
            return _add(connection, actor, owner, given).id
        given = replace(given, comments=known[name].comments)
        return _change(connection, actor, owner, known[name], given).id

    def keep(
        self,
        connection: Connection,
        actor: Actor,
        owner: Domain,
        listed: tuple[int | None, str, str, str],
        number: int | None,
        given: NewConfiguration,
    ) -> Configuration:
        """A seed list and its configuration for another room, in its transaction; without a number: made.

        `listed`: number, name, seeds and comments of the list. The configuration keeps lists of its own.
        """
        list_number, name, seeds, comments = listed
        if list_number is None:
            list_number = _add_seed_list(connection, actor, owner, name, seeds, comments).id
        else:
            before = _seed_list(connection, owner.id, list_number)
            _change_seed_list(connection, actor, owner, before, before.name, seeds, before.comments)
        if number is None:
            return _add(connection, actor, owner, replace(given, seed_lists=(list_number,)))
        known = _configuration(connection, owner.id, number, lock=True)
        kept = replace(given, seed_lists=known.seed_lists, comments=known.comments)
        return _change(connection, actor, owner, known, kept)


# Steps ----------------------------------------------------------------------------------------------


def _add_seed_list(
    connection: Connection, actor: Actor, owner: Domain, name: str, seeds: str, comments: str
) -> SeedList:
    values = _seed_list_values(connection, owner, None, name, seeds, comments)
    made = queries.seed_lists.new(connection, **values, domain=owner.id)
    note(connection, actor, "domain.seed_list_added", owner, after=made.described())
    return made


def _change_seed_list(
    connection: Connection,
    actor: Actor,
    owner: Domain,
    before: SeedList,
    name: str,
    seeds: str,
    comments: str,
) -> SeedList:
    values = _seed_list_values(connection, owner, before.id, name, seeds, comments)
    if values == before.described():
        return before
    queries.seed_lists.update(connection, before.id, **values)
    after = _seed_list(connection, owner.id, before.id)
    changed = {"before": {**before.described()}, "after": after.described()}
    note(connection, actor, "domain.seed_list_changed", owner, **changed)
    return after


def _seed_list_values(
    connection: Connection, owner: Domain, number: int | None, name: str, seeds: str, comments: str
) -> dict[str, object]:
    name = planning_rules.check_name(name)
    if any(one.name == name and one.id != number for one in queries.lists_of(connection, owner.id)):
        raise Refused(message("The domain has a seed list named %(name)s already.", name=name), field="name")
    return {
        "name": name,
        "seeds": rules.check_seeds(seeds),
        "comments": planning_rules.check_comments(comments),
    }


def _add(connection: Connection, actor: Actor, owner: Domain, given: NewConfiguration) -> Configuration:
    values = _values(connection, owner, None, given)
    made = queries.configurations.new(connection, **values, domain=owner.id)
    note(connection, actor, "domain.configuration_added", owner, after=made.described())
    return made


def _change(
    connection: Connection, actor: Actor, owner: Domain, before: Configuration, given: NewConfiguration
) -> Configuration:
    values = _values(connection, owner, before, given)
    if values == {key: getattr(before, key) for key in values} | {"seed_lists": [*before.seed_lists]}:
        return before
    if owner.default_configuration == before.id and before.active and not given.active:
        raise Refused(
            message("This is the default configuration: make another one the default first."), field="active"
        )
    queries.configurations.update(connection, before.id, **values)
    after = _configuration(connection, owner.id, before.id)
    changed = {"before": before.described(), "after": after.described()}
    note(connection, actor, "domain.configuration_changed", owner, **changed)
    return after


def _values(
    connection: Connection, owner: Domain, before: Configuration | None, given: NewConfiguration
) -> dict[str, Any]:
    """The values as they are kept; refuses what belongs to another domain, or to nobody."""
    name = planning_rules.check_name(given.name)
    number = before.id if before else None
    if any(one.name == name and one.id != number for one in queries.configurations_of(connection, owner.id)):
        raise Refused(
            message("The domain has a configuration named %(name)s already.", name=name), field="name"
        )
    own = {one.id for one in queries.lists_of(connection, owner.id)}
    if not given.seed_lists or not own.issuperset(given.seed_lists):
        raise Refused(message("Choose at least one seed list of this domain."), field="seed_lists")
    # A profile that was set inactive stays where it is in use, but nobody chooses it again.
    kept = before is not None and before.profile == given.profile
    if not kept and given.profile not in dict(queries.profiles(connection)):
        raise Refused(message("Choose a profile that is active."), field="profile")
    return {
        "name": name,
        "active": given.active,
        "profile": given.profile,
        "seed_lists": list(dict.fromkeys(given.seed_lists)),
        "max_objects": planning_rules.check_limit(given.max_objects, "max_objects"),
        "max_bytes": planning_rules.check_limit(given.max_bytes, "max_bytes"),
        "overrides": check_overrides(given.overrides),
        "comments": planning_rules.check_comments(given.comments),
    }
