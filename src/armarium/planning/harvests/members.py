"""The domains of a selective harvest: added by pasting names, each with one of its configurations."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.planning.domains.rules import domain_of
from armarium.planning.domains.service import Domains
from armarium.planning.harvests import member_queries as queries
from armarium.planning.harvests.checks import of_chosen_domains
from armarium.planning.harvests.service import note_domains


@dataclass(frozen=True)
class Added:
    """What became of a list of names."""

    added: int
    known: int  # they were in the harvest before, or twice in the list
    unknown: tuple[str, ...]  # domains that there are not: they can be created
    without: tuple[str, ...]  # domains without a configuration of the wanted name
    refused: tuple[tuple[str, Message], ...]  # lines that name no domain


class HarvestDomains:
    def __init__(self, database: Database, domains: Domains) -> None:
        self._database = database
        self._domains = domains

    page = reading(queries.members)
    count = reading(queries.count_configurations)

    def add(
        self, actor: Actor, number: int, pasted: str, *, configuration: str = "", create: bool = False
    ) -> Added:
        """Add the domains that are named, one a line.

        `configuration`: the name of the one to take; empty: the default of each domain. `create`: make the
        domains that there are not, with their default seeds.
        """
        names, twice, refused = read_names(pasted)
        with self._database.transaction() as connection:
            harvest = of_chosen_domains(connection, number)
            known = queries.domains_named(connection, names)
            unknown = tuple(name for name in names if name not in known)
            if create and unknown:
                self._domains.ensure(connection, actor, unknown, f"harvest {harvest.name}")
                known, unknown = queries.domains_named(connection, names), ()
            chosen, without = _chosen(connection, known, configuration.strip())
            added = queries.add_configurations(connection, number, chosen)
            note_domains(connection, actor, harvest, "harvest.domains_added", added)
        return Added(added, len(chosen) - added + twice, unknown, tuple(without), tuple(refused))

    def remove(self, actor: Actor, number: int, pasted: str) -> tuple[int, list[str]]:
        """Take out the domains that are named, one a line: how many configurations, and who was not in it."""
        names, _, refused = read_names(pasted)
        with self._database.transaction() as connection:
            harvest = of_chosen_domains(connection, number)
            found = queries.configurations_in(connection, number, names)
            chosen = [one for several in found.values() for one in several]
            removed = queries.remove_configurations(connection, number, chosen) if chosen else 0
            if removed:
                note_domains(connection, actor, harvest, "harvest.domains_removed", removed)
        return removed, [*(name for name in names if name not in found), *(text for text, _ in refused)]

    def choose(self, actor: Actor, number: int, before: int, after: int) -> None:
        """Let the harvest take a domain with another of its configurations."""
        if before == after:
            return
        with self._database.transaction() as connection:
            harvest = of_chosen_domains(connection, number)
            domain = queries.domain_of(connection, after, active=True)
            if domain is None or queries.domain_of(connection, before, active=False) != domain:
                raise Refused(message("Choose an active configuration of the same domain."))
            if not queries.remove_configurations(connection, number, [before]):
                raise Refused(message("Somebody changed this harvest meanwhile. Look at it again."))
            queries.add_configurations(connection, number, [after])
            names = dict(queries.configurations_of(connection, [domain])[domain])
            note_domains(connection, actor, harvest, "harvest.changed", 1, configuration=names[after])


def read_names(pasted: str) -> tuple[list[str], int, list[tuple[str, Message]]]:
    """The domains of the lines, each once; how many came again; and the lines that name none."""
    names: dict[str, None] = {}
    twice = 0
    refused: list[tuple[str, Message]] = []
    for line in pasted.splitlines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            name = domain_of(text)
        except Refused as refusal:
            refused.append((text, refusal.message))
            continue
        twice += name in names
        names[name] = None
    return list(names), twice, refused


def _chosen(
    connection: Connection, known: dict[str, tuple[int, int | None]], wanted: str
) -> tuple[Sequence[int], list[str]]:
    """The configurations to add, and the domains that have none of the wanted name."""
    if wanted:
        named = queries.configurations_named(connection, [number for number, _ in known.values()], wanted)
        found = {name: named.get(number) for name, (number, _) in known.items()}
    else:
        found = {name: default for name, (_, default) in known.items()}
    chosen = [number for number in found.values() if number is not None]
    return chosen, [name for name, number in found.items() if number is None]
