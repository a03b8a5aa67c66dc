"""SQL of accessions and of what their imports met."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.core.entities import from_row
from armarium.core.text import storable
from armarium.db.stretches import Beginning, stretch
from armarium.storage.figures import Pace, pace
from armarium.storage.intake.model import NOT_TAKEN, Accession, AccessionFigures, Line, Outcome, WatchedFolder
from armarium.storage.tables import accession, accession_line, stored_file, watched_folder

TAKEN = (Outcome.TAKEN.value, Outcome.WAITING.value)
#: What people want to see first.
ORDER = sa.case(
    {"refused": 0, "unreadable": 1, "foreign": 2, "waiting": 3, "taken": 4, "known": 5},
    value=accession_line.c.outcome,
    else_=6,
)


def add(connection: Connection, name: str, source: str, note: str, by: str) -> Accession | None:
    """The new one; None if there is one of this name."""
    values = {"name": name, "source": source, "note": note, "created_at": clock.now(), "created_by": by}
    made = insert(accession).values(**values).on_conflict_do_nothing(index_elements=["name"])
    row = connection.execute(made.returning(*accession.c)).mappings().first()
    return Accession(**row) if row else None


def one(connection: Connection, number: int) -> Accession | None:
    return _first(connection, accession.c.id == number)


def named(connection: Connection, name: str) -> Accession | None:
    return _first(connection, accession.c.name == name)


def page(
    connection: Connection, text: str = "", *, limit: int, offset: Beginning = 0
) -> tuple[list[AccessionFigures], int]:
    """Newest first, with what they brought."""
    where = [accession.c.name.icontains(text, autoescape=True)] if text else []
    rows = stretch(connection, sa.select(accession).where(*where), [accession.c.id.desc()], limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(accession).where(*where)) or 0
    found = [Accession(**row) for row in rows.mappings()]
    return figures(connection, found), total


def figures(connection: Connection, accessions: Iterable[Accession]) -> list[AccessionFigures]:
    wanted = list(accessions)
    line = accession_line.c
    asked = (
        sa.select(
            line.accession,
            line.outcome,
            sa.func.count(),
            # A package counts with the lines of its files.
            sa.func.coalesce(sa.func.sum(line.size).filter(line.file.is_not(None)), 0),
        )
        .where(line.accession.in_([one.id for one in wanted]))
        .group_by(line.accession, line.outcome)
    )
    counts: dict[int, dict[Outcome, int]] = {}
    sizes: dict[int, int] = {}
    for number, outcome, count, size in connection.execute(asked):
        counts.setdefault(number, {})[Outcome(outcome)] = count
        if outcome in TAKEN:
            sizes[number] = sizes.get(number, 0) + int(size)
    return [AccessionFigures(one, counts.get(one.id, {}), sizes.get(one.id, 0)) for one in wanted]


def speed(connection: Connection, number: int) -> Pace:
    """Bytes taken, a second."""
    mine = sa.and_(accession_line.c.accession == number, accession_line.c.file.is_not(None))
    return pace(connection, sa.select(accession_line.c.at, accession_line.c.size.label("amount")).where(mine))


# Lines ------------------------------------------------------------------------------------------------


def put_line(connection: Connection, number: int, line: Line) -> None:
    """Write what became of a file; what was said before of the same path of this accession is replaced.

    A file that this very accession took stays taken, though it is known when the import is repeated.
    """
    values = {
        "accession": number,
        "path": storable(line.path),
        "name": storable(line.name),
        "outcome": line.outcome.value,
        "remark": storable(line.remark),
        "size": line.size,
        "changed_ns": line.changed_ns,
        "file": line.file,
        "at": clock.now(),
    }
    made = insert(accession_line).values(**values)
    again = sa.and_(
        made.excluded.outcome == Outcome.KNOWN.value,
        accession_line.c.outcome.in_(TAKEN),
        accession_line.c.file == made.excluded.file,
    )
    renewed: dict[str, Any] = {name: made.excluded[name] for name in values}
    renewed["outcome"] = sa.case((again, Outcome.TAKEN.value), else_=made.excluded.outcome)
    connection.execute(
        made.on_conflict_do_update(index_elements=[sa.text("md5(path)"), "accession"], set_=renewed)
    )


def lines(
    connection: Connection,
    number: int,
    outcomes: Collection[Outcome] = (),
    *,
    limit: int,
    offset: Beginning = 0,
) -> tuple[list[Line], int]:
    """What became of each file, those that were not taken first; `outcomes` empty: all."""
    where = [accession_line.c.accession == number]
    if outcomes:
        where.append(accession_line.c.outcome.in_([outcome.value for outcome in outcomes]))
    asked = sa.select(accession_line).where(*where)
    total = connection.scalar(sa.select(sa.func.count()).select_from(accession_line).where(*where)) or 0
    rows = stretch(connection, asked, (ORDER, accession_line.c.id), limit, offset).mappings()
    return [_line(row) for row in rows], total


def last_lines(connection: Connection, paths: Collection[str]) -> dict[str, Line]:
    """What became of these paths when they were last met, by any import."""
    wanted = [storable(path) for path in paths]
    mark = sa.func.md5(accession_line.c.path)
    asked = (
        sa.select(accession_line)
        .where(mark.in_([sa.func.md5(path) for path in wanted]), accession_line.c.path.in_(wanted))
        .order_by(accession_line.c.id)
    )
    rows = connection.execute(asked).mappings()
    return {row["path"]: _line(row) for row in rows}  # the last one of a path stays


def settled_lines(connection: Connection, number: int) -> dict[str, Line]:
    """What this accession has met and the archive has."""
    have = (Outcome.TAKEN.value, Outcome.KNOWN.value, Outcome.UNPACKED.value)
    asked = sa.select(accession_line).where(
        accession_line.c.accession == number, accession_line.c.outcome.in_(have)
    )
    return {row["path"]: _line(row) for row in connection.execute(asked).mappings()}


def settle(connection: Connection) -> int:
    """Files that were waiting and are stored meanwhile have been taken, and their packages too."""
    stored = sa.and_(stored_file.c.id == accession_line.c.file, stored_file.c.stored_at.is_not(None))
    changed = (
        sa.update(accession_line)
        .where(accession_line.c.outcome == Outcome.WAITING.value, stored)
        .values(outcome=Outcome.TAKEN.value)
    )
    part = accession_line.alias("part")
    owed = sa.exists().where(
        part.c.accession == accession_line.c.accession,
        part.c.outcome.in_([Outcome.WAITING.value, *sorted(NOT_TAKEN)]),
        sa.func.starts_with(part.c.path, accession_line.c.path + "/"),
    )
    packages = (
        sa.update(accession_line)
        .where(accession_line.c.outcome == Outcome.WAITING.value, accession_line.c.file.is_(None), ~owed)
        .values(outcome=Outcome.UNPACKED.value)
    )
    return connection.execute(changed).rowcount + connection.execute(packages).rowcount


def put_watched(connection: Connection, seen: WatchedFolder, now: datetime) -> None:
    """What was seen in a watched folder, instead of what was seen there before."""
    values = {"taken": seen.taken, "restless": seen.restless, "trouble": storable(seen.trouble)}
    made = insert(watched_folder).values(path=storable(str(seen.path)), looked_at=now, **values)
    connection.execute(made.on_conflict_do_update(index_elements=["path"], set_={**values, "looked_at": now}))


def watched(connection: Connection, paths: Collection[str]) -> dict[str, WatchedFolder]:
    asked = sa.select(watched_folder).where(watched_folder.c.path.in_([storable(path) for path in paths]))
    return {
        row["path"]: WatchedFolder(**{**row, "path": Path(row["path"])})
        for row in connection.execute(asked).mappings()
    }


def taken_over(connection: Connection, names: Collection[str]) -> set[str]:
    """Which of these files the index has done with; of one that is not registered yet nobody has."""
    asked = sa.select(stored_file.c.name).where(
        stored_file.c.name.in_(list(names)), stored_file.c.taken_over_at.is_not(None)
    )
    return set(connection.scalars(asked))


def sources(connection: Connection, paths: Collection[str]) -> dict[str, bool]:
    """Which of these the register names as where a file comes from, and whether every replica has that."""
    asked = sa.select(stored_file.c.source, stored_file.c.stored_at.is_not(None)).where(
        stored_file.c.source.in_(list(paths))
    )
    return {row[0]: bool(row[1]) for row in connection.execute(asked)}


def _first(connection: Connection, which: "sa.ColumnElement[bool]") -> Accession | None:
    row = connection.execute(sa.select(accession).where(which)).mappings().first()
    return Accession(**row) if row else None


def _line(row: Mapping[Any, Any]) -> Line:
    return from_row(Line, row)
