"""Merging: runs of files into runs of days, runs of days into the big one.

A merge reads live runs, writes one, and replaces them in one transaction, if they still are what they were.
Two that do the same at once are no danger: the second finds its sources retired, and what it made is
cleaned away.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.chain.model import Collection, Kind, Level, Piece, RunRow, RunState
from armarium.index.chain.publishing import ChangedMeanwhile, Press, cdx_piece, changed_meanwhile, rows_piece
from armarium.index.chain.rows import GROUP, Provenance, Tables, tables_of_lines, tables_of_part, write_rows
from armarium.index.chain.steps import TOPIC, Alarm, Progress, Steps
from armarium.index.runs import BadRun, BlockCache, Run, merge
from armarium.index.settings import IndexSettings
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

CROWDED = 24  # runs of files of a collection: each costs every look-up 50 µs, so that more are merged at once
MOST_AT_ONCE = 2000  # runs of files that one merge takes: the rest follows in the next
MOST_ROWS = 200_000  # of these, that are in memory at once (some 2 KB each) when rows are made of lines
WORTH_DROPPING = 100  # the big run is written anew for hidden lines if they are more than one of so many
DROPPED_AFTER = timedelta(days=30)  # or if some were hidden so long ago
WORTH_REWRITING = 2  # a run of a day is merged again if it is at most so many times as long as what is new

log = structlog.get_logger(__name__)


class Merger:
    def __init__(
        self, database: Database, press: Press, settings: IndexSettings, steps: Steps, alarm: Alarm
    ) -> None:
        self._database = database
        self._press = press
        self._settings = settings
        self._steps = steps
        self._alarm = alarm

    def is_crowded(self, connection: Connection) -> bool:
        """Whether a look-up has so many runs to ask that readers notice."""
        return run_queries.most_of_files(connection, Kind.CDX) >= CROWDED

    def merge_crowded(self, stopping: Callable[[], bool] = never) -> int:
        """Only where runs of files stand in the way of look-ups: the rest can wait for the daily merge."""
        merges = 0
        for collection in self._collections():
            with self._database.transaction() as connection:
                waiting = run_queries.of_files(connection, collection.id, Kind.CDX)
            if len(waiting) >= CROWDED:
                for day in sorted({run.day for run in waiting if run.day is not None}):
                    merges += self._merge_day(collection, Kind.CDX, day, stopping)
        return merges

    def merge_days(self, stopping: Callable[[], bool] = never) -> int:
        """Put the runs of files into runs of their days; how many merges that took."""
        merges = 0
        for collection in self._collections():
            for kind in (Kind.CDX, Kind.ROWS) if collection.everything else (Kind.CDX,):
                for day in self._days(collection, kind):
                    merges += self._merge_day(collection, kind, day, stopping)
        return merges

    def merge_big(self, stopping: Callable[[], bool] = never, *, now: bool = False) -> int:
        """Put the runs of days that are over into the big run, once there are enough of them; or `now`."""
        merges = 0
        for collection in self._collections():
            sources = self._big_sources(collection, now)
            if sources:
                merges += self._replaced("big", collection, Kind.CDX, Level.BIG, None, sources, stopping)
        return merges

    def rewrite(self, collection: Collection, kind: Kind, run: RunRow, stopping: Callable[[], bool]) -> None:
        """Write a run anew without the files that are hidden now."""
        try:
            with self._steps.step("drop", f"{collection.name} {run.name}", run.lines) as progress:
                self._replace(collection, kind, run.level, run.day, [run], stopping, progress)
        except BadRun as bad:
            self._alarm.ring(bad)
            raise

    def _collections(self) -> list[Collection]:
        with self._database.transaction() as connection:
            return collection_queries.active(connection)

    def _days(self, collection: Collection, kind: Kind) -> list[date]:
        """Days that have runs of files, or several of the day and are over, or one with hidden files."""
        with self._database.transaction() as connection:
            fresh = run_queries.of_files(connection, collection.id, kind)
            merged = run_queries.merged(connection, collection.id, kind, Level.DAY)
            hidden = run_queries.with_hidden(connection, collection.id, kind)
        days = {run.day for run in fresh} | {run.day for run in merged if run.id in hidden}
        seen: set[date | None] = set()
        for run in merged:
            if run.day in seen and _is_over(run.day):
                days.add(run.day)
            seen.add(run.day)
        return sorted(day for day in days if day is not None)

    def _merge_day(self, collection: Collection, kind: Kind, day: date, stopping: Callable[[], bool]) -> int:
        merges = 0
        while sources := self._day_sources(collection, kind, day):
            if stopping():
                raise TaskStopped
            if not self._replaced("daily", collection, kind, Level.DAY, day, sources, stopping):
                break
            merges += 1
        return merges

    def _replaced(
        self,
        step: str,
        collection: Collection,
        kind: Kind,
        level: Level,
        day: date | None,
        sources: Sequence[RunRow],
        stopping: Callable[[], bool],
    ) -> bool:
        """Whether it could be done. If sources were changed meanwhile, or one of them is damaged, the next
        merge takes what is there then."""
        about = " ".join(filter(None, (collection.name, kind.value, day.isoformat() if day else "")))
        try:
            with self._steps.step(step, about, sum(run.lines for run in sources)) as progress:
                self._replace(collection, kind, level, day, sources, stopping, progress)
        except ChangedMeanwhile:
            log.info("merge left to the next", step=step, about=about)
            return False
        except BadRun as bad:
            self._alarm.ring(bad)
            return False
        return True

    def _day_sources(self, collection: Collection, kind: Kind, day: date) -> list[RunRow]:
        """What is new, with those runs of the day that are not much longer: so no line is written again and
        again. Of a day that is over, all; none if there is nothing to do."""
        with self._database.transaction() as connection:
            waiting = run_queries.of_files(connection, collection.id, kind, day)
            merged = [
                run
                for run in run_queries.merged(connection, collection.id, kind, Level.DAY)
                if run.day == day
            ]
            hidden = run_queries.with_hidden(connection, collection.id, kind)
        fresh = _at_once(waiting, kind)
        if _is_over(day) and len(fresh) == len(waiting):
            chosen = merged
        else:
            chosen = [run for run in merged if run.id in hidden]
            lines = sum(run.lines for run in (*fresh, *chosen))
            for run in sorted(set(merged) - set(chosen), key=lambda run: (run.lines, run.name)):
                if run.lines > WORTH_REWRITING * lines:
                    break
                chosen.append(run)
                lines += run.lines
        changes = bool(fresh) or len(chosen) > 1 or any(run.id in hidden for run in chosen)
        return [*chosen, *fresh] if changes else []

    def _big_sources(self, collection: Collection, now: bool) -> list[RunRow]:
        with self._database.transaction() as connection:
            big = run_queries.merged(connection, collection.id, Kind.CDX, Level.BIG)
            days = run_queries.merged(connection, collection.id, Kind.CDX, Level.DAY)
            hidden = run_queries.hidden_weights(connection, collection.id, Kind.CDX)
        over = [run for run in days if now or _is_over(run.day)]
        enough = len({run.day for run in over}) > self._settings.merge_days or (now and over)
        worth = any(run.id in hidden and (now or _is_worth(run, *hidden[run.id])) for run in big)
        if enough or len(big) > 1 or worth:
            return [*big, *over]
        return []

    def _replace(
        self,
        collection: Collection,
        kind: Kind,
        level: Level,
        day: date | None,
        sources: Sequence[RunRow],
        stopping: Callable[[], bool],
        progress: Progress,
    ) -> None:
        """Make one run of these, and let it take their place."""
        numbers = [run.id for run in sources]
        with self._database.transaction() as connection:
            hidden = file_queries.hidden_in(connection, collection.id, kind, numbers)
        without = frozenset(hidden.values())
        with self._press.workplace() as folder:
            path = folder / "piece"
            if kind is not Kind.ROWS:
                piece = self._lines(collection, level, day, sources, path, without, stopping, progress)
            else:
                assert day is not None
                piece = self._rows(collection, day, sources, path, without, stopping)
            new = self._press.publish(piece, path) if piece.lines else None
        with self._database.transaction() as connection:
            held = self._hold(connection, collection, kind, sources, list(hidden))
            file_queries.drop_memberships(connection, collection.id, kind, numbers, list(hidden))
            if new is not None:
                self._take_over(connection, collection, kind, held, new)
            run_queries.retire_empty(connection, numbers)
            announce(connection, TOPIC)
        log.info("runs merged", into=new.name if new else None, sources=len(sources), dropped=len(hidden))

    @staticmethod
    def _hold(
        connection: Connection,
        collection: Collection,
        kind: Kind,
        sources: Sequence[RunRow],
        hidden: Sequence[int],
    ) -> list[RunRow]:
        """The sources, if all is still as it was when they were read. Locked in the order in which all of the
        chain locks: files, collections, runs."""
        numbers = [run.id for run in sources]
        if not file_queries.still_hidden(connection, hidden):
            raise changed_meanwhile()
        if not collection_queries.is_unchanged(connection, collection):
            raise changed_meanwhile()
        held = run_queries.hold(connection, numbers, sources[0].state)
        # By name, too: a merge gives the row of the big run another object.
        same = {run.name for run in held} == {run.name for run in sources}
        if not same or not run_queries.all_needed(connection, collection.id, kind, numbers):
            raise changed_meanwhile()
        return held

    @staticmethod
    def _take_over(
        connection: Connection, collection: Collection, kind: Kind, sources: Sequence[RunRow], new: RunRow
    ) -> None:
        """Let the new run be the one that holds the files of its sources."""
        big = next((run for run in sources if run.level is Level.BIG), None)
        if big is None or big.id == new.id or new.state is not RunState.MAKING:
            standing = sources[0].state is RunState.STANDING
            done, run = run_queries.make_live(connection, new.id, standing=standing), new.id
        else:
            done, run = run_queries.take_place_of(connection, big, new), big.id
        if not done:
            raise changed_meanwhile()
        numbers = [source.id for source in sources]
        file_queries.move_memberships(connection, collection.id, kind, numbers, run)

    def _lines(
        self,
        collection: Collection,
        level: Level,
        day: date | None,
        sources: Sequence[RunRow],
        path: Path,
        without: frozenset[str],
        stopping: Callable[[], bool],
        progress: Progress,
    ) -> Piece:
        cache = BlockCache(data_bytes=1 << 20, index_bytes=64 << 20)
        runs = [Run(self._press.place, run.name, cache) for run in sources]
        facts = merge(runs, path, without=without, stopping=stopping, progress=progress)
        return cdx_piece(facts, collection.id, collection.name, level, day)

    def _rows(
        self,
        collection: Collection,
        day: date,
        sources: Sequence[RunRow],
        path: Path,
        without: frozenset[str],
        stopping: Callable[[], bool],
    ) -> Piece:
        tables: list[Tables] = []
        for run in sources:
            if run.kind is Kind.ROWS:
                tables.append(tables_of_part(self._press.place, run.name))
            else:
                tables.append(self._rows_of_file(collection, run))
        rows = write_rows(tables, path, without=without, stopping=stopping)
        return rows_piece(path, rows, collection.id, day)

    def _rows_of_file(self, collection: Collection, run: RunRow) -> Tables:
        with self._database.transaction() as connection:
            files = file_queries.files_in(connection, run.id, collection.id, Kind.ROWS)
        if not files:
            raise changed_meanwhile()  # another merge has taken it
        [file] = files
        lines = Run(self._press.place, run.name).scan()
        return tables_of_lines(lines, Provenance(file.job, file.harvest, file.accession))


def _at_once(waiting: Sequence[RunRow], kind: Kind) -> list[RunRow]:
    """As many as one merge takes, and at least one."""
    rows = accumulate(min(run.lines, GROUP) for run in waiting)
    few = [run for run, so_far in zip(waiting, rows, strict=True) if kind is Kind.CDX or so_far <= MOST_ROWS]
    return list(few or waiting[:1])[:MOST_AT_ONCE]


def _is_worth(run: RunRow, lines: int, since: datetime) -> bool:
    return lines * WORTH_DROPPING > run.lines or since < clock.now() - DROPPED_AFTER


def _is_over(day: date | None) -> bool:
    return day is None or day < clock.now().astimezone(UTC).date()
