"""Networks: ranges of addresses with a name, such as the reading rooms of the library."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import Connection

from armarium.access.networks import queries as network_queries
from armarium.access.policy import queries
from armarium.access.policy.editions import Recent
from armarium.access.policy.model import Network
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database

TOPIC = "access-networks"
LONGEST_NAME = 100
LONGEST_NOTE = 4000
MOST_RANGES = 1000
MOST_REMEMBERED = 10_000
NOWHERE: frozenset[int] = frozenset()


def subject(network: Network) -> Subject:
    return Subject("access-network", network.id, network.name)


class Ranges:
    """Looks addresses up in all networks at once."""

    def __init__(self, networks: Iterable[Network]) -> None:
        self._ranges = [
            (found.version, int(found.network_address), int(found.broadcast_address), network.id)
            for network in networks
            for found in map(ip_network, network.ranges)
        ]
        self._known: dict[str, frozenset[int]] = {}

    def of(self, address: str) -> frozenset[int]:
        found = self._known.get(address)
        if found is None:
            found = self._look_up(address)
            if len(self._known) >= MOST_REMEMBERED:
                self._known = {}
            self._known[address] = found
        return found

    def _look_up(self, address: str) -> frozenset[int]:
        try:
            parsed = ip_address(address.partition("%")[0])  # RFC 4007, 11: a zone is no part of the address
        except ValueError:
            return NOWHERE
        if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        number, version = int(parsed), parsed.version
        return frozenset(
            network
            for of_version, first, last, network in self._ranges
            if of_version == version and first <= number <= last
        )


class Networks:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._ranges = Recent(
            database, lambda connection, _edition, _known: Ranges(network_queries.all_of_them(connection))
        )

    def of(self, address: str) -> frozenset[int]:
        """The numbers of the networks in which an IP address lies; of none if that cannot be known."""
        ranges = self._ranges.get()
        return ranges.of(address) if ranges is not None else NOWHERE

    # Reading

    def all(self) -> list[Network]:
        with self._database.transaction() as connection:
            return network_queries.all_of_them(connection)

    def get(self, number: int) -> Network:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    def named(self, name: str) -> Network:
        found = next((one for one in self.all() if one.name == name.strip()), None)
        if found is None:
            raise NotFound(message("There is no network named %(name)s.", name=name))
        return found

    def rules_of(self, number: int) -> list[int]:
        with self._database.transaction() as connection:
            return queries.of_network(connection, number)

    # Changing

    def add(self, actor: Actor, name: str, ranges: Iterable[str], note: str = "") -> Network:
        values = _checked(name, ranges, note)
        with self._database.transaction() as connection:
            number = network_queries.insert(connection, clock.now(), actor.name, **values)
            if number is None:
                raise _name_taken(name)
            made = self._existing(connection, number)
            record(connection, actor, "access-network.made", subject(made), after=made.described())
            self._tell(connection)
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        name: str,
        ranges: Iterable[str],
        note: str = "",
        *,
        seen: int | None = None,
    ) -> Network:
        values = _checked(name, ranges, note)
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            if seen is not None and seen != before.edition:
                raise Refused(
                    message("Somebody changed this network meanwhile. Look at it again, then save.")
                )
            if any(
                one.name == values["name"] != before.name for one in network_queries.all_of_them(connection)
            ):
                raise _name_taken(name)
            network_queries.update(connection, number, **values)
            after = self._existing(connection, number)
            old, new = before.described(), after.described()
            record(connection, actor, "access-network.changed", subject(after), before=old, after=new)
            self._tell(connection)
            return after

    def remove(self, actor: Actor, number: int) -> None:
        """Only a network of which no rule speaks: such a rule would hold for nobody, or for too many."""
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            rules = queries.of_network(connection, number)
            if rules:
                told = message(
                    "Rule %(rule)s speaks of %(name)s. End it, or take the network out of it, first.",
                    rule=rules[0],
                    name=before.name,
                )
                raise Refused(told)
            network_queries.delete(connection, number)
            record(connection, actor, "access-network.removed", subject(before), before=before.described())
            self._tell(connection)

    # Steps

    def _tell(self, connection: Connection) -> None:
        queries.note_change(connection)
        announce(connection, TOPIC)

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Network:
        found = network_queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no network with the number %(number)s.", number=number))
        return found


def _checked(name: str, ranges: Iterable[str], note: str) -> dict[str, object]:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(message("A network needs a name of at most 100 characters."), field="name")
    if len(note) > LONGEST_NOTE:
        raise Refused(message("This is longer than %(most)s characters.", most=LONGEST_NOTE), field="note")
    return {"name": name, "ranges": checked_ranges(ranges), "note": note.strip()}


def checked_ranges(ranges: Iterable[str]) -> list[str]:
    """Addresses and ranges, as the routers write them, each once."""
    found: dict[str, None] = {}
    for text in filter(None, (one.strip() for one in ranges)):
        try:
            found[str(ip_network(text, strict=False))] = None
        except ValueError as invalid:
            told = message(
                "“%(text)s” is no address or range: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.",
                text=text[:60],
            )
            raise Refused(told, field="ranges") from invalid
    if not found:
        raise Refused(message("Name at least one address or range."), field="ranges")
    if len(found) > MOST_RANGES:
        raise Refused(message("A network has at most %(most)s ranges.", most=MOST_RANGES), field="ranges")
    return list(found)


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a network named %(name)s already.", name=name), field="name")
