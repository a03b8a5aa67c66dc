"""Aliases: domains with the content of another, which broad harvests leave out until the alias expires."""

from datetime import datetime, timedelta

from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.planning.domains import queries, rules
from armarium.planning.domains.model import Alias, Domain
from armarium.planning.domains.queries import existing_domain, note, refuse_unseen
from armarium.planning.settings import PlanningSettings


class Aliases:
    def __init__(self, database: Database, settings: PlanningSettings) -> None:
        self._database = database
        self._settings = settings

    def oldest(self, now: datetime) -> datetime:
        """An alias that was last confirmed at this moment or before has expired."""
        return now - timedelta(days=self._settings.alias_days)

    def until(self, domain: Domain) -> datetime | None:
        """When the alias that this domain is expires, or expired."""
        if domain.alias_of is None or domain.alias_since is None:
            return None
        return domain.alias_since + timedelta(days=self._settings.alias_days)

    def page(self, *, live: bool, limit: int, offset: Beginning = 0) -> tuple[list[Alias], int]:
        """Aliases that are live, or have expired, the next to expire first; and how many there are."""
        days = timedelta(days=self._settings.alias_days)
        with self._database.transaction() as connection:
            rows, total = queries.alias_page(
                connection, live=live, oldest=self.oldest(clock.now()), limit=limit, offset=offset
            )
        found = [
            Alias(r["id"], r["name"], r["alias_of"], r["of_name"], r["alias_since"], r["alias_since"] + days)
            for r in rows
        ]
        return found, total

    def of(self, domain: int) -> list[tuple[int, str, datetime]]:
        """Number, name and expiry of the aliases that this domain has."""
        days = timedelta(days=self._settings.alias_days)
        with self._database.transaction() as connection:
            return [(n, name, since + days) for n, name, since in queries.aliases_of(connection, domain)]

    def set(self, actor: Actor, number: int, of: str, *, seen: int | None = None) -> Domain:
        """Make a domain an alias of another. No chains: what is left out must be found in one step."""
        target_name = rules.domain_of(of)
        with self._database.transaction() as connection:
            found = queries.domains.by_name(connection, target_name)
            if found is None:
                raise Refused(message("There is no domain %(name)s.", name=target_name), field="alias_of")
            # Both are locked, so that two people cannot make each the alias of the other.
            locked = queries.lock_domains(connection, {number, found.id})
            if number not in locked:
                raise NotFound(message("There is no domain with the number %(number)s.", number=number))
            before, target = locked[number], locked[found.id]
            refuse_unseen(before.edition, seen)
            self._check(before, target, bool(queries.aliases_of(connection, number)))
            queries.domains.update(connection, number, alias_of=target.id, alias_since=clock.now())
            note(connection, actor, "domain.alias_set", before, after={"alias_of": target.name})
            return existing_domain(connection, number)

    def _check(self, domain: Domain, target: Domain, has_aliases: bool) -> None:
        if domain.id == target.id:
            raise Refused(message("A domain cannot be an alias of itself."), field="alias_of")
        if target.alias_of is not None:
            raise Refused(
                message("%(name)s is itself an alias: give the domain it stands for.", name=target.name),
                field="alias_of",
            )
        if has_aliases:
            raise Refused(
                message("%(name)s has aliases of its own, so it cannot become one.", name=domain.name),
                field="alias_of",
            )

    def renew(self, actor: Actor, number: int) -> Domain:
        """Confirm that an alias still is one."""
        with self._database.transaction() as connection:
            before = existing_domain(connection, number, lock=True)
            if before.alias_of is None:
                raise Refused(message("%(name)s is not an alias.", name=before.name))
            queries.domains.update(connection, number, alias_since=clock.now())
            after = existing_domain(connection, number)
            changed = {"before": {"alias_since": _written(before)}, "after": {"alias_since": _written(after)}}
            note(connection, actor, "domain.alias_renewed", before, **changed)
            return after

    def remove(self, actor: Actor, number: int) -> Domain:
        """The domain is harvested again for itself."""
        with self._database.transaction() as connection:
            before = existing_domain(connection, number, lock=True)
            if before.alias_of is not None:
                of = existing_domain(connection, before.alias_of)
                queries.domains.update(connection, number, alias_of=None, alias_since=None)
                note(connection, actor, "domain.alias_removed", before, before={"alias_of": of.name})
            return existing_domain(connection, number)


def _written(domain: Domain) -> str:
    return domain.alias_since.isoformat(timespec="seconds") if domain.alias_since else ""
