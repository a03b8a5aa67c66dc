"""SQL of what pages and the API show of files."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.stretches import Beginning, stretch
from armarium.storage.files.catalogue_model import Amount, CopiesSought, Figures, Mark, Sought
from armarium.storage.files.queries import as_file, totals
from armarium.storage.model import DAMAGED, UNFINISHED, CopyState, File, FileState
from armarium.storage.replicas.queries import IN_USE, preferred
from armarium.storage.tables import file_check, file_copy, replica, storage_event, stored_file

SOUGHT = {CopiesSought.DAMAGED: sorted(DAMAGED), CopiesSought.UNFINISHED: sorted(UNFINISHED)}
IN_REPLICAS = file_copy.join(replica, replica.c.id == file_copy.c.replica)
SIZES = sa.func.coalesce(sa.func.sum(stored_file.c.size), 0)


def page(
    connection: Connection, sought: Sought, limit: int, offset: Beginning, amount: Amount | None = None
) -> tuple[list[File], Amount]:
    """Files, newest first, and how much there is in all, unless the caller knows."""
    where = list(_conditions(sought))
    asked = sa.select(stored_file).where(*where)
    rows = stretch(connection, asked, [stored_file.c.id.desc()], limit, offset)
    found = [as_file(row) for row in rows.mappings()]
    if amount is None:
        files, size = connection.execute(sa.select(sa.func.count(), SIZES).where(*where)).one()
        amount = Amount(int(files), int(size))
    return found, amount


def _conditions(sought: Sought) -> Iterator["sa.ColumnElement[bool]"]:
    if sought.text:
        by_name = stored_file.c.name.icontains(sought.text, autoescape=True)
        yield sa.or_(by_name, stored_file.c.sha256.startswith(sought.text.lower(), autoescape=True))
    if sought.state:
        yield stored_file.c.state == sought.state.value
    for column in ("job", "harvest", "accession"):
        if getattr(sought, column) is not None:
            yield stored_file.c[column] == getattr(sought, column)
    if sought.copies is not None or sought.replica is not None:
        asked = sa.select(file_copy.c.file).select_from(IN_REPLICAS)
        if sought.copies is not None:
            asked = asked.where(IN_USE, file_copy.c.state.in_(SOUGHT[sought.copies]))
        if sought.replica is not None:
            asked = asked.where(file_copy.c.replica == sought.replica)
        yield stored_file.c.id.in_(asked)


def figures(connection: Connection) -> Figures:
    known = totals(connection)
    bad = sa.select(sa.func.count(sa.distinct(file_copy.c.file))).select_from(IN_REPLICAS)
    damaged = connection.scalar(bad.where(IN_USE, file_copy.c.state.in_(sorted(DAMAGED)))) or 0
    here = sa.func.sum(stored_file.c.size).filter(file_copy.c.state == CopyState.ACCEPTED.value)
    way = (
        sa.select(sa.func.coalesce(here, 0), SIZES)
        .select_from(IN_REPLICAS.join(stored_file, stored_file.c.id == file_copy.c.file))
        .where(IN_USE, stored_file.c.state == FileState.STORING.value)
    )
    copied, to_copy = connection.execute(way).one()
    return Figures(
        known.files, known.bytes, known.storing, known.withdrawn, damaged, int(copied), int(to_copy)
    )


def marks(connection: Connection, files: Sequence[int]) -> dict[int, list[Mark]]:
    """The copies of each file in replicas that are in use, in the order in which they are read."""
    asked = (
        sa.select(file_copy.c.file, replica.c.name, file_copy.c.state, replica.c.away_since)
        .select_from(IN_REPLICAS)
        .where(file_copy.c.file.in_(files), IN_USE)
        .order_by(preferred(), replica.c.id)
    )
    found: dict[int, list[Mark]] = {number: [] for number in files}
    for number, name, state, away_since in connection.execute(asked):
        found[number].append(Mark(name, CopyState(state), away_since is not None))
    return found


def times_noted(connection: Connection, file: int) -> int:
    """How many events and checks there are of a file."""
    return sum(
        connection.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.file == file)) or 0
        for table in (storage_event, file_check)
    )


def replica_names(connection: Connection) -> dict[int, str]:
    rows: Any = connection.execute(sa.select(replica.c.id, replica.c.name).order_by(replica.c.name))
    return {row.id: row.name for row in rows}
