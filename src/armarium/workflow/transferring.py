"""Selection → planning: what the transfer makes, with planning's own verbs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from armarium.selection.transfer.model import Link, Placed, Setup
from armarium.selection.transfer.planning import Choices, Harvested, Placing
from armarium.workflow import transferring_queries as queries

ORIGIN = "selection"


@dataclass(frozen=True)
class PlanningDesk:
    domains: Domains
    harvests: Harvests

    def choices(self, connection: Connection) -> Choices:
        return queries.choices(connection)

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
        return queries.stopped(connection, domains)

    def present(self, connection: Connection, links: Sequence[Link]) -> dict[int, Setup]:
        return queries.present(connection, links)

    def history(self, connection: Connection, configurations: Collection[int], limit: int) -> list[Harvested]:
        return queries.history(connection, configurations, limit)

    def make_harvest(self, connection: Connection, actor: Actor, name: str, schedule: str) -> int:
        """Like any new definition it is inactive: nothing runs that nobody asked for."""
        number = queries.schedule_number(connection, schedule)
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
