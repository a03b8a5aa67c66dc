"""SQL of the register: files, their copies, checks and events."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.entities import from_row
from armarium.db.stretches import Beginning, stretch
from armarium.storage.files.model import (
    Amount,
    CopiesSought,
    Copy,
    Details,
    Figures,
    FileFilter,
    HeldCopy,
    Mark,
    Totals,
)
from armarium.storage.model import (
    DAMAGED,
    UNFINISHED,
    CopyState,
    File,
    FileState,
    ReplicaState,
)
from armarium.storage.replicas.queries import IN_USE, as_replica, preferred
from armarium.storage.tables import file_copy, replica, stored_file

LONGEST_PAUSE = 60  # minutes between two attempts of the sweep
ACTIVE = replica.c.state == ReplicaState.ACTIVE.value
#: Files that can be put somewhere: of others a rebuild could not say what they are, or they are lost.
DECIDED = sa.and_(stored_file.c.sha256 != "", stored_file.c.state != FileState.LOST.value)


# Files ------------------------------------------------------------------------------------------------


def add(connection: Connection, values: Mapping[str, Any]) -> int | None:
    """The new number; None if the name is taken, also by a transaction that has just ended."""
    made = insert(stored_file).values(**values).on_conflict_do_nothing(constraint="stored_file_name_key")
    number: int | None = connection.scalar(made.returning(stored_file.c.id))
    return number


def one(connection: Connection, number: int, *, lock: bool = False) -> File | None:
    asked = sa.select(stored_file).where(stored_file.c.id == number)
    # Not the stronger FOR UPDATE: events and checks of the file are written meanwhile, also by ourselves.
    return _first(connection, asked.with_for_update(key_share=True) if lock else asked)


def named(connection: Connection, name: str) -> File | None:
    return _first(connection, sa.select(stored_file).where(stored_file.c.name == name))


def is_visible(connection: Connection, number: int) -> bool:
    """Whether the file is there for this transaction: another one may not have committed it yet."""
    return bool(connection.scalar(sa.select(sa.exists().where(stored_file.c.id == number))))


def details(connection: Connection, number: int) -> Details | None:
    row = connection.execute(sa.select(stored_file).where(stored_file.c.id == number)).mappings().first()
    names = ("original_job", "withdrawn_at", "withdrawn_reason", "taken_over_at", "trouble")
    return Details(as_file(row), **{name: row[name] for name in names}) if row else None


def change(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(stored_file).where(stored_file.c.id == number).values(**values))


def totals(connection: Connection) -> Totals:
    state = stored_file.c.state
    asked = sa.select(
        sa.func.count(),
        sa.func.coalesce(sa.func.sum(stored_file.c.size), 0),
        sa.func.count().filter(state == FileState.STORING.value),
        sa.func.count().filter(state == FileState.WITHDRAWN.value),
    )
    files, size, storing, withdrawn = connection.execute(asked).one()
    return Totals(int(files), int(size), int(storing), int(withdrawn))


def stored_after(connection: Connection, number: int, most: int) -> list[File]:
    stored = stored_file.c.state == FileState.STORED.value
    asked = sa.select(stored_file).where(stored_file.c.id > number, stored).order_by(stored_file.c.id)
    return [as_file(row) for row in connection.execute(asked.limit(most)).mappings()]


def names_and_places(connection: Connection, after: str, most: int) -> list[tuple[str, list[int]]]:
    """Stored files after a name, in the order of its bytes, with the replicas whose copy is accepted."""
    first = (
        sa.select(stored_file.c.id, stored_file.c.name)
        .where(stored_file.c.name > after, stored_file.c.state == FileState.STORED.value)
        .order_by(stored_file.c.name)
        .limit(most)
        .subquery()
    )
    accepted = sa.and_(file_copy.c.file == first.c.id, file_copy.c.state == CopyState.ACCEPTED.value)
    asked = (
        sa.select(first.c.name, sa.func.array_remove(sa.func.array_agg(file_copy.c.replica), None))
        .select_from(first.outerjoin(file_copy, accepted))
        .group_by(first.c.name)
        .order_by(first.c.name)
    )
    return [(name, list(places)) for name, places in connection.execute(asked)]


def unfinished(connection: Connection, most: int) -> list[int]:
    """Files to be put into a replica that answers: those first that were begun, then what was never tried.

    A copy that failed often waits longer each time, up to an hour: what only a person can mend must not be
    read again every minute.
    """
    answers = sa.and_(ACTIVE, replica.c.away_since.is_(None))
    pause = sa.func.make_interval(0, 0, 0, 0, 0, sa.func.least(file_copy.c.attempts - 1, LONGEST_PAUSE))
    rested = sa.and_(
        file_copy.c.state == CopyState.FAILED.value, file_copy.c.changed_at < sa.func.now() - pause
    )
    cut_off = file_copy.c.state.in_([CopyState.UPLOADING.value, CopyState.UPLOADED.value])
    begun = (
        sa.select(file_copy.c.file)
        .join(replica, replica.c.id == file_copy.c.replica)
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .where(answers, sa.or_(rested, cut_off), DECIDED)
        .order_by(file_copy.c.changed_at, file_copy.c.file)
        .limit(most)
    )
    # By replica, as the index has them: a new replica waits for every file that there is.
    fresh = (
        sa.select(file_copy.c.file)
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .where(file_copy.c.replica == replica.c.id, file_copy.c.state == CopyState.WAITING.value, DECIDED)
        .order_by(file_copy.c.file)
        .limit(most)
        .lateral()
    )
    waiting = sa.select(fresh.c.file).select_from(replica.join(fresh, sa.true())).where(answers).limit(most)
    return [*connection.scalars(begun), *connection.scalars(waiting)]


def unsettled(connection: Connection, most: int) -> list[int]:
    """Files not yet called stored though every active replica has accepted them: somebody was interrupted."""
    lacking = (
        sa.select(sa.literal(1))
        .select_from(replica.outerjoin(file_copy, _copy_here()))
        .where(ACTIVE, file_copy.c.state.is_distinct_from(CopyState.ACCEPTED.value))
        .correlate(stored_file)
        .exists()
    )
    new = sa.and_(stored_file.c.stored_at.is_(None), stored_file.c.state.in_(["storing", "withdrawn"]))
    return list(connection.scalars(sa.select(stored_file.c.id).where(new, ~lacking).limit(most)))


def _copy_here() -> "sa.ColumnElement[bool]":
    return sa.and_(file_copy.c.replica == replica.c.id, file_copy.c.file == stored_file.c.id)


def to_clean(connection: Connection, after: int, most: int) -> list[File]:
    """Files whose source nobody needs any more, by the register; as the partial index has it."""
    asked = sa.select(stored_file).where(
        stored_file.c.id > after,
        stored_file.c.stored_at.is_not(None),
        stored_file.c.taken_over_at.is_not(None),
        sa.text("(stored_file.source <> '' OR stored_file.companion <> '')"),
    )
    rows = connection.execute(asked.order_by(stored_file.c.id).limit(most))
    return [as_file(row) for row in rows.mappings()]


# Copies -----------------------------------------------------------------------------------------------


def await_everywhere(connection: Connection, number: int, now: datetime) -> int:
    """A waiting copy for every active replica."""
    wanted = sa.select(
        sa.literal(number), replica.c.id, sa.literal(CopyState.WAITING.value), sa.literal(now)
    ).where(ACTIVE)
    columns = ["file", "replica", "state", "changed_at"]
    return connection.execute(sa.insert(file_copy).from_select(columns, wanted)).rowcount


def copies(connection: Connection, number: int) -> list[Copy]:
    """All copies of a file, also in retired replicas, in the order in which they are read."""
    asked = (
        sa.select(*_COPY, *(column.label(f"of_{column.name}") for column in replica.c))
        .join(replica, replica.c.id == file_copy.c.replica)
        .where(file_copy.c.file == number)
        .order_by(preferred(), replica.c.id)
    )
    return [_copy(row) for row in connection.execute(asked).mappings()]


def lacking(connection: Connection, number: int) -> list[str]:
    """Names of active replicas that have not accepted the file."""
    here = sa.and_(file_copy.c.replica == replica.c.id, file_copy.c.file == number)
    asked = (
        sa.select(replica.c.name)
        .select_from(replica.outerjoin(file_copy, here))
        .where(ACTIVE, file_copy.c.state.is_distinct_from(CopyState.ACCEPTED.value))
        .order_by(replica.c.id)
    )
    return list(connection.scalars(asked))


def held_copy(connection: Connection, number: int, place: int) -> HeldCopy | None:
    """A copy, locked until the transaction ends."""
    asked = sa.select(file_copy.c.state, file_copy.c.attempts, file_copy.c.error).where(
        file_copy.c.file == number, file_copy.c.replica == place
    )
    row = connection.execute(asked.with_for_update()).one_or_none()
    return None if row is None else HeldCopy(CopyState(row[0]), int(row[1]), str(row[2]))


def locked_copy(connection: Connection, file_id: int, replica_id: int) -> Any:
    asked = sa.select(file_copy).where(file_copy.c.file == file_id, file_copy.c.replica == replica_id)
    return connection.execute(asked.with_for_update()).mappings().first()


def change_copy(connection: Connection, number: int, place: int, **values: object) -> None:
    mine = sa.and_(file_copy.c.file == number, file_copy.c.replica == place)
    connection.execute(sa.update(file_copy).where(mine).values(**values))


# Rows -------------------------------------------------------------------------------------------------

_COPY_PLAIN = (
    *("file", "attempts", "error", "changed_at"),
    *("seen_at", "checked_at", "outcome", "found_sha256"),
)
_COPY = [file_copy.c[name] for name in (*_COPY_PLAIN, "state")]


def as_file(row: Mapping[Any, Any]) -> File:
    return from_row(File, row)


def _copy(row: Mapping[Any, Any]) -> Copy:
    place = {name.removeprefix("of_"): value for name, value in row.items() if name.startswith("of_")}
    return Copy(
        **{name: row[name] for name in _COPY_PLAIN},
        state=CopyState(row["state"]),
        replica=as_replica(place),
        away=place["away_since"] is not None,
    )


def _first(connection: Connection, asked: "sa.Select[Any]") -> File | None:
    row = connection.execute(asked).mappings().first()
    return as_file(row) if row else None


# What pages and the API show


SOUGHT = {CopiesSought.DAMAGED: sorted(DAMAGED), CopiesSought.UNFINISHED: sorted(UNFINISHED)}
IN_REPLICAS = file_copy.join(replica, replica.c.id == file_copy.c.replica)
SIZES = sa.func.coalesce(sa.func.sum(stored_file.c.size), 0)


def page(
    connection: Connection, sought: FileFilter, limit: int, offset: Beginning, amount: Amount | None = None
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


def _conditions(sought: FileFilter) -> Iterator["sa.ColumnElement[bool]"]:
    if sought.text:
        by_name = stored_file.c.name.icontains(sought.text, autoescape=True)
        yield sa.or_(by_name, stored_file.c.sha256.startswith(sought.text.lower(), autoescape=True))
    if sought.state:
        yield stored_file.c.state == sought.state.value
    if sought.kind:
        yield stored_file.c.kind == sought.kind.value
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


def marks(connection: Connection, files: Sequence[File]) -> dict[int, list[Mark]]:
    """The copies of each file in replicas that are in use, in the order in which they are read."""
    asked = (
        sa.select(file_copy.c.file, replica.c.name, file_copy.c.state, replica.c.away_since)
        .select_from(IN_REPLICAS)
        .where(file_copy.c.file.in_([file.id for file in files]), IN_USE)
        .order_by(preferred(), replica.c.id)
    )
    found: dict[int, list[Mark]] = {file.id: [] for file in files}
    for number, name, state, away_since in connection.execute(asked):
        found[number].append(Mark(name, CopyState(state), away_since is not None))
    return found


def replica_names(connection: Connection) -> dict[int, str]:
    rows: Any = connection.execute(sa.select(replica.c.id, replica.c.name).order_by(replica.c.name))
    return {row.id: row.name for row in rows}


def latest_harvests(connection: Connection, most: int) -> list[int]:
    """Numbers of the last harvests that brought files: one step of the index for each, however many files."""
    harvest = stored_file.c.harvest
    steps = sa.select(sa.func.max(harvest).label("number")).cte(recursive=True)
    below = sa.select(sa.func.max(harvest)).where(harvest < steps.c.number).scalar_subquery()
    steps = steps.union_all(sa.select(below).where(steps.c.number.is_not(None)))
    found = connection.scalars(sa.select(steps.c.number).limit(most))
    return [number for number in found if number is not None]


def named_like(connection: Connection, prefix: str, most: int) -> list[File]:
    """The first whose names begin so, as the index of names has them."""
    name = stored_file.c.name
    # One after all texts that begin so, in the order of bytes that the column has.
    asked = sa.select(stored_file).where(name >= prefix, name < prefix + chr(0x10FFFF))
    return [as_file(row) for row in connection.execute(asked.order_by(name).limit(most)).mappings()]
