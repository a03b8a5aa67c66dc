"""The verbs of the chain."""

import shutil
from collections.abc import Callable, Container
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.storing import StoredFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.chain.collections import Collections, settle
from armarium.index.chain.indexing import Filing
from armarium.index.chain.live import LiveRuns
from armarium.index.chain.merging import Merger
from armarium.index.chain.model import (
    MAIN,
    Archive,
    IndexedFile,
    IndexState,
    Kind,
    RunRow,
)
from armarium.index.chain.publishing import Press, write_path_index
from armarium.index.chain.rebuild import Rebuilder
from armarium.index.chain.steps import TOPIC, Alarm, Steps
from armarium.index.lookup import Lookup
from armarium.index.runs import BlockCache, open_run_place
from armarium.index.settings import IndexSettings
from armarium.notify.service import Notifier
from armarium.tasks.context import never
from armarium.tasks.service import Tasks

# --- Cleaning: objects that nobody reads any more, and what killed processes left behind.


ABANDONED = timedelta(hours=24)  # no piece takes that long from being announced to being live
STEPS_KEPT = timedelta(days=90)
AT_ONCE = 1000


class Cleaner:
    def __init__(self, database: Database, press: Press, settings: IndexSettings, steps: Steps) -> None:
        self._database = database
        self._press = press
        self._settings = settings
        self._steps = steps

    def clean(self) -> int:
        now = clock.now()
        retired = now - timedelta(hours=self._settings.keep_retired_hours)
        abandoned = now - ABANDONED
        deleted = 0
        with self._steps.step("clean"):
            with self._database.transaction() as connection:
                for collection in collection_queries.active(connection, hold=True):
                    settle(connection, collection)
                run_queries.retire_needless(connection)
                run_queries.forget_steps(connection, now - STEPS_KEPT)
            while True:
                with self._database.transaction() as connection:
                    runs = run_queries.done_with(connection, retired, abandoned, AT_ONCE)
                for run in runs:
                    # Under the lock of its row, so that nobody makes it live meanwhile: see publishing.py.
                    with self._database.transaction() as connection:
                        name = run_queries.hold_done_with(connection, run, retired, abandoned)
                        if name:
                            self._press.place.delete(name)
                            run_queries.delete(connection, run)
                            deleted += 1
                if len(runs) < AT_ONCE:
                    break
            self._clear_work()
        return deleted

    def _clear_work(self) -> None:
        before = (clock.now() - ABANDONED).timestamp()
        self._press.place.clear(before)
        for folder in self._press.work.glob("*"):
            if folder.is_dir() and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)


# --- The verbs of the chain.


INDEX = "index.file"  # the kind of task declared in tasks.py
CROWDED = "index.crowded"
WORK = "index-work"  # folder below the data folder, for pieces that are being made
PATHS = Path("exports") / "path-index.txt"

log = structlog.get_logger(__name__)


class Chain:
    def __init__(
        self,
        database: Database,
        archive: Archive,
        settings: IndexSettings,
        home: Path,
        tasks: Tasks,
        notifier: Notifier,
    ) -> None:
        self.database = database
        self.settings = settings
        self._archive = archive
        self._home = home
        self._tasks = tasks
        self.place = open_run_place(
            settings.location, home=home, options=_options(settings), secrets=_secrets(settings)
        )
        self.steps = Steps(database)
        press = Press(database, self.place, home / WORK)
        alarm = Alarm(database, tasks)
        self._merger = Merger(database, press, settings, self.steps, alarm)
        cache = BlockCache(data_bytes=settings.cache_megabytes << 20)
        self._live = LiveRuns(database, self.place, cache, alarm.ring)
        self._cleaner = Cleaner(database, press, settings, self.steps)
        self._rebuilder = Rebuilder(database, press, tasks, notifier)
        self.collections = Collections(
            database, press, settings, tasks, self.steps, alarm, archive.harvest_name
        )
        self._filing = Filing(database, archive, settings, press, self.collections, self._merger, notifier)

    # What storage says, in its own transaction

    def announce(self, connection: Connection, file: StoredFile) -> None:
        """A file is stored: index it. The same again is fine."""
        if file_queries.insert_waiting(connection, file):
            self._ask_for(connection, file.id)

    def withdrawn(self, connection: Connection, file: StoredFile) -> None:
        """Do not answer from a file any more, from the end of this transaction on."""
        if file_queries.hold(connection, file.id) is None:
            file_queries.insert_waiting(connection, file)
        file_queries.set_state(connection, file.id, IndexState.WITHDRAWN)
        self._live.forget()
        announce(connection, TOPIC)

    def restored(self, connection: Connection, file: StoredFile) -> None:
        """Answer from a file again. If its content is another one now, all of it is indexed anew."""
        known = file_queries.hold(connection, file.id)
        if known is None:
            self.announce(connection, file)
            return
        if known.sha256 == file.sha256 and self._is_complete(connection, file, known):
            file_queries.set_state(connection, file.id, IndexState.INDEXED)  # nothing was dropped yet
        else:
            file_queries.set_state(connection, file.id, IndexState.AGAIN)
            self._ask_for(connection, file.id)
        self._live.forget()
        announce(connection, TOPIC)

    # Indexing

    def index(self, file_id: int, stopping: Callable[[], bool] = never) -> None:
        """Make the lines of a file findable; nothing is done if they are."""
        self._filing.index(file_id, stopping)
        self._live.forget()
        with self.database.transaction() as connection:
            if self._merger.is_crowded(connection):
                self._tasks.defer(connection, CROWDED, {}, lock=CROWDED, queueing_lock=CROWDED)

    def note_failure(self, file_id: int, error: str) -> None:
        """It was tried often enough: a person should know."""
        self._filing.note_failure(file_id, error)

    def _is_complete(self, connection: Connection, file: StoredFile, known: IndexedFile) -> bool:
        """Whether all lines of the file are still in the runs of all its collections."""
        held = {(collection, kind) for collection, kind, _ in file_queries.memberships(connection, file.id)}
        wanted = {(one.id, Kind.CDX) for one in self.collections.of(connection, file)}
        wanted |= {(one.id, Kind.ROWS) for one in self.collections.of(connection, file) if one.everything}
        return known.lines == 0 or wanted <= held

    def _ask_for(self, connection: Connection, file_id: int) -> None:
        lock = f"index:{file_id}"
        self._tasks.defer(connection, INDEX, {"file": file_id}, lock=lock, queueing_lock=lock)

    # The rest of the chain

    def merge_days(self, stopping: Callable[[], bool] = never) -> int:
        try:
            return self._merger.merge_days(stopping)
        finally:
            self._live.forget()

    def merge_crowded(self, stopping: Callable[[], bool] = never) -> int:
        """Merge what has become too much for look-ups, where many files come within minutes."""
        try:
            return self._merger.merge_crowded(stopping)
        finally:
            self._live.forget()

    def merge_big(self, stopping: Callable[[], bool] = never, *, now: bool = False) -> int:
        try:
            return self._merger.merge_big(stopping, now=now)
        finally:
            self._live.forget()

    def clean(self) -> int:
        """Delete runs that nobody needs any more; how many."""
        return self._cleaner.clean()

    def write_paths(self) -> int:
        """Write the PATH index, in which pywb and others look where a file is; the number of its lines."""
        with self.steps.step("paths"):
            return write_path_index(self._archive.places(), self._home / PATHS)

    @property
    def path_index(self) -> Path:
        return self._home / PATHS

    def rebuild(self, actor: Actor) -> int:
        """Make all of the index anew from the files; how many there are."""
        asked = self._rebuilder.rebuild(actor)
        self._live.forget()
        return asked

    def mend(self) -> int:
        """Look whether every live run is there; files of lost ones are indexed again. How many are lost."""
        lost = self._rebuilder.mend()
        self._live.forget()
        return lost

    def examine(self, run: str, stopping: Callable[[], bool] = never) -> bool:
        """Read a run, every byte; if it is damaged, its files are indexed again. Whether it was."""
        damaged = self._rebuilder.examine(run, stopping)
        self._live.forget()
        return damaged

    def scrub(self, stopping: Callable[[], bool] = never, *, everything: bool = False) -> int:
        """The same for all runs whose turn it is: each is read once a week. How many were damaged."""
        damaged = self._rebuilder.scrub(stopping, everything=everything)
        self._live.forget()
        return damaged

    def sweep(self) -> int:
        """Ask for what nobody is at: files that were not announced, or whose task is gone. How many."""
        return self._rebuilder.announce_unknown(self._archive, self.announce) + self._rebuilder.ask_again(
            INDEX, self._ask_for
        )

    def lookup(self, *collections: str, only: Container[str] | None = None) -> Lookup:
        """Over all files, or over collections; `only`: nothing but what lies in these files."""
        return self._live.lookup(*(collections or (MAIN,)), only=only)

    def open(self, name: str) -> BinaryIO:
        """A file of the archive, which can be read anywhere."""
        return self._archive.open(name)

    def get(self, file_id: int) -> IndexedFile | None:
        with self.database.transaction() as connection:
            return file_queries.get(connection, file_id)

    def page(
        self, *, state: IndexState | None = None, text: str = "", limit: int, offset: Beginning = 0
    ) -> tuple[list[IndexedFile], int]:
        """Files, newest first, and how many there are in all."""
        with self.database.transaction() as connection:
            return file_queries.page(connection, state, text, limit, offset)

    def counts(self) -> dict[IndexState, int]:
        with self.database.transaction() as connection:
            return file_queries.counts(connection)

    def runs(self, collection: str = MAIN, kind: Kind = Kind.CDX) -> list[RunRow]:
        """The live ones."""
        number = self.collections.named(collection).id
        with self.database.transaction() as connection:
            return run_queries.live(connection, number, kind)

    def close(self) -> None:
        self._filing.close()


def _options(settings: IndexSettings) -> dict[str, str]:
    options = {"endpoint": settings.endpoint, "region": settings.region}
    return {**options, "allow_http": "true" if settings.allow_http else "false"}


def _secrets(settings: IndexSettings) -> dict[str, str]:
    secret = settings.secret_key.get_secret_value() if settings.secret_key is not None else ""
    return {"access_key": settings.access_key, "secret_key": secret}
