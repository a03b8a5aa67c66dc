"""Checks beside what the collections have already: the same address, the same host, the same domain."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from armarium.selection.entry import tables
from armarium.selection.entry.model import Check, Line, Neighbour
from armarium.selection.records.rules import Place, place_of

MOST_BESIDE = 4  # neighbours that are shown of each line


def standing(connection: Connection, collection: int, checks: Sequence[Check]) -> list[Line]:
    """Asked of the tables anew each time: somebody else may enter the same at the same moment."""
    places = {one.id: _places(one) for one in checks}
    every = [place for found in places.values() for place in found.values()]
    same = tables.same_key(connection, (place.key for place in every))
    hosts = tables.near(connection, "host", (place.host for place in every))
    domains = tables.near(connection, "domain", (place.domain for place in every))
    return _followed([_line(one, collection, places[one.id], same, hosts, domains) for one in checks])


def _followed(lines: Sequence[Line]) -> list[Line]:
    """Lines that lead where one further up leads know it: two records of one address are one too many."""
    first: dict[str, int] = {}
    found = []
    for line in lines:
        number = line.check.line
        before = first.setdefault(place_of(line.preferred).key, number) if line.ticked else number
        found.append(line if before == number else replace(line, follows=before))
    return found


def _places(check: Check) -> dict[str, Place]:
    """Every address of its way, and where it lies."""
    addresses = dict.fromkeys([check.address, *(step.url for step in check.steps)])
    return {address: place_of(address) for address in addresses if address}


def _line(
    check: Check,
    collection: int,
    places: dict[str, Place],
    same: dict[str, list[Neighbour]],
    hosts: dict[str, list[Neighbour]],
    domains: dict[str, list[Neighbour]],
) -> Line:
    here: dict[str, Neighbour] = {}
    elsewhere: dict[int, Neighbour] = {}
    beside: dict[int, Neighbour] = {}
    for address, place in places.items():
        for one in same.get(place.key, ()):
            if one.id == check.record:
                continue
            if one.collection == collection:
                here[address] = one
            else:
                elsewhere[one.id] = one
        for one in (*hosts.get(place.host, ()), *domains.get(place.domain, ())):
            beside[one.id] = one
    keys = {place.key for place in places.values()}
    others = [one for one in beside.values() if one.key not in keys and one.id != check.record]
    return Line(check, here, tuple(elsewhere.values()), tuple(others[:MOST_BESIDE]))
