"""The verbs of imports: keep a file, try it, take it in: all that is wanted of it, or nothing."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import Any, BinaryIO

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import DatabaseAway, Refused
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import Listed, reading
from armarium.languages import speech
from armarium.selection import permissions
from armarium.selection.collections.service import existing
from armarium.selection.entry import queueing
from armarium.selection.exchange import tables
from armarium.selection.exchange.files import sheet_of
from armarium.selection.exchange.judging import Decision, Judge, Verdict
from armarium.selection.exchange.model import Fault, Import, ImportState, Mode, Told, kept, untold
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import writing
from armarium.selection.settings import SelectionSettings
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

TOPIC = "selection_imports"
TASK = "selection.import"
PIECE = 1 << 20
LONGEST_NAME = 200


class Imports(Listed[Import]):
    """The latest first."""

    rows = tables.imports
    missing = message("There is no import with the number %(number)s.")

    def __init__(self, database: Database, tasks: Tasks, settings: SelectionSettings) -> None:
        super().__init__(database)
        self._tasks = tasks
        self._settings = settings

    @property
    def most_bytes(self) -> int:
        return self._settings.max_import_bytes

    # Reading

    faults = reading(tables.faults)

    def all_faults(self, number: int) -> Iterator[Fault]:
        place = 0
        while found := self.faults(number, limit=PIECE >> 10, offset=place)[0]:
            yield from found
            place += len(found)

    @contextmanager
    def file(self, number: int) -> Iterator[BinaryIO]:
        """The file as it came."""
        with tempfile.TemporaryFile() as copy:
            with self._database.transaction() as connection:
                if not self.existing(connection, number).file_kept:
                    raise Refused(message("The file of this import was cleared away. Upload it again."))
                for content in tables.pieces(connection, number):
                    copy.write(content)
            copy.seek(0)
            yield copy

    # Changing

    def keep(
        self, editor: Editor, name: str, pieces: Iterable[bytes], mode: Mode, collection: int | None = None
    ) -> Import:
        """Take a file in, to be tried or imported by `run`."""
        with self._database.transaction() as connection:
            if collection is not None:
                existing(connection, collection)
            values = {
                "name": " ".join(name.replace("\0", "").split())[:LONGEST_NAME] or "–",
                "collection": collection,
                "created_at": clock.now(),
                "language": speech.language().code,
                **_ordered(editor, mode),
            }
            number = self.rows.add(connection, **values)
            size = self._keep_pieces(connection, number, pieces)
            self.rows.update(connection, number, bytes=size)
            announce(connection, TOPIC)
            return self.existing(connection, number)

    def defer(self, number: int) -> None:
        """Let a worker run it."""
        with self._database.transaction() as connection:
            self._tasks.defer(connection, TASK, {"number": number}, lock=f"{TASK}:{number}")

    def order(self, editor: Editor, number: int, mode: Mode) -> Import:
        """Once more, with what is there now: after its trial a file is imported, or tried again."""
        with self._database.transaction() as connection:
            known = self.existing(connection, number, lock=True)
            if known.under_way:
                raise Refused(message("This import is under way already: wait for its report."))
            if known.state is ImportState.IMPORTED:
                raise Refused(message("This file is imported already. Upload it again to try it once more."))
            if not known.file_kept:
                raise Refused(message("The file of this import was cleared away. Upload it again."))
            values = _ordered(editor, mode) | {"language": speech.language().code}
            if known.by != editor.actor.name:
                values["denied"] = []  # of what they try the log has no word yet
            self.rows.update(connection, number, **values, done=0, error=None, begun_at=None, ended_at=None)
            announce(connection, TOPIC)
            return self.existing(connection, number)

    def run(self, number: int, told: Told = untold) -> Import:
        """Do what was ordered. After an interruption anywhere it is as if it had not begun."""
        order = self.get(number)
        if not order.under_way:
            return order  # an earlier attempt came to its end
        self._note(number, state=ImportState.RUNNING, begun_at=clock.now(), done=0)
        with speech.speaking(order.language):
            try:
                with self.file(number) as file:
                    self._run(order, file, told)
            except Refused as refusal:
                self._note(
                    number, state=ImportState.REFUSED, ended_at=clock.now(), error=kept(refusal.message)
                )
        return self.get(number)

    def fail(self, number: int, text: str) -> None:
        """A fault of ours came again and again."""
        error = kept(message("The import failed: %(reason)s", reason=text))
        self._note(number, state=ImportState.FAILED, ended_at=clock.now(), error=error)

    def clear(self) -> int:
        """Forget files whose time is over; the reports stay."""
        before = clock.now() - timedelta(days=self._settings.keep_import_days)
        with self._database.transaction() as connection:
            return tables.clear_files(connection, before, clock.now())

    # Steps

    def _run(self, order: Import, file: BinaryIO, told: Told) -> None:
        editor = _editor(order)
        sheet = sheet_of(file, most_lines=self._settings.max_import_lines, curator=editor.validates)
        lines = list(sheet.lines)
        total = len(lines)
        self._note(order.id, total=total)
        with self._database.transaction() as connection:
            judge = Judge(connection, editor, order.collection)
            for done in judge.judge(lines, sheet.keys):
                self._note(order.id, done=done)
                told(done, total)
            verdict = judge.verdict
            del lines
            self._note(order.id, notes=[kept(one) for one in (*sheet.notes, *verdict.notes())])
            ended = _ending(order.mode, verdict)
            if ended is ImportState.IMPORTED:
                apply_verdict(connection, editor, verdict)
                again = record_queries.by_ids(connection, [*verdict.again.values()])
                queueing.see(connection, self._tasks, editor, again, soon=False)
                about = Subject("record_import", order.id, order.name)
                record(connection, editor.actor, "records.imported", about, after=vars(verdict.counts()))
            self._conclude(connection, order, editor, verdict, ended)

    def _conclude(
        self, connection: Connection, order: Import, editor: Editor, verdict: Verdict, ended: ImportState
    ) -> None:
        tables.put_faults(connection, order.id, verdict.faults)
        for number, name in verdict.denied.items():
            if number not in order.denied:  # the trial has told already
                permissions.log_denied(connection, editor, number, name, "records.imported")
        self.rows.update(
            connection,
            order.id,
            **vars(verdict.counts()),
            state=ended,
            ended_at=clock.now(),
            denied=sorted({*order.denied, *verdict.denied}),
            error=kept(_not_all_good()) if ended is ImportState.REFUSED else None,
        )
        announce(connection, TOPIC)

    def _keep_pieces(self, connection: Connection, number: int, pieces: Iterable[bytes]) -> int:
        size = 0
        for place, content in enumerate(pieces):
            size += len(content)
            if size > self._settings.max_import_bytes:
                raise Refused(
                    message(
                        "The file is larger than %(most)s. Import it in parts.",
                        most=speech.byte_size(self._settings.max_import_bytes),
                    ),
                    field="file",
                )
            tables.insert_piece(connection, number, place, content)
        if not size:
            raise Refused(message("Choose a file in which something stands."), field="file")
        return size

    def _note(self, number: int, **values: Any) -> None:
        """Tell whoever waits how far it is; on a connection of its own, so that they see it at once."""
        with self._database.transaction() as connection:
            self.rows.update(connection, number, **values)
            announce(connection, TOPIC)


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    while content := file.read(PIECE):
        yield content


def _ordered(editor: Editor, mode: Mode) -> dict[str, object]:
    return {"mode": mode, "state": ImportState.WAITING, "by": editor.actor.name, "editor": asdict(editor)}


def _editor(order: Import) -> Editor:
    """Whoever ordered it, with the rights that they had then; what collections are theirs is asked anew."""
    said = dict(order.editor)
    actor = dict(said.pop("actor"))
    return Editor(Actor(**{**actor, "via": Via(actor["via"])}), **said)


def _ending(mode: Mode, verdict: Verdict) -> ImportState:
    if mode is Mode.TRIAL:
        return ImportState.TRIED
    if mode is Mode.ALL and verdict.bad_lines:
        return ImportState.REFUSED
    return ImportState.IMPORTED


def _not_all_good() -> Message:
    return message(
        "Nothing was imported, because not all lines are good. Correct those below, or import the good ones."
    )


# What was judged good is done


AT_ONCE = 5000  # records whose old and new values are in memory together


def apply_verdict(connection: Connection, editor: Editor, verdict: Verdict) -> None:
    """In the caller's transaction: all of it, or nothing."""
    decided = dict(verdict.decided)
    for start in range(0, len(verdict.created), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        made = writing.create_many(connection, editor, verdict.created[some])
        # Numbers are given in the order of the lines.
        for one, decision in zip(made, verdict.decided_new[some], strict=True):
            if decision:
                decided[one.id] = decision
    for changes, action in ((verdict.moved, "record.moved"), (verdict.changed, "record.changed")):
        for numbers in _parts(sorted(changes)):
            writing.change_many(connection, editor, {one: changes[one] for one in numbers}, action)
    for decision, chosen in _gathered(decided).items():
        for numbers in _parts(chosen):
            writing.decide_many(connection, editor, numbers, decision.state, decision.reason)


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), AT_ONCE):
        yield numbers[start : start + AT_ONCE]


def _gathered(decided: Mapping[int, Decision]) -> dict[Decision, list[int]]:
    found: dict[Decision, list[int]] = {}
    for number, decision in decided.items():
        found.setdefault(decision, []).append(number)
    return found


# Tasks


RETRY = Retry(attempts=3)


def run_import(context: TaskContext, number: int) -> None:
    """Try or import a file of records; after an interruption, from the beginning."""
    imports = context.service(Imports)
    try:
        imports.run(number)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except Exception as error:
        # A fault that comes again each time must not leave an import that says for ever: under way.
        if context.attempt >= RETRY.attempts:
            imports.fail(number, describe(error).error)
        raise


def clear_imports(context: TaskContext) -> None:
    """Forget files of imports whose time is over."""
    context.service(Imports).clear()


TASKS = (
    TaskKind(TASK, run_import, retry=RETRY, priority=5),
    TaskKind("selection.clear_imports", clear_imports, retry=NEVER_AGAIN, cron="41 3 * * *"),
)
