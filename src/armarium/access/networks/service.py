"""The verbs of networks, and in which of them an address lies."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.networks.model import NOWHERE, Network, NewNetwork, Ranges, checked
from armarium.access.policy.editions import Recent, note_change
from armarium.access.tables import network, rule
from armarium.audit.entities import Entities, Kind
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.entities import values_of
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.rows import Rows

networks = Rows(network, Network, order=(network.c.name,))


def delete(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(network).where(network.c.id == number))


def unknown(connection: Connection, numbers: Iterable[int]) -> set[int]:
    """Those of the numbers that no network has; the others stay until the end of the transaction."""
    wanted = set(numbers)
    if not wanted:
        return wanted
    asked = sa.select(network.c.id).where(network.c.id.in_(wanted)).with_for_update(read=True)
    return wanted - set(connection.scalars(asked))


def rules_of(connection: Connection, number: int) -> list[int]:
    """The rules, not yet ended, that speak of a network."""
    asked = sa.select(rule.c.id).where(rule.c.ended_at.is_(None), rule.c.networks.contains([number]))
    return list(connection.scalars(asked.order_by(rule.c.id)))


class Networks(Entities[Network]):
    rows = networks
    kind = Kind(
        "access-network",
        topic="access-networks",
        created="made",
        missing=message("There is no network with the number %(number)s."),
        unnamed=message("There is no network named %(name)s."),
        taken=message("There is already a network named %(name)s."),
        changed=message("Somebody else changed this network. Check it again, then save."),
    )

    all = reading(networks.all)
    rules_of = reading(rules_of)

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._ranges = Recent(
            database, lambda connection, _edition, _known: Ranges(self.rows.all(connection))
        )

    def of(self, address: str) -> frozenset[int]:
        """The numbers of the networks in which an IP address lies; of none if that cannot be known."""
        ranges = self._ranges.get()
        return ranges.of(address) if ranges is not None else NOWHERE

    def add(self, actor: Actor, new: NewNetwork) -> Network:
        made = {"created_at": clock.now(), "created_by": actor.name}
        return self.make(actor, values_of(checked(new), NewNetwork) | made)

    def change(self, actor: Actor, number: int, new: NewNetwork, *, seen: str | None = None) -> Network:
        return self.edit(actor, number, values_of(checked(new), NewNetwork), seen)

    def remove(self, actor: Actor, number: int) -> None:
        """Only a network of which no rule speaks: such a rule would hold for nobody, or for too many."""
        with self._database.transaction() as connection:
            before = self.locked(connection, number, None)
            if rules := rules_of(connection, number):
                told = message(
                    "Rule %(rule)s uses %(name)s. End it, or remove the network from it, first.",
                    rule=rules[0],
                    name=before.name,
                )
                raise Refused(told)
            delete(connection, number)
            subject = Subject(self.kind.name, number, before.name)
            record(connection, actor, "access-network.removed", subject, before=before.described())
            note_change(connection)
            announce(connection, self.kind.topic)

    def note(self, connection: Connection, actor: Actor, before: Network | None, after: Network) -> None:
        """All processes, too, are to see it: they know the ranges by heart."""
        super().note(connection, actor, before, after)
        note_change(connection)
