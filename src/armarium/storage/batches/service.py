"""The verbs of batches: start, look, cancel, and run a part."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.storage.batches import queries
from armarium.storage.batches.builtin import BatchFile
from armarium.storage.batches.functions import function_named, functions
from armarium.storage.batches.model import Batch, Function, Functions, Result, ResultState, Selection, checked
from armarium.storage.batches.running import Answer, Caller
from armarium.storage.files.reading import Reader
from armarium.storage.model import RunState
from armarium.storage.settings import StorageSettings
from armarium.tasks.context import TaskContext, never
from armarium.tasks.failure import TaskStopped
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

TOPIC = "batches"
RUN = "storage.batch"  # the kind of task, declared below
PART = 100  # files
MOST_PARTS = 1000  # tasks of one batch: of a large archive the parts are larger
AT_ONCE = 200  # results that a download reads at a time
ANNOUNCED = 1.0  # seconds between two signs of life
MOST_GIVEN_UP = 3  # calls in one part that never end: each keeps a thread


def part_size(files: int) -> int:
    """How many files each task of a batch goes through: the same whoever asks."""
    return max(PART, -(-files // MOST_PARTS))


def subject(batch: Batch) -> Subject:
    return Subject("batch", batch.id, f"{batch.function} {batch.id}")


class Batches:
    def __init__(self, database: Database, reader: Reader, tasks: Tasks, settings: StorageSettings) -> None:
        self._database = database
        self._reader = reader
        self._tasks = tasks
        self._settings = settings

    # Looking

    def functions(self) -> Functions:
        return functions(self._settings.batch_folder)

    def function(self, name: str) -> Function:
        return function_named(name, self._settings.batch_folder)

    page = reading(queries.page)
    results = reading(queries.results)
    speed = reading(queries.speed)

    def get(self, number: int) -> Batch:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    def all_results(self, number: int) -> Iterator[Result]:
        """Those that have come, in the order of the files; never all of them in memory."""
        last = 0
        while True:
            with self._database.transaction() as connection:
                found = queries.results_after(connection, number, last, AT_ONCE)
            if not found:
                return
            yield from found
            last = found[-1].file

    # By people

    def start(self, actor: Actor, name: str, arguments: Mapping[str, Any], selection: Selection) -> Batch:
        """Run a function over the chosen files that are stored now; workers share them in parts."""
        given = checked(self.function(name), arguments)
        with self._database.transaction() as connection:
            values = {
                "function": name,
                "arguments": given,
                "selection": selection.described(),
                "state": RunState.WAITING.value,
                "by": actor.name,
                "created_at": clock.now(),
            }
            number = queries.add(connection, values)
            size = part_size(queries.count_files(connection, selection))
            total = queries.await_files(connection, number, selection, size)
            if not total:
                raise Refused(message("None of the selected files is stored."), field="value")
            queries.change(connection, number, files_total=total)
            for part in queries.parts_waiting(connection, number):
                self._tasks.defer(connection, RUN, {"batch": number, "part": part})
            made = queries.one(connection, number)
            assert made is not None, "it was just written"
            told = {"function": name, "arguments": given, "selection": selection.described(), "files": total}
            record(connection, actor, "batch.started", subject(made), after=told)
            announce(connection, TOPIC)
        return made

    def cancel(self, actor: Actor, number: int) -> Batch:
        """Begin no further file. Results that have come stay."""
        with self._database.transaction() as connection:
            before = _existing(connection, number, lock=True)
            if not before.is_open:
                raise Refused(message("Batch %(number)s has ended already.", number=number))
            queries.change(connection, number, state=RunState.CANCELLED.value, ended_at=clock.now())
            told = {"files": before.files, "files_total": before.files_total}
            record(connection, actor, "batch.cancelled", subject(before), after=told)
            announce(connection, TOPIC)
        return self.get(number)

    # By workers

    def run_part(self, number: int, part: int, stopping: Callable[[], bool] = never) -> None:
        """Go through the files of a part that have no result yet; ends early when the batch is cancelled."""
        batch = self.get(number)
        if not batch.is_open:
            return
        try:
            function = self.function(batch.function)
            arguments = checked(function, batch.arguments)
        except (NotFound, Refused) as gone:
            self._fail(batch, str(gone))
            return
        with self._database.transaction() as connection:
            queries.begin(connection, number, clock.now())
            waiting = queries.waiting_of_part(connection, number, part)
            announce(connection, TOPIC)
        caller = Caller(self._settings.batch_seconds, lambda: stopping() or not self._is_running(number))
        told = time.monotonic()
        for row in waiting:
            answer = None
            if not stopping() and self._is_running(number):
                answer = caller.ask(function.call, self._file(row), arguments)
            if answer is None:
                if self._is_running(number):
                    raise TaskStopped
                return
            soon = time.monotonic() - told > ANNOUNCED
            told = time.monotonic() if soon else told
            self._keep(number, row["id"], answer, tell=soon or row is waiting[-1])
            if caller.given_up >= MOST_GIVEN_UP:
                self._fail(batch, f"{caller.given_up} calls of the function did not end.")
                return

    def sweep(self) -> int:
        """Parts whose tasks are gone, though files wait: they are deferred again. How many."""
        with self._database.transaction() as connection:
            numbers = queries.unended(connection)
            alive = self._tasks.alive_by_argument(connection, RUN, "batch", numbers) if numbers else set()
        return sum(self._again(number) for number in numbers if number not in alive)

    def _again(self, number: int) -> int:
        with self._database.transaction() as connection:
            parts = queries.parts_waiting(connection, number)
            for part in parts:
                self._tasks.defer(connection, RUN, {"batch": number, "part": part})
        log.info("parts of a batch deferred again", batch=number, parts=len(parts))
        return len(parts)

    def _is_running(self, number: int) -> bool:
        with self._database.transaction() as connection:
            return queries.state_of(connection, number) is RunState.RUNNING

    def _file(self, row: Mapping[Any, Any]) -> BatchFile:
        return BatchFile(
            row["name"], row["size"], row["sha256"], row["job"], row["harvest"], source=self._reader
        )

    def _keep(self, number: int, file: int, answer: Answer, *, tell: bool) -> None:
        now, failed = clock.now(), answer.state is ResultState.FAILED
        with self._database.transaction() as connection:
            if queries.put_result(connection, number, file, {**answer.values(), "at": now}):
                queries.count_result(connection, number, failed, now)
            if tell:
                announce(connection, TOPIC)

    def _fail(self, batch: Batch, why: str) -> None:
        log.error("batch cannot run", batch=batch.id, function=batch.function, reason=why)
        with self._database.transaction() as connection:
            queries.change(connection, batch.id, state=RunState.FAILED.value, error=why, ended_at=clock.now())
            announce(connection, TOPIC)


def _existing(connection: Connection, number: int, *, lock: bool = False) -> Batch:
    missing = message("There is no batch with the number %(number)s.", number=number)
    return existing(queries.one(connection, number, lock=lock), missing)


# Tasks


def run_part(context: TaskContext, batch: int, part: int) -> None:
    """Run a function over a part of the chosen files."""
    context.service(Batches).run_part(batch, part, context.stopping)


def sweep(context: TaskContext) -> None:
    """Go on with batches whose tasks are gone."""
    context.service(Batches).sweep()


TASKS = (
    # Below what keeps the archive going: a batch over everything may run for days.
    TaskKind(RUN, run_part, retry=Retry(attempts=10), priority=-10),
    TaskKind("storage.batches", sweep, retry=NEVER_AGAIN, priority=-5, cron="*/10 * * * *"),
)
