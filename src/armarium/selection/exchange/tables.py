"""The tables of imports: each with its file, for a while, and with what was wrong in it, for ever."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.accounts.tables import account
from armarium.core.entities import from_row
from armarium.db.rows import Rows
from armarium.db.schema import count, limit, moment, number, reference, schema, text
from armarium.db.stretches import Beginning, stretch
from armarium.selection.exchange.model import Counts, Fault, Import, kept, unkept

imported = sa.Table(
    "selection_import",
    schema,
    number(),
    text("name"),  # of the file
    count("bytes"),
    reference("collection", "selection_collection.id", nullable=True),  # of lines that name none
    text("mode"),  # trial, all, good
    text("state"),  # waiting, running, tried, imported, refused, failed
    moment("created_at"),
    text("by"),
    sa.Column("editor", JSONB, nullable=False),  # who asked, and how far their right reached
    text("language"),  # in which they read
    moment("begun_at", nullable=True),
    moment("ended_at", nullable=True),
    count("done"),
    limit("total"),  # lines; empty: not known yet
    count("lines"),
    count("created"),
    count("changed"),
    count("unchanged"),
    count("refused"),
    sa.Column("notes", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    sa.Column("error", JSONB),
    sa.Column("denied", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    moment("cleared_at", nullable=True),  # the file is gone since
    sa.Index("selection_import_created_at_index", "created_at"),
)

#: The file in pieces, so that none of them is large: no disk that web and workers would have to share.
piece = sa.Table(
    "selection_import_piece",
    schema,
    sa.Column("import", sa.BigInteger, sa.ForeignKey("selection_import.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

fault = sa.Table(
    "selection_import_fault",
    schema,
    sa.Column("import", sa.BigInteger, sa.ForeignKey("selection_import.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("line", sa.Integer, nullable=False),
    text("column"),
    text("given"),
    sa.Column("text", JSONB, nullable=False),
)


class ImportRows(Rows[Import]):
    def value(self, row: Mapping[Any, Any]) -> Import:
        read = {
            "counts": Counts(row["lines"], row["created"], row["changed"], row["unchanged"], row["refused"]),
            "file_kept": row["cleared_at"] is None,
            "notes": [unkept(one) for one in row["notes"]],
            "error": unkept(row["error"]) if row["error"] else None,
            "denied": tuple(row["denied"]),
        }
        return from_row(Import, dict(row) | read)


imports = ImportRows(imported, Import, order=(imported.c.id.desc(),))

# Questions and changes


OFTEN = 5000  # rows that one statement writes


def people(connection: Connection) -> dict[str, int]:
    """The accounts that may be used, by their folded names."""
    asked = sa.select(account.c.name, account.c.id).where(account.c.active)
    return {row[0].casefold(): row[1] for row in connection.execute(asked)}


# The file


def insert_piece(connection: Connection, number: int, place: int, content: bytes) -> None:
    connection.execute(piece.insert().values({"import": number, "place": place, "content": content}))


def pieces(connection: Connection, number: int) -> Iterator[bytes]:
    """One at a time: none of them is large."""
    column = piece.c["import"]
    last = connection.scalar(sa.select(sa.func.max(piece.c.place)).where(column == number))
    for place in range(0 if last is None else last + 1):
        asked = sa.select(piece.c.content).where(column == number, piece.c.place == place)
        yield connection.execute(asked).scalar_one()


def clear_files(connection: Connection, before: datetime, now: datetime) -> int:
    """Forget the files of the imports made before; how many there were."""
    old = sa.and_(imported.c.created_at < before, imported.c.cleared_at.is_(None))
    found = list(connection.scalars(sa.select(imported.c.id).where(old)))
    for one in found:
        connection.execute(sa.delete(piece).where(piece.c["import"] == one))
        imports.update(connection, one, cleared_at=now)
    return len(found)


# What is wrong in it


def put_faults(connection: Connection, number: int, faults: Sequence[Fault]) -> None:
    """These, and no others."""
    connection.execute(sa.delete(fault).where(fault.c["import"] == number))
    rows = [
        {
            "import": number,
            "place": place,
            "line": one.line,
            "column": one.column,
            "given": one.given.replace("\0", "�"),
            "text": kept(one.text),
        }
        for place, one in enumerate(faults)
    ]
    for start in range(0, len(rows), OFTEN):
        connection.execute(fault.insert(), rows[start : start + OFTEN])


def faults(
    connection: Connection, number: int, *, limit: int, offset: Beginning = 0
) -> tuple[list[Fault], int]:
    """Those of a stretch, and how many there are."""
    mine = fault.c["import"] == number
    total = connection.execute(sa.select(sa.func.count()).select_from(fault).where(mine)).scalar_one()
    found = stretch(connection, sa.select(fault).where(mine), [fault.c.place], limit, offset)
    return [_fault(row) for row in found], total


def _fault(row: sa.Row[Any]) -> Fault:
    return Fault(row.line, row.column, row.given, unkept(row.text))
