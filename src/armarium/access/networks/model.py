"""A network: a place from which people read; what it may say, and which addresses lie in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Annotated

from pydantic import Field

from armarium.core.entities import Described
from armarium.core.errors import Refusals, Refused
from armarium.core.message import message

LONGEST_NOTE = 4000
MOST_RANGES = 1000

Range = Annotated[str, Field(max_length=60)]  # CIDR


@dataclass(frozen=True)
class NewNetwork:
    """What people enter."""

    name: Annotated[str, Field(max_length=200)]
    ranges: Annotated[tuple[Range, ...], Field(max_length=MOST_RANGES)]
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


@dataclass(frozen=True)
class Network(NewNetwork, Described):
    id: int = 0
    edition: int = 1
    created_at: datetime | None = None
    created_by: str = ""

    def described(self) -> dict[str, object]:
        return {"name": self.name, "ranges": list(self.ranges), "note": self.note}


LONGEST_NAME = 100
MOST_REMEMBERED = 10_000
NOWHERE: frozenset[int] = frozenset()


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


def checked(new: NewNetwork) -> NewNetwork:
    """As it is kept: addresses and ranges as the routers write them, each once."""
    name, note = new.name.strip(), new.note.strip()
    with Refusals() as wrong:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            wrong.add("name", message("A network needs a name of at most 100 characters."))
        if len(note) > LONGEST_NOTE:
            wrong.add("note", message("This is longer than %(most)s characters.", most=LONGEST_NOTE))
        return NewNetwork(name, tuple(_ranges(new.ranges)), note)


def _ranges(ranges: Iterable[str]) -> list[str]:
    found = dict.fromkeys(_range(one.strip()) for one in ranges if one.strip())
    if not found:
        raise Refused(message("Enter at least one address or range."), field="ranges")
    if len(found) > MOST_RANGES:
        raise Refused(message("A network has at most %(most)s ranges.", most=MOST_RANGES), field="ranges")
    return list(found)


def _range(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError as invalid:
        told = message(
            "“%(text)s” is not an address or range. Write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.",
            text=text[:60],
        )
        raise Refused(told, field="ranges") from invalid
