"""Folders whose W/ARC files are taken by themselves."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path

import structlog

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor
from armarium.core.errors import Refused
from armarium.core.text import storable
from armarium.db.database import Database
from armarium.storage.intake import queries
from armarium.storage.intake.model import NOT_TAKEN, Line, Offered, Outcome, WatchedFolder
from armarium.storage.intake.service import LONGEST_NAME, Intake
from armarium.storage.intake.sources import Walk, claims_to_be_archive, offered
from armarium.storage.settings import StorageSettings, overlaps
from armarium.tasks.context import TaskContext, never
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

AT_ONCE = 500  # paths that are asked for in one query
SECOND = 10**9  # nanoseconds
WHOLE_EVERY = timedelta(hours=1)  # then also folders are looked into in which no name has changed


class Watching:
    """Looks into the folders again and again. It remembers in which of them all was settled: where no name
    came or went since, their files are not looked at again before an hour is over."""

    def __init__(
        self,
        database: Database,
        intake: Intake,
        settings: StorageSettings,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._now = now
        self._database = database
        self._intake = intake
        self._settings = settings
        self._settled: dict[Path, int] = {}  # folders, and when their names last changed
        self._whole_at: datetime | None = None  # when all were last looked into

    def folders(self) -> list[WatchedFolder]:
        """As they were seen at the last look."""
        with self._database.transaction() as connection:
            seen = queries.watched(connection, [str(path) for path in self._settings.watch])
        return [seen.get(str(path), WatchedFolder(path)) for path in self._settings.watch]

    def take(self, stopping: Callable[[], bool] = never) -> int:
        """Take what is new in all folders: one accession for a folder and a day. How many files came."""
        if self._whole_at is None or self._now() - self._whole_at > WHOLE_EVERY:
            self._settled, self._whole_at = {}, self._now()
        taken = 0
        for path in self._settings.watch:
            seen = self._taken(path, stopping)
            taken += seen.taken
            if seen.trouble:
                log.warning("watched folder cannot be read", folder=str(path), reason=seen.trouble)
            with self._database.transaction() as connection:
                queries.put_watched(connection, seen, clock.now())
        return taken

    def _taken(self, path: Path, stopping: Callable[[], bool]) -> WatchedFolder:
        if not path.is_dir():
            return WatchedFolder(path, "There is no such folder, or it may not be opened.")
        if overlaps(path, self._intake.own_folders):
            return WatchedFolder(path, "It belongs to the archive itself, or holds a folder that does.")
        look = _Look(self._settled, self._quiet_before(), self._intake.own_folders)
        try:
            fresh = self._fresh(look, path)
            first = next(fresh, None)
            taken = 0
            if first is not None:
                name = f"{path} {self._now():%Y-%m-%d}"[-LONGEST_NAME:]
                report = self._intake.take_found(
                    SYSTEM,
                    chain((first,), fresh),
                    accession_name=name,
                    source=storable(str(path)),
                    stopping=stopping,
                )
                taken = report.files
        except Refused as refusal:  # it was there a moment ago
            return WatchedFolder(path, str(refusal))
        self._settled |= look.settled()
        return WatchedFolder(path, taken=taken, restless=look.restless)

    def _quiet_before(self) -> int:
        return int(self._now().timestamp() - self._settings.watch_quiet_seconds) * SECOND

    def _fresh(self, look: "_Look", path: Path) -> Iterator[Offered | Line]:
        """New, or changed since it was last met."""
        found = look.quiet(path)
        while some := list(islice(found, AT_ONCE)):
            with self._database.transaction() as connection:
                met = queries.last_lines(connection, [str(one.path) for one in some])
            for one in some:
                last = met.get(storable(str(one.path)))
                if last is None or _may_come(last):
                    look.unsettle(one)  # what was refused may be replaced in its place
                if last is None or (last.size, last.changed_ns) != (one.size, one.changed_ns):
                    yield one


def _may_come(last: Line) -> bool:
    """Whether what was not taken may yet be: a README that lies in the folder never will."""
    foreign = last.outcome is Outcome.FOREIGN and not claims_to_be_archive(Path(last.path).name)
    return last.outcome in NOT_TAKEN and not foreign


class _Look:
    """One walk through a folder: what in it is quiet, and in which folders all of it is."""

    def __init__(self, settled: Mapping[Path, int], before: int, own: Sequence[Path]) -> None:
        self._known = settled
        self._before = before
        self._walk = Walk(own, passes=self._passes)
        self._met: dict[Path, int] = {}
        self._unsettled: set[Path] = set()
        self.restless = 0

    def quiet(self, path: Path) -> Iterator[Offered | Line]:
        for one in offered([path], self._walk):
            if one.changed_ns <= self._before:
                yield one
            else:
                self.restless += 1
                self.unsettle(one)

    def unsettle(self, one: Offered | Line) -> None:
        self._unsettled.add(Path(one.path).parent)

    def settled(self) -> dict[Path, int]:
        """Folders that need not be looked into until a name in them changes."""
        return {
            path: changed
            for path, changed in self._met.items()
            if path not in self._unsettled and changed <= self._before
        }

    def _passes(self, path: Path, found: os.stat_result) -> bool:
        self._met[path] = found.st_mtime_ns
        return self._known.get(path) == found.st_mtime_ns


# The periodic task


WATCH = "storage.watch"


def watch(context: TaskContext) -> None:
    """Take what is new in watched folders, note what is stored meanwhile, and clear away what is over."""
    taken = context.service(Watching).take(context.stopping)
    context.service(Intake).clear()
    if taken:
        log.info("files of watched folders met", count=taken)


TASKS = (TaskKind(WATCH, watch, retry=NEVER_AGAIN, cron="* * * * *"),)


class WatchOrders:
    """What people may ask of the worker that watches folders."""

    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._database = database
        self._tasks = tasks

    def look(self, actor: Actor) -> bool:
        """Look into the watched folders now; False if a worker is about to."""
        with self._database.transaction() as connection:
            # The locks of the periodic task itself: it never runs beside itself.
            task = self._tasks.defer(connection, WATCH, {}, lock=WATCH, queueing_lock=WATCH)
            record(connection, actor, "accession.looked", Subject("accession", "", ""))
        return task is not None
