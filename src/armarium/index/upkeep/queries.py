"""What the pages read of the chain beside what the chain itself reads."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.text import storable
from armarium.db.stretches import MOST, by_period, count_up_to
from armarium.index.chain.model import Collection as CollectionRow
from armarium.index.chain.model import IndexedFile, IndexState, Kind, Level, LevelFigures, RunState
from armarium.index.tables import index_file, index_membership, index_run, index_step

F, M, R = index_file.c, index_membership.c, index_run.c
LIVE = R.state == RunState.LIVE
# A file that is made anew keeps its state when it fails, because its old lines must stay hidden.
TROUBLED = (F.state == IndexState.FAILED) | ((F.state == IndexState.AGAIN) & (F.error != ""))


def counts(connection: Connection) -> tuple[dict[IndexState, int], int]:
    """Files in each state, and how many of all states failed."""
    counted = sa.select(F.state, sa.func.count()).group_by(F.state)
    files = {IndexState(state): int(number) for state, number in connection.execute(counted)}
    failed = connection.scalar(sa.select(sa.func.count()).select_from(index_file).where(TROUBLED)) or 0
    return files, failed


def levels(connection: Connection, collection: int) -> dict[Level, LevelFigures]:
    """Of the live runs that together hold the lines of a collection."""
    shared = sa.exists().where((M.run == R.id) & (M.collection == collection) & (M.kind == Kind.CDX))
    own = (R.collection == collection) & (R.level != Level.FILE)
    counted = (
        sa.select(R.level, sa.func.count(), sa.func.sum(R.lines), sa.func.sum(R.bytes))
        .where(LIVE, R.kind == Kind.CDX, own | ((R.level == Level.FILE) & shared))
        .group_by(R.level)
    )
    found = {Level(row.level): tuple(row)[1:] for row in connection.execute(counted)}
    return {
        level: LevelFigures(*map(int, found[level])) if level in found else LevelFigures() for level in Level
    }


def lines_of_runs(connection: Connection, collection: int, level: Level, most: int) -> list[int]:
    """The lengths of the longest live runs."""
    shared = sa.exists().where((M.run == R.id) & (M.collection == collection) & (M.kind == Kind.CDX))
    whose = shared if level is Level.FILE else R.collection == collection
    found = sa.select(R.lines).where(LIVE, R.kind == Kind.CDX, R.level == level, whose)
    return list(connection.scalars(found.order_by(R.lines.desc()).limit(most)))


def troubled(connection: Connection, limit: int, offset: int) -> list[IndexedFile]:
    """Files that could not be indexed, those that were tried last first."""
    found = sa.select(index_file).where(TROUBLED).order_by(F.asked_at.desc(), F.file.desc())
    return [_file(row) for row in connection.execute(found.limit(limit).offset(offset))]


def ask_again(connection: Connection, files: Collection[int] | None = None) -> list[int]:
    """Let files that failed wait again, these or all; which they were."""
    state = sa.case((F.state == IndexState.FAILED, IndexState.WAITING), else_=F.state)
    changed = sa.update(index_file).where(TROUBLED)
    if files is not None:
        changed = changed.where(F.file.in_(files))
    values = changed.values(state=state, error="", asked_at=clock.now())
    return list(connection.scalars(values.returning(F.file)))


def known_names(connection: Connection, names: Collection[str]) -> dict[str, int]:
    """Which of these files the archive has, with their numbers."""
    found = sa.select(F.name, F.file).where(F.name.in_([storable(name) for name in names]))
    return {row.name: row.file for row in connection.execute(found)}


def names_of_jobs(connection: Connection, jobs: Sequence[int]) -> set[str]:
    return names_where(connection, F.job.in_(jobs))


def names_of_harvest(connection: Connection, harvest: int) -> set[str]:
    return names_where(connection, F.harvest == harvest)


def names_of_collection(connection: Connection, one: CollectionRow) -> set[str]:
    within = F.harvest.in_(one.harvests) | F.accession.in_(one.accessions)
    return names_where(connection, sa.true() if one.everything else within)


def names_where(connection: Connection, which: "sa.ColumnElement[bool]") -> set[str]:
    """Files whose captures can be found."""
    return set(connection.scalars(sa.select(F.name).where(which, F.state == IndexState.INDEXED)))


def problems_of(connection: Connection, file: int) -> list[str]:
    found = connection.scalar(sa.select(F.problems).where(F.file == file))
    return [str(problem) for problem in found or []]


def _file(row: sa.Row[Any]) -> IndexedFile:
    known = row._mapping
    names = ("file", "name", "day", "sha256", "harvest", "accession", "job", "error", "lines", "indexed_at")
    facts = {name: known[name] for name in names}
    return IndexedFile(**facts, state=IndexState(row.state), made_from=row.made_from)


LATEST_FILES = 20_000  # that are looked at for a month


def lines_by_day(connection: Connection, since: datetime, zone: str) -> dict[date, int]:
    """Captures of the latest files, by the day on which these were indexed."""
    latest = sa.select(F.indexed_at, F.lines).order_by(F.file.desc()).limit(LATEST_FILES).subquery()
    of_lines = [sa.func.sum(latest.c.lines)]
    [found] = by_period(connection, latest.c.indexed_at, zone, since, of_lines, period="day")
    return found


# What the overview says


LATEST = 50  # steps that are looked through


def waiting_files(connection: Connection) -> int:
    """Those whose turn comes, counted to some bound."""
    to_do = index_file.c.state.in_([IndexState.WAITING.value, IndexState.AGAIN.value])
    return count_up_to(connection, sa.select(index_file.c.file).where(to_do, index_file.c.error == ""))


def failed_files(connection: Connection) -> tuple[int, datetime | None]:
    """How many, to some bound, and when the last was tried."""
    some = sa.select(index_file.c.asked_at).where(TROUBLED).limit(MOST).subquery()
    row = connection.execute(sa.select(sa.func.count(), sa.func.max(some.c.asked_at))).one()
    return row[0], row[1]


def latest_steps(connection: Connection) -> list["sa.Row[Any]"]:
    asked = sa.select(index_step).order_by(index_step.c.id.desc()).limit(LATEST)
    return list(connection.execute(asked))


def captures_by_month(connection: Connection, first: date) -> dict[date, int]:
    """Lines of the index, by the month in which their files were stored."""
    month = sa.cast(sa.func.date_trunc("month", index_file.c.day), sa.Date)
    found = sa.select(month, sa.func.sum(index_file.c.lines)).where(
        index_file.c.day >= first, index_file.c.state == IndexState.INDEXED.value
    )
    return {day: int(lines or 0) for day, lines in connection.execute(found.group_by(month))}
