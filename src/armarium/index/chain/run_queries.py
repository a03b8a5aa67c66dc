"""What the chain reads and writes of runs and steps."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.core.text import storable
from armarium.db.stretches import Beginning, stretch
from armarium.index.chain.model import HIDDEN, Kind, Level, Piece, RunRow, RunState, StepRow
from armarium.index.tables import index_collection, index_file, index_membership, index_run, index_step

R, M, F, S = index_run.c, index_membership.c, index_file.c, index_step.c
C = index_collection.c
LIVE = R.state == RunState.LIVE
ANSWERING = R.state.in_((RunState.LIVE, RunState.STANDING))


def _run(row: Row[Any]) -> RunRow:
    return RunRow(
        row.id,
        row.collection,
        Kind(row.kind),
        Level(row.level),
        row.day,
        row.name,
        row.lines,
        row.bytes,
        RunState(row.state),
        row.sha256,
    )


def claim(connection: Connection, piece: Piece) -> RunRow:
    """Announce a run whose bytes are about to be published; one that was retired is wanted again."""
    values = {
        "collection": piece.collection,
        "kind": piece.kind,
        "level": piece.level,
        "day": piece.day,
        "name": piece.name,
        "lines": piece.lines,
        "bytes": piece.bytes,
        "sha256": piece.sha256,
        "first": piece.first,
        "last": piece.last,
        "state": RunState.MAKING,
        "made_at": clock.now(),
    }
    added = insert(index_run).values(values)
    again = {"state": sa.case((ANSWERING, R.state), else_=RunState.MAKING), "made_at": clock.now()}
    claimed = added.on_conflict_do_update(index_elements=[R.name], set_={**again, "retired_at": None})
    return _run(connection.execute(claimed.returning(index_run)).one())


def make_live(connection: Connection, run: int, *, standing: bool = False) -> bool:
    """Whether it was still announced, or answers already; `standing`: it only stands, unless it is live."""
    announced = (R.state == RunState.MAKING) | ANSWERING
    changed = sa.update(index_run).where(R.id == run, announced)
    state = sa.case((LIVE, RunState.LIVE), else_=RunState.STANDING) if standing else RunState.LIVE
    return connection.execute(changed.values(state=state, retired_at=None)).rowcount == 1


def take_place_of(connection: Connection, big: RunRow, new: RunRow) -> bool:
    """The row of the big run gets the new object, and the old one a row of its own: millions of files
    belong to the big run, and their rows need not be touched."""
    taken = connection.execute(
        sa.delete(index_run).where(R.id == new.id, R.state == RunState.MAKING).returning(index_run)
    ).one_or_none()
    if taken is None:
        return False
    old = connection.execute(sa.select(index_run).where(R.id == big.id)).one()
    facts = ("name", "lines", "bytes", "sha256", "first", "last", "made_at")
    changed = sa.update(index_run).where(R.id == big.id)
    connection.execute(changed.values({name: getattr(taken, name) for name in facts}))
    kept = {name: getattr(old, name) for name in (*facts, "collection", "kind", "level", "day")}
    connection.execute(
        sa.insert(index_run).values(kept | {"state": RunState.RETIRED, "retired_at": clock.now()})
    )
    return True


def hold(connection: Connection, runs: Collection[int], state: RunState = RunState.LIVE) -> list[RunRow]:
    """Those of these in that state, which nobody else changes until the transaction ends."""
    held = sa.select(index_run).where(R.id.in_(runs)).order_by(R.id).with_for_update()
    return [run for run in map(_run, connection.execute(held)) if run.state is state]


def all_needed(connection: Connection, collection: int, kind: Kind, runs: Collection[int]) -> bool:
    """Whether the collection has files in each of these."""
    needed = sa.exists().where((M.run == R.id) & (M.collection == collection) & (M.kind == kind))
    found = sa.select(sa.func.count()).select_from(index_run).where(R.id.in_(runs), needed)
    return connection.scalar(found) == len(runs)


def retire_empty(connection: Connection, runs: Collection[int]) -> None:
    """Retire those of these that no collection needs any more; some may still stand for what is made anew."""
    needed = sa.exists().where(M.run == R.id)
    held = sa.exists().where((M.run == R.id) & (M.kind != Kind.STANDING))
    stands = sa.update(index_run).where(R.id.in_(runs), LIVE, needed, ~held)
    connection.execute(stands.values(state=RunState.STANDING))
    changed = sa.update(index_run).where(R.id.in_(runs), ANSWERING, ~needed)
    connection.execute(changed.values(state=RunState.RETIRED, retired_at=clock.now()))


def let_stand(connection: Connection, collection: int, *, files: bool = False) -> None:
    """The runs of days and the big one of a collection answer on, and are not merged; `files`: all its runs.
    Rows for analysis answer nobody, and are retired."""
    mine = sa.update(index_run).where(LIVE, R.collection == collection)
    if not files:
        mine = mine.where(R.level != Level.FILE)
    connection.execute(mine.where(R.kind == Kind.CDX).values(state=RunState.STANDING))
    gone = mine.where(R.kind == Kind.ROWS)
    connection.execute(gone.values(state=RunState.RETIRED, retired_at=clock.now()))


def retire_needless(connection: Connection) -> None:
    """Runs in which no collection has files: one was changed, or a file was withdrawn before any merge.

    Collections that are not active have runs of their own making, which no file of the archive belongs to.
    """
    needed = sa.exists().where(M.run == R.id)
    active = sa.exists().where((C.id == R.collection) & C.active)
    changed = sa.update(index_run).where(ANSWERING, active, ~needed)
    connection.execute(changed.values(state=RunState.RETIRED, retired_at=clock.now()))


def retire_of(connection: Connection, collection: int) -> None:
    """Retire the runs of days and the big one of a collection."""
    changed = sa.update(index_run).where(ANSWERING, R.collection == collection, R.level != Level.FILE)
    connection.execute(changed.values(state=RunState.RETIRED, retired_at=clock.now()))


def most_of_files(connection: Connection, kind: Kind) -> int:
    """Live runs of single files that no run of a day holds yet, of the collection that has most of them."""
    counted = (
        sa.select(sa.func.count().label("number"))
        .select_from(index_run.join(index_membership, M.run == R.id))
        .where(LIVE, R.level == Level.FILE, M.kind == kind)
        .group_by(M.collection)
        .subquery()
    )
    return int(connection.scalar(sa.select(sa.func.max(counted.c.number))) or 0)


def of_files(connection: Connection, collection: int, kind: Kind, day: date | None = None) -> list[RunRow]:
    """Live runs of single files that no run of a day holds yet."""
    needed = sa.exists().where((M.run == R.id) & (M.collection == collection) & (M.kind == kind))
    found = sa.select(index_run).where(LIVE, R.level == Level.FILE, needed)
    if day is not None:
        found = found.where(R.day == day)
    return [_run(row) for row in connection.execute(found.order_by(R.name))]


def merged(connection: Connection, collection: int, kind: Kind, level: Level) -> list[RunRow]:
    found = sa.select(index_run).where(LIVE, R.collection == collection, R.kind == kind, R.level == level)
    return [_run(row) for row in connection.execute(found.order_by(R.day, R.name))]


def live(connection: Connection, collection: int, kind: Kind = Kind.CDX) -> list[RunRow]:
    """All that together hold the lines of a collection."""
    return [
        *merged(connection, collection, kind, Level.BIG),
        *merged(connection, collection, kind, Level.DAY),
        *of_files(connection, collection, kind),
    ]


def answering(connection: Connection, collection: int) -> list[RunRow]:
    """All that together answer for a collection: what holds its lines, and what stands meanwhile."""
    held = live(connection, collection)
    stands = sa.exists().where((M.run == R.id) & (M.collection == collection) & (M.kind == Kind.STANDING))
    standing = map(_run, connection.execute(sa.select(index_run).where(ANSWERING, stands).order_by(R.id)))
    known = {run.id for run in held}
    return [*held, *(run for run in standing if run.id not in known)]


def all_answering(connection: Connection, most: int | None = None) -> list[RunRow]:
    found = sa.select(index_run).where(ANSWERING).order_by(R.id).limit(most)
    return [_run(row) for row in connection.execute(found)]


def answering_named(connection: Connection, name: str) -> RunRow | None:
    row = connection.execute(sa.select(index_run).where(ANSWERING, R.name == name)).one_or_none()
    return _run(row) if row is not None else None


def retire(connection: Connection, run: int) -> None:
    changed = sa.update(index_run).where(R.id == run)
    connection.execute(changed.values(state=RunState.RETIRED, retired_at=clock.now()))


def with_hidden(connection: Connection, collection: int, kind: Kind) -> set[int]:
    """Runs that hold files which are hidden."""
    found = (
        sa.select(M.run)
        .join(index_file, F.file == M.file)
        .where(F.state.in_(HIDDEN), M.collection == collection, M.kind == kind)
    )
    return set(connection.scalars(found.distinct()))


def hidden_weights(connection: Connection, collection: int, kind: Kind) -> dict[int, tuple[int, datetime]]:
    """Of runs with hidden files: how many lines are hidden, and since when some are."""
    found = (
        sa.select(M.run, sa.func.sum(F.lines), sa.func.min(F.asked_at))
        .join(index_file, F.file == M.file)
        .where(F.state.in_(HIDDEN), M.collection == collection, M.kind == kind)
        .group_by(M.run)
    )
    return {run: (int(lines), since) for run, lines, since in connection.execute(found)}


def done_with(
    connection: Connection, retired_before: datetime, made_before: datetime, most: int
) -> list[int]:
    """Runs that nobody needs: retired, or announced and never finished."""
    retired = (R.state == RunState.RETIRED) & (R.retired_at < retired_before)
    abandoned = (R.state == RunState.MAKING) & (R.made_at < made_before)
    return list(connection.scalars(sa.select(R.id).where(retired | abandoned).order_by(R.id).limit(most)))


def hold_done_with(connection: Connection, run: int, retired_before: datetime, made_before: datetime) -> str:
    """The name of a run that may be deleted, whose row is ours until the transaction ends; else empty."""
    retired = (R.state == RunState.RETIRED) & (R.retired_at < retired_before)
    abandoned = (R.state == RunState.MAKING) & (R.made_at < made_before)
    held = sa.select(R.name).where(R.id == run, retired | abandoned).with_for_update()
    return connection.scalar(held) or ""


def delete(connection: Connection, run: int) -> None:
    connection.execute(sa.delete(index_run).where(R.id == run))


# --- steps


def begin_step(connection: Connection, step: str, about: str, quiet_since: datetime) -> int:
    """Note that a step begins. What was killed is told by its silence."""
    now = clock.now()
    silent = (S.step == step) & (S.state == "running") & (S.heard_at < quiet_since)
    killed = sa.update(index_step).where(silent)
    connection.execute(killed.values(state="failed", ended_at=now, error="The process ended in the middle."))
    row = {"step": step, "about": about, "state": "running", "started_at": now, "heard_at": now}
    return int(connection.scalar(sa.insert(index_step).values(row).returning(S.id)) or 0)


def note_progress(connection: Connection, step: int, done: int, total: int) -> None:
    changed = sa.update(index_step).where(S.id == step)
    connection.execute(changed.values(done=done, total=total, heard_at=clock.now()))


def end_step(connection: Connection, step: int, state: str, error: str) -> None:
    changed = sa.update(index_step).where(S.id == step)
    connection.execute(changed.values(state=state, error=storable(error), ended_at=clock.now()))


def is_running(connection: Connection, step: str, quiet_since: datetime) -> bool:
    heard = sa.exists().where((S.step == step) & (S.state == "running") & (S.heard_at >= quiet_since))
    return bool(connection.scalar(sa.select(heard)))


def steps(connection: Connection, limit: int, offset: Beginning = 0) -> tuple[list[StepRow], int]:
    """Newest first, and how many there are in all."""
    total = connection.scalar(sa.select(sa.func.count()).select_from(index_step)) or 0
    found = stretch(connection, sa.select(index_step), [S.id.desc()], limit, offset)
    names = ("id", "step", "state", "about", "started_at", "heard_at", "ended_at", "done", "total", "error")
    rows = [StepRow(*(getattr(row, name) for name in names)) for row in found]
    return rows, total


def forget_steps(connection: Connection, before: datetime) -> None:
    connection.execute(sa.delete(index_step).where(S.ended_at < before))
