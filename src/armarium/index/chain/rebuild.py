"""Making the index again from the files, all of it or what was lost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Protocol
from zlib import crc32

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.message import Message, message
from armarium.core.storing import StoredFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.chain.model import RunRow
from armarium.index.chain.publishing import PlaceAway, Press
from armarium.index.chain.steps import TOPIC
from armarium.index.runs import BadRun
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.tasks.context import never
from armarium.tasks.service import Tasks

FAILED_AGAIN_AFTER = timedelta(days=1)
FEW, SHARE = 10, 100  # so many runs may be lost, or one of so many, without a person being called first
PAGE = 1000
SWEEP = "index.sweep"  # the kind of task declared in tasks.py
HOURS = 7 * 24  # in which every run is read once
PAGES = 20  # of stored files, that one sweep goes through; the next goes on behind them

log = structlog.get_logger(__name__)


class StoredFiles(Protocol):
    def stored_after(self, file_id: int, most: int) -> list[StoredFile]: ...


class Rebuilder:
    def __init__(self, database: Database, press: Press, tasks: Tasks, notifier: Notifier) -> None:
        self._database = database
        self._press = press
        self._tasks = tasks
        self._notifier = notifier
        self._swept = 0  # the last file that the sweep has seen

    def rebuild(self, actor: Actor) -> int:
        """Ask for all files again. Look-ups are answered by the old runs until all of a run's are there anew.

        What is in the place of runs from now on is ours: this is also what is done when that was lost.
        """
        self._press.place.mark()
        with self._database.transaction() as connection:
            asked = file_queries.ask_for_all_again(connection)
            for collection in collection_queries.active(connection, hold=True):
                file_queries.let_stand(connection, collection.id)
                run_queries.let_stand(connection, collection.id, files=True)
            subject = Subject("index", "main", "main")
            record(connection, actor, "index.rebuilt", subject, after={"files": asked})
            announce(connection, TOPIC)
        _, lost = self._lost()
        for run in lost:
            self._give_up(run)
        return asked

    def mend(self) -> int:
        """Ask for the files of runs that are lost; how many runs are. If they are many, a person is called:
        it is more likely that their disk is away than that all of them are gone."""
        try:
            self._press.check_place()
            runs, lost = self._lost()
            self._press.check_place()  # it may have gone while we looked
        except PlaceAway as away:
            self._call(_away(away.message))
            return 0
        if len(lost) > FEW and len(lost) * SHARE > runs:
            self._call(_many_lost(len(lost), runs))
            return 0
        for run in lost:
            files = self._give_up(run)
            if files is not None:
                self._call(_lost(run, files))
        return len(lost)

    def examine(self, name: str, stopping: Callable[[], bool] = never) -> bool:
        """Read a run that somebody could not read; whether it was damaged or lost, and is made again."""
        try:
            self._press.check_place()
            with self._database.transaction() as connection:
                run = run_queries.answering_named(connection, name)
            if run is None or self._press.is_well(run, stopping):
                return False
            self._press.check_place()  # it may have gone while we read
        except PlaceAway as away:
            self._call(_away(away.message))
            return False
        if not self._press.is_there(run):
            return self.mend() > 0  # which asks first whether it is the only one
        files = self._give_up(run)
        if files is None:
            return False
        log.error("run of the index is damaged", run=name, files=files)
        self._call(_lost(run, files))
        return True

    def scrub(self, stopping: Callable[[], bool] = never, *, everything: bool = False) -> int:
        """Read the runs whose turn it is, each once a week; how many were damaged."""
        with self._database.transaction() as connection:
            runs = run_queries.all_answering(connection)
        turn = int(clock.now().timestamp()) // 3600 % HOURS
        due = [run for run in runs if everything or crc32(run.name.encode()) % HOURS == turn]
        return sum(self._examined(run, stopping) for run in due)

    def _examined(self, run: RunRow, stopping: Callable[[], bool]) -> bool:
        """One whose disk gives an error is left to the next time: the others have their turn."""
        try:
            return self.examine(run.name, stopping)
        except (OSError, BadRun) as error:
            log.warning("run of the index could not be read", run=run.name, reason=str(error))
            return False

    def _lost(self) -> tuple[int, list[RunRow]]:
        """How many runs there should be, and those that are not there."""
        with self._database.transaction() as connection:
            runs = run_queries.all_answering(connection)
        return len(runs), [run for run in runs if not self._press.is_there(run)]

    def _give_up(self, run: RunRow) -> int | None:
        """How many files are to be indexed again; None if the run was retired meanwhile."""
        with self._database.transaction() as connection:
            file_queries.hold_all_in(connection, run.id)  # files before runs, as all of the chain locks
            held = run_queries.hold(connection, [run.id], run.state)
            if not any(one.name == run.name for one in held):  # the row of the big run gets new objects
                return None
            files = file_queries.ask_for_lost(connection, run.id)
            run_queries.retire(connection, run.id)
            self._press.place.delete(run.name)  # under the lock of its row: see publishing.py
            self._tasks.defer(connection, SWEEP, {}, lock=SWEEP, queueing_lock=SWEEP)
            announce(connection, TOPIC)
        return files

    def _call(self, notification: Notification) -> None:
        with self._database.transaction() as connection:
            self._notifier.notify(connection, notification)

    def announce_unknown(self, archive: StoredFiles, tell: Callable[[Connection, StoredFile], None]) -> int:
        """Announce stored files that nobody announced: the tables of the index were lost, or are new."""
        told = 0
        for _ in range(PAGES):
            page = archive.stored_after(self._swept, PAGE)
            with self._database.transaction() as connection:
                known = file_queries.known(connection, [file.id for file in page])
                for file in page:
                    if file.id not in known:
                        tell(connection, file)
                        told += 1
            self._swept = page[-1].id if len(page) == PAGE else 0
            if not self._swept:
                break
        return told

    def ask_again(self, task: str, ask: Callable[[Connection, int], None]) -> int:
        """Ask for files that are not indexed and that no task is at."""
        asked, after = 0, 0
        failed_before = clock.now() - FAILED_AGAIN_AFTER
        for _ in range(PAGES):
            with self._database.transaction() as connection:
                files = file_queries.unfinished(connection, failed_before, after, PAGE)
                alive = self._tasks.alive_by_argument(connection, task, "file", files)
                for file in files:
                    if file not in alive:
                        ask(connection, file)
                        asked += 1
            if len(files) < PAGE:
                break
            after = files[-1]
        return asked


def _away(why: Message) -> Notification:
    return Notification(
        Severity.ERROR, message("The runs of the index are away"), why, key="index place away"
    )


def _many_lost(lost: int, runs: int) -> Notification:
    return Notification(
        Severity.ERROR,
        message("Many runs of the index are lost"),
        message(
            "%(lost)s of the %(runs)s runs are not where the index keeps them (setting index.location), or "
            "were cut off. Nothing was changed. Bring the disk or the bucket back; if they are lost for "
            "good, rebuild the index (armarium index rebuild). Nothing of the archive itself is lost.",
            lost=lost,
            runs=runs,
        ),
        key="index runs lost",
    )


def _lost(run: RunRow, files: int) -> Notification:
    return Notification(
        Severity.ERROR,
        message("A run of the index is lost"),
        message(
            "The run %(name)s is not where the index keeps its runs, or was damaged. Its %(files)s files are "
            "indexed again, and are not found until then. Nothing of the archive itself is lost.",
            name=run.name,
            files=files,
        ),
        key=f"run lost {run.name}",
    )
