"""The verbs of domains. Nothing is deleted: what is no longer harvested becomes inactive, history and all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from armarium.accounts.vault import Vault
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning, Place
from armarium.planning import parsing as planning_rules
from armarium.planning.domains import queries, rules, search
from armarium.planning.domains.aliases import Aliases
from armarium.planning.domains.configurations import Configurations, default_values
from armarium.planning.domains.credentials import Credentials
from armarium.planning.domains.imports import Imports
from armarium.planning.domains.model import Domain, DomainFilter, DomainRow, TldCount, Total
from armarium.planning.domains.queries import existing_domain, note, refuse_unseen
from armarium.planning.domains.results import last_seeds_of, next_harvests_of, results_of
from armarium.planning.domains.search import beginning_with
from armarium.planning.fields.rules import Field, FieldSubject, Posted, checked_fields
from armarium.planning.fields.service import fields as fields_of
from armarium.planning.settings import PlanningSettings
from armarium.planning.traps import rules as traps_rules
from armarium.tasks.service import Tasks

AT_ONCE = 1000  # domains of a search that are in memory together


@dataclass(frozen=True)
class DomainFacts:
    """What a person says about a domain."""

    active: bool = True
    comments: str = ""
    traps: Sequence[str] = ()
    fields: Posted | None = None  # what was typed into custom fields; None: they stay as they are
    broad: bool | None = None  # taken by broad harvests; None: as it is


class Domains:
    def __init__(
        self, database: Database, vault: Vault, tasks: Tasks, settings: PlanningSettings | None = None
    ) -> None:
        self._database = database
        self._settings = settings or PlanningSettings()
        self.aliases = Aliases(database, self._settings)
        self.configurations = Configurations(database)
        self.credentials = Credentials(database, vault)
        self.imports = Imports(database, tasks, self._settings)

    # Reading

    get = reading(existing_domain)

    def named(self, name: str) -> Domain:
        """The domain of a name or an address."""
        missing = message("There is no domain %(name)s.", name=name)
        with self._database.transaction() as connection:
            found = queries.domains.by_name(connection, wanted := rules.domain_of(name))
            return existing(found, missing, name=wanted, known=lambda: queries.names_like(connection, wanted))

    def search(
        self, wanted: DomainFilter, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[DomainRow], Total]:
        oldest = self.aliases.oldest(clock.now())
        with self._database.transaction() as connection:
            numbers, total = search.found(connection, wanted, oldest_alias=oldest, limit=limit, offset=offset)
            return search.rows(connection, numbers) if numbers else [], total

    def every(self, wanted: DomainFilter) -> Iterator[DomainRow]:
        """All of them, in the order of their names, however many there are."""
        cursor: str | None = ""
        while cursor is not None:
            place = Place(cursor=cursor)
            yield from self.search(wanted, limit=AT_ONCE, offset=place)[0]
            cursor = place.next

    #: Number and name of those whose names begin so.
    beginning = reading(beginning_with)
    results = reading(results_of)
    next_harvests = reading(next_harvests_of)
    last_seeds = reading(last_seeds_of)

    def fields(self) -> list[Field]:
        """The custom fields that forms of domains have."""
        with self._database.transaction() as connection:
            return fields_of(connection, FieldSubject.DOMAIN, active=True)

    def statistics(self) -> list[TldCount]:
        """Domains by top-level domain, each with its registries of the second level."""
        with self._database.transaction() as connection:
            first = search.by_top_level(connection)
            second = search.by_second_level(connection)
        below: dict[str, list[tuple[str, int]]] = {}
        for name, number in second:
            below.setdefault(name.rpartition(".")[2], []).append((name, number))
        return [
            TldCount(name, domains, active, tuple(below.get(name, ()))) for name, domains, active in first
        ]

    # Changing

    def create(
        self, actor: Actor, name: str, *, seeds: str = "", origin: str = "", comments: str = ""
    ) -> Domain:
        """A domain with the seed list and the configuration that are both named "default"."""
        known = rules.domain_of(name)
        listed = rules.check_seeds(seeds) if seeds.strip() else rules.default_seeds(known)
        fact = (known, listed, planning_rules.check_comments(comments))
        with self._database.transaction() as connection:
            values = default_values(connection, self._settings, origin)
            made = queries.make_domains(connection, [fact], values)
            if known not in made:
                raise Refused(message("The domain %(name)s already exists.", name=known), field="name")
            return self._note_made(connection, actor, made[known])

    def ensure(
        self, connection: Connection, actor: Actor, names: Sequence[str], origin: str, *, broad: bool = True
    ) -> dict[str, int]:
        """The numbers of these domains, by the name that was given; those that there are not are made.

        `broad`: broad harvests take those that are made.
        """
        if not names:
            return {}
        known = {given: rules.domain_of(given) for given in names}
        facts = [(name, rules.default_seeds(name), "") for name in dict.fromkeys(known.values())]
        values = default_values(connection, self._settings, origin, broad=broad)
        made = queries.make_domains(connection, facts, values)
        for number in made.values():
            self._note_made(connection, actor, number)
        numbers = queries.numbers_of(connection, list(known.values()))
        return {given: numbers[name] for given, name in known.items()}

    def change(self, actor: Actor, number: int, facts: DomainFacts, *, seen: int | None = None) -> Domain:
        """Change a domain. `seen`: its edition as it was shown; a later change must not be undone."""
        traps, comments = traps_rules.check_traps(facts.traps), planning_rules.check_comments(facts.comments)
        with self._database.transaction() as connection:
            before = existing_domain(connection, number, lock=True)
            refuse_unseen(before.edition, seen)
            values = {"active": facts.active, "comments": comments, "traps": list(traps)}
            if facts.broad is not None:
                values["broad"] = facts.broad
            if facts.fields is not None:
                asked = fields_of(connection, FieldSubject.DOMAIN, active=True)
                values["fields"] = checked_fields(asked, facts.fields, before.fields)
            queries.domains.update(connection, number, **values)
            return self._note_changed(connection, actor, before)

    def add_trap(self, connection: Connection, actor: Actor, name: str, pattern: str) -> None:
        """Add a trap in the transaction of what it was found by: a filter of a running job."""
        (trap,) = traps_rules.check_traps([pattern]) or (None,)
        if trap is None:
            raise Refused(message("The trap is empty."), field="traps")
        found = queries.domains.by_name(connection, rules.domain_of(name), lock=True)
        before = existing(found, message("There is no domain %(name)s.", name=name))
        if trap not in before.traps:
            traps_rules.check_traps([*before.traps, trap])
            queries.domains.update(connection, before.id, traps=[*before.traps, trap])
            self._note_changed(connection, actor, before)

    def put_configuration(
        self,
        connection: Connection,
        actor: Actor,
        domain_id: int,
        name: str,
        *,
        profile: int,
        seeds: str,
        max_objects: int | None,
        max_bytes: int | None,
        overrides: Mapping[str, Any],
    ) -> int:
        """Make or replace the configuration of this name, and the seed list of the same name."""
        return self.configurations.put(
            connection,
            actor,
            existing_domain(connection, domain_id, lock=True),
            name,
            profile=profile,
            seeds=seeds,
            limits=(max_objects, max_bytes),
            overrides=overrides,
        )

    # Steps

    def _note_made(self, connection: Connection, actor: Actor, number: int) -> Domain:
        domain = existing_domain(connection, number)
        after = {**domain.described(), "origin": domain.origin}
        note(connection, actor, "domain.created", domain, after=after)
        return domain

    def _note_changed(self, connection: Connection, actor: Actor, before: Domain) -> Domain:
        after = existing_domain(connection, before.id)
        note(connection, actor, "domain.changed", after, before=before.described(), after=after.described())
        return after


ACTIONS: dict[str, Message] = {
    "domain.created": message("Domain created"),
    "domain.changed": message("Domain changed"),
    "domain.default_changed": message("Default configuration changed"),
    "domain.seed_list_added": message("Seed list added"),
    "domain.seed_list_changed": message("Seed list changed"),
    "domain.configuration_added": message("Configuration added"),
    "domain.configuration_changed": message("Configuration changed"),
    "domain.alias_set": message("Alias set"),
    "domain.alias_renewed": message("Alias renewed"),
    "domain.alias_removed": message("Alias removed"),
    "domain.credential_added": message("Credential added"),
    "domain.credential_changed": message("Credential changed"),
    "domains.imported": message("Domains imported"),
}
WORDS: dict[str, Message] = {
    "domain": message("Domain"),
    "import": message("Import"),
    "comments": message("Comments"),
    "broad": message("Taken by broad harvests"),
    "traps": message("Crawler traps"),
    "fields": message("Custom fields"),
    "origin": message("Origin"),
    "seeds": message("Seeds"),
    "seed_lists": message("Seed lists"),
    "profile": message("Profile"),
    "max_objects": message("Object limit"),
    "max_bytes": message("Size limit"),
    "overrides": message("Overrides"),
    "default_configuration": message("Default configuration"),
    "alias_of": message("Alias of"),
    "alias_since": message("Alias confirmed"),
    "realm": message("Realm"),
    "user_name": message("User name"),
    "login_url": message("Address of the form"),
    "kind": message("Kind"),
    "lines": message("Lines"),
    "created": message("Created"),
    "known": message("Already known"),
    "repeated": message("Repeated"),
    "refused": message("Rejected"),
    "skipped": message("Empty, comments or heading"),
}
