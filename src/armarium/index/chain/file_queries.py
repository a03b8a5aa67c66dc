"""What the chain reads and writes of files: which are indexed, and which run holds each."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.core.storing import StoredFile
from armarium.core.text import storable
from armarium.db.stretches import Beginning, stretch
from armarium.index.chain.model import HIDDEN, UNFINISHED, IndexedFile, IndexState, Kind
from armarium.index.chain.model import Collection as Chosen
from armarium.index.tables import index_file, index_membership

F, M = index_file.c, index_membership.c


def _file(row: Row[Any]) -> IndexedFile:
    return IndexedFile(
        row.file,
        row.name,
        row.day,
        IndexState(row.state),
        row.sha256,
        row.harvest,
        row.accession,
        row.job,
        row.made_from,
        row.error,
        row.lines,
        row.indexed_at,
        row.asked_at,
    )


def insert_waiting(connection: Connection, file: StoredFile) -> bool:
    """Whether the file was not known yet."""
    row = {
        "file": file.id,
        "name": file.name,
        "day": file.stored_at.astimezone(UTC).date(),
        "harvest": file.harvest,
        "accession": file.accession,
        "job": file.job,
        "state": IndexState.WAITING,
        "asked_at": clock.now(),
    }
    added = insert(index_file).values(row).on_conflict_do_nothing().returning(F.file)
    return connection.scalar(added) is not None


def get(connection: Connection, file: int) -> IndexedFile | None:
    row = connection.execute(sa.select(index_file).where(F.file == file)).one_or_none()
    return None if row is None else _file(row)


def hold(connection: Connection, file: int) -> IndexedFile | None:
    """The file, which nobody else changes until the transaction ends."""
    held = sa.select(index_file).where(F.file == file).with_for_update()
    row = connection.execute(held).one_or_none()
    return None if row is None else _file(row)


def set_state(connection: Connection, file: int, state: IndexState, *, error: str = "") -> None:
    changed = sa.update(index_file).where(F.file == file)
    connection.execute(changed.values(state=state, error=storable(error), asked_at=clock.now()))


def set_indexed(
    connection: Connection,
    file: StoredFile,
    lines: int,
    made_from: str,
    problems: Sequence[str],
) -> None:
    changed = sa.update(index_file).where(F.file == file.id)
    connection.execute(
        changed.values(
            state=IndexState.INDEXED,
            sha256=file.sha256,
            made_from=made_from,
            error="",
            problems=[storable(problem) for problem in problems],
            lines=lines,
            bytes=file.size,
            indexed_at=clock.now(),
        )
    )


def known(connection: Connection, files: Collection[int]) -> set[int]:
    return set(connection.scalars(sa.select(F.file).where(F.file.in_(files))))


def unfinished(connection: Connection, failed_before: datetime, after: int, most: int) -> list[int]:
    """Files that a task should be at work on; those that failed, whatever they wait for, after a while."""
    asked = (
        sa.select(F.file)
        .where(F.state.in_(UNFINISHED), F.file > after)
        .where(((F.state != IndexState.FAILED) & (F.error == "")) | (F.asked_at < failed_before))
        .order_by(F.file)
        .limit(most)
    )
    return list(connection.scalars(asked))


def page(
    connection: Connection, state: IndexState | None, text: str, limit: int, offset: Beginning
) -> tuple[list[IndexedFile], int]:
    """Newest first, and how many there are in all; `text` is part of the name."""
    wanted = sa.select(index_file)
    if state is not None:
        wanted = wanted.where(F.state == state)
    if text:
        wanted = wanted.where(F.name.contains(storable(text), autoescape=True))
    total = connection.scalar(sa.select(sa.func.count()).select_from(wanted.subquery())) or 0
    rows = stretch(connection, wanted, [F.file.desc()], limit, offset)
    return [_file(row) for row in rows], total


def counts(connection: Connection) -> dict[IndexState, int]:
    found = sa.select(F.state, sa.func.count()).group_by(F.state)
    return {IndexState(state): number for state, number in connection.execute(found)}


# --- which run holds a file


def memberships(connection: Connection, file: int) -> list[tuple[int, Kind, int]]:
    """Collection, kind and run."""
    found = sa.select(M.collection, M.kind, M.run).where(M.file == file)
    return [(row.collection, Kind(row.kind), row.run) for row in connection.execute(found)]


def add_memberships(
    connection: Connection, run: int, collection: int, kind: Kind, files: Iterable[int]
) -> int:
    """Those that the collection has already stay where they are; how many were added."""
    rows = [{"collection": collection, "kind": kind, "file": file, "run": run} for file in files]
    if not rows:
        return 0
    added = insert(index_membership).on_conflict_do_nothing().returning(M.file)
    return len(connection.execute(added, rows).all())


def move_memberships(
    connection: Connection, collection: int, kind: Kind, sources: Collection[int], run: int
) -> None:
    here = (M.collection == collection) & (M.kind == kind) & M.run.in_(sources) & (M.run != run)
    connection.execute(sa.update(index_membership).where(here).values(run=run))


def drop_memberships(
    connection: Connection, collection: int, kind: Kind, sources: Collection[int], files: Collection[int]
) -> None:
    here = (M.collection == collection) & (M.kind == kind) & M.run.in_(sources) & M.file.in_(files)
    connection.execute(sa.delete(index_membership).where(here))


def forget_memberships(connection: Connection, collection: int, kind: Kind | None = None) -> None:
    gone = sa.delete(index_membership).where(M.collection == collection)
    connection.execute(gone if kind is None else gone.where(M.kind == kind))


def let_stand(connection: Connection, collection: int) -> None:
    """What a collection has goes on answering, and is its own no more: all of it will be given to it anew."""
    mine = M.collection == collection
    now = index_membership.alias()
    both = sa.exists().where(
        (now.c.collection == collection) & (now.c.kind == Kind.CDX) & (now.c.file == M.file)
    )
    connection.execute(sa.delete(index_membership).where(mine, M.kind == Kind.STANDING, both))
    stands = sa.update(index_membership).where(mine, M.kind == Kind.CDX)
    connection.execute(stands.values(kind=Kind.STANDING))
    connection.execute(sa.delete(index_membership).where(mine, M.kind == Kind.ROWS))


def has_standing(connection: Connection, collection: int) -> bool:
    stands = sa.exists().where((M.collection == collection) & (M.kind == Kind.STANDING))
    return bool(connection.scalar(sa.select(stands)))


def awaited(connection: Connection, collection: Chosen) -> bool:
    """Whether a file of a collection still answers by what stands, because it was not made anew yet."""
    waiting = (
        sa.select(F.file)
        .join(index_membership, M.file == F.file)
        .where(M.collection == collection.id, M.kind == Kind.STANDING, F.state.in_(UNFINISHED))
    )
    if not collection.everything:
        waiting = waiting.where(_chosen(collection.harvests, collection.accessions))
    return connection.execute(waiting.limit(1)).first() is not None


def hidden_in(
    connection: Connection, collection: int, kind: Kind, sources: Collection[int]
) -> dict[int, str]:
    """Files in these runs whose lines are to be dropped."""
    found = (
        sa.select(F.file, F.name)
        .join(index_membership, M.file == F.file)
        .where(M.collection == collection, M.kind == kind, M.run.in_(sources), F.state.in_(HIDDEN))
    )
    return {row.file: row.name for row in connection.execute(found)}


def still_hidden(connection: Connection, files: Collection[int]) -> bool:
    """Whether all of these are hidden now, and will be until the transaction ends."""
    held = sa.select(F.state).where(F.file.in_(files)).order_by(F.file).with_for_update()
    return all(state in HIDDEN for state in connection.scalars(held))


def still_indexed(connection: Connection, files: Collection[int]) -> bool:
    """Whether all of these are indexed now, and will be until the transaction ends."""
    held = sa.select(F.state).where(F.file.in_(files)).order_by(F.file).with_for_update(read=True)
    return all(state == IndexState.INDEXED for state in connection.scalars(held))


def hidden_names(connection: Connection, *, anywhere: bool = False) -> list[str]:
    """Files whose lines are in our runs and must not be answered; `anywhere`: all that are hidden."""
    hidden = sa.select(F.name).where(F.state.in_(HIDDEN))
    held = sa.exists().where(M.file == F.file)
    return list(connection.scalars(hidden if anywhere else hidden.where(held)))


def files_in(connection: Connection, run: int, collection: int, kind: Kind) -> list[IndexedFile]:
    """The files whose lines a run of a file level holds."""
    found = (
        sa.select(index_file)
        .join(index_membership, M.file == F.file)
        .where(M.run == run, M.collection == collection, M.kind == kind)
    )
    return [_file(row) for row in connection.execute(found)]


def lacking(
    connection: Connection, collection: int, harvests: Collection[int], accessions: Collection[int]
) -> dict[int, str]:
    """Indexed files of these harvests and accessions that the collection does not have yet."""
    held = sa.exists().where((M.file == F.file) & (M.collection == collection) & (M.kind == Kind.CDX))
    found = sa.select(F.file, F.name).where(
        F.state == IndexState.INDEXED,
        F.lines > 0,
        _chosen(harvests, accessions),
        ~held,
    )
    return {row.file: row.name for row in connection.execute(found)}


def _chosen(harvests: Collection[int], accessions: Collection[int]) -> sa.ColumnElement[bool]:
    return F.harvest.in_(harvests) | F.accession.in_(accessions)


# What is hidden because its content is another one stays so: its old lines may still be in a run.
_ASKED = sa.case((F.state == IndexState.AGAIN, IndexState.AGAIN), else_=IndexState.WAITING)


def ask_for_all_again(connection: Connection) -> int:
    changed = sa.update(index_file).where(F.state != IndexState.WITHDRAWN)
    return connection.execute(changed.values(state=_ASKED, error="", asked_at=clock.now())).rowcount


def hold_all_in(connection: Connection, run: int) -> None:
    """The files of a run, which nobody else changes until the transaction ends."""
    here = sa.select(M.file).where(M.run == run)
    connection.execute(sa.select(F.file).where(F.file.in_(here)).order_by(F.file).with_for_update())


def ask_for_lost(connection: Connection, run: int) -> int:
    """The files of a run that is lost are to be indexed again; those of which it held old lines are."""
    here = sa.select(M.file).where(M.run == run, M.kind != Kind.STANDING)
    lost = (F.file.in_(here)) & (F.state != IndexState.WITHDRAWN)
    asked = sa.update(index_file).where(lost).values(state=_ASKED, error="", asked_at=clock.now())
    count = connection.execute(asked).rowcount
    connection.execute(sa.delete(index_membership).where(M.run == run))
    return count
