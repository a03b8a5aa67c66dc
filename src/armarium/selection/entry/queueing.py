"""Looks are ordered in the transaction that makes them necessary; a task looks."""

from collections.abc import Sequence

from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core import clock
from armarium.selection.entry import tables
from armarium.selection.entry.model import LineState
from armarium.selection.entry.rules import read_lines
from armarium.selection.permissions import Editor
from armarium.selection.records import writing
from armarium.selection.records.model import Record
from armarium.selection.records.rules import place_of
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
