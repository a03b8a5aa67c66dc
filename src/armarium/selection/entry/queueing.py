"""Looks are ordered in the transaction that makes them necessary; a task looks. Before, the collections
are asked what they have already: the same address, the same host, the same domain."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core import clock
from armarium.selection.entry import tables
from armarium.selection.entry.model import Check, Line, LineState, Neighbour
from armarium.selection.entry.rules import read_lines
from armarium.selection.permissions import Editor
from armarium.selection.records import writing
from armarium.selection.records.model import Record
from armarium.selection.records.rules import Place, place_of
from armarium.tasks.service import Tasks

CHECK = "selection.check"  # the task
BEFORE_BULK = 10  # tasks of others: somebody waits at a page
MOST_TOGETHER = 500  # records of one import that are looked at by themselves


def insert(
    connection: Connection,
    editor: Editor,
    collection: int,
    rows: Sequence[dict[str, object]],
    of: int | None = None,
) -> int:
    """A list, without a task."""
    values = {
        "collection": collection,
        "record": of,
        "account": editor.account,
        "created_at": clock.now(),
        "created_by": editor.actor.name,
    }
    number = tables.batches.add(connection, **values)
    connection.execute(tables.check.insert(), [{**row, "batch": number} for row in rows])
    return number


def defer(connection: Connection, tasks: Tasks, editor: Editor, number: int, *, soon: bool = True) -> None:
    # One after the other for each person: nobody keeps the others waiting.
    who = editor.account or editor.actor.name
    lock, priority = (f"{CHECK}/{who}", BEFORE_BULK) if soon else (f"{CHECK}/import", 0)
    tasks.defer(connection, CHECK, {"batch": number}, lock=lock, priority=priority)


def look_at(
    connection: Connection,
    tasks: Tasks,
    editor: Editor,
    known: Record,
    addresses: Sequence[str],
    *,
    soon: bool = True,
) -> int:
    """Look at these addresses of a record."""
    rows = [{**row, "record": known.id} for row in read_lines("\n".join(addresses))]
    number = insert(connection, editor, known.collection, rows, known.id)
    if any(row["state"] == LineState.WAITING.value for row in rows):
        defer(connection, tasks, editor, number, soon=soon)
    record(connection, editor.actor, "check.repeated", writing.subject(known))
    return number


def see(
    connection: Connection, tasks: Tasks, editor: Editor, records: Sequence[Record], *, soon: bool = True
) -> None:
    """Look at what of these records nobody has looked at, and has to be seen before they are validated."""
    for one in [one for one in records if one.unseen][:MOST_TOGETHER]:
        looked = tables.keys_looked_at(connection, one.id)
        if left := [address for address in one.unseen if place_of(address).key not in looked]:
            look_at(connection, tasks, editor, one, left, soon=soon)


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
