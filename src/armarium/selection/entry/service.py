"""The verbs of entry: enter addresses, look at them, make records of those that answer."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.core.text import storable
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import ByNumber
from armarium.selection import permissions
from armarium.selection.collections.service import existing
from armarium.selection.entry import queueing, tables
from armarium.selection.entry.checker import Checker, Look
from armarium.selection.entry.model import (
    ENDED,
    SELECTABLE,
    Batch,
    Check,
    ChosenLine,
    CommonValues,
    Line,
    LineState,
)
from armarium.selection.entry.queueing import CHECK, standing
from armarium.selection.entry.rules import read_lines, record_of, without
from armarium.selection.model import Origin
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import writing
from armarium.selection.records.model import Draft, Record
from armarium.selection.records.rules import place_of
from armarium.selection.settings import EntrySettings
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.tasks.service import Tasks

SHOWN = 20  # batches of one person that are listed
MOST_LOOKED_AT = 100  # addresses of one command
TOLD_SECONDS = 1.0  # pages of a long list are not renewed more often


def topic(batch: int) -> str:
    """What pages that show a batch listen to."""
    return f"checks_{batch}"


class Checks(ByNumber[Batch]):
    rows = tables.batches
    missing = message(
        "There is no list of addresses with the number %(number)s. Those that led to no record are "
        "removed after some months."
    )

    def __init__(self, database: Database, tasks: Tasks, checker: Checker, settings: EntrySettings) -> None:
        super().__init__(database)
        self._tasks = tasks
        self._checker = checker
        self._settings = settings

    # Reading

    def batch(self, number: int) -> Batch:
        with self._database.transaction() as connection:
            return self.existing(connection, number)

    def lines(self, number: int) -> list[Line]:
        """Each line with what was seen, beside what the collections have now."""
        with self._database.transaction() as connection:
            known = self.existing(connection, number)
            return standing(
                connection, known.collection, tables.checks.all(connection, tables.check.c.batch == number)
            )

    def check(self, number: int) -> Check:
        with self._database.transaction() as connection:
            found = tables.checks.by_id(connection, number)
        if found is None:
            raise NotFound(message("There is no check with the number %(number)s.", number=number))
        return found

    def latest(self, editor: Editor) -> list[tuple[Batch, int, int]]:
        """What this person entered last, with the number of lines, and of those that are done."""
        with self._database.transaction() as connection:
            return tables.batches_of(connection, editor.account, SHOWN)

    def of_record(self, known: Record) -> tuple[dict[str, Check], bool]:
        """The last look at each of a record's addresses, and whether a further one is under way."""
        with self._database.transaction() as connection:
            looks = tables.looks_of_record(connection, known.id)
            running = tables.is_looked_at(connection, known.id)
        found = {one: looks[key] for one in known.addresses if (key := place_of(one).key) in looks}
        for one in looks.values():
            if one.id == known.check and known.checked_at:  # its way led to the address
                found.setdefault(known.address, one)
        return found, running

    def picture(self, number: int) -> bytes:
        with self._database.transaction() as connection:
            found = tables.picture_of(connection, number)
        if not found:
            raise NotFound(message("Check %(number)s has no picture.", number=number))
        return found

    def pictures(self, records: Iterable[int]) -> dict[int, str]:
        """Of these records, where the latest picture of each site lies."""
        with self._database.transaction() as connection:
            found = tables.pictured(connection, records)
        return {one: f"/selection/checks/{number}/picture" for one, number in found.items()}

    def pictures_of_addresses(self, keys: Collection[str]) -> dict[str, str]:
        """Of these addresses, where the latest picture lies, as far as records have them."""
        with self._database.transaction() as connection:
            found = tables.pictured_addresses(connection, keys)
        return {one: f"/selection/checks/{number}/picture" for one, number in found.items()}

    def look(self, addresses: Sequence[str]) -> list[Look]:
        """Look at addresses while the caller waits, and keep nothing."""
        if len(addresses) > MOST_LOOKED_AT:
            raise Refused(message("At most %(most)s addresses at once.", most=MOST_LOOKED_AT))
        found: dict[int, Look] = {}
        self._checker.check(
            list(enumerate(addresses)),
            begun=lambda _: None,
            done=found.__setitem__,
            stopping=lambda: False,
        )
        return [found[number] for number in range(len(addresses))]

    # Changing

    def enter(self, editor: Editor, collection: int, pasted: str, *, soon: bool = True) -> Batch:
        """Take the lines of a text for a collection. `soon`: a task looks at them; else the caller does."""
        rows = read_lines(pasted)
        with permissions.changing(self._database, editor) as connection:
            known = existing(connection, collection)
            permissions.check(connection, editor, [collection], "check.entered")
            writing.refuse_closed(known)
            taken = record_queries.keys_taken(connection, collection, {str(row["key"]) for row in rows})
            rows = without(rows, taken)
            number = queueing.insert(connection, editor, collection, rows)
            if soon and any(row["state"] == LineState.WAITING.value for row in rows):
                queueing.defer(connection, self._tasks, editor, number)
            subject = Subject("collection", known.id, known.name)
            record(connection, editor.actor, "check.entered", subject, after={"lines": len(rows)})
            return self.existing(connection, number)

    def again(self, editor: Editor, number: int) -> Batch:
        """Look at all addresses of a record once more."""
        with permissions.changing(self._database, editor) as connection:
            known = record_queries.by_id(connection, number)
            if known is None:
                raise writing.no_record(number)
            permissions.check(connection, editor, [known.collection], "check.repeated")
            made = queueing.look_at(connection, self._tasks, editor, known, known.addresses)
            return self.existing(connection, made)

    def see(self, editor: Editor, made: Record) -> None:
        """Look at the addresses of a record that were entered without a look at them."""
        with permissions.changing(self._database, editor) as connection:
            queueing.see(connection, self._tasks, editor, [made])

    def take(
        self,
        editor: Editor,
        number: int,
        taken: Sequence[ChosenLine],
        common: CommonValues,
        origin: Origin = Origin.ENTRY,
    ) -> list[Record]:
        """Make records of lines, all of them or none; each keeps the check that justifies it."""
        if not taken:
            raise Refused(message("Select at least one address."), field="lines")
        with permissions.changing(self._database, editor) as connection:
            known = self.existing(connection, number, lock=True)
            checks = {
                one.id: one
                for one in tables.checks.all(connection, tables.check.c.batch == number, lock=True)
            }
            wanted = [record_of(known, checks.get(one.check), one, common, origin) for one in taken]
            made = writing.create_many(connection, editor, wanted)
            for one in made:
                assert one.check is not None
                tables.checks.update(connection, one.check, record=one.id)
            announce(connection, topic(number))
            return made

    def evidence(self, number: int | None, draft: Draft) -> int | None:
        """The check, if it is one that justifies this very record."""
        if number is None:
            return None
        with self._database.transaction() as connection:
            found = tables.checks.by_id(connection, number)
        fits = found and found.collection == draft.collection and found.record is None
        return number if found and fits and place_of(draft.address).address in found.addresses else None

    def justifies(self, made: Record) -> None:
        """Note with its check that a record was made of it."""
        if made.check is not None:
            with self._database.transaction() as connection:
                tables.checks.update(connection, made.check, record=made.id)

    def go_on(self, editor: Editor, number: int) -> None:
        """Look at the rest of a list whose task has failed for good or was cancelled."""
        with permissions.changing(self._database, editor) as connection:
            known = self.existing(connection, number, lock=True)
            permissions.check(connection, editor, [known.collection], "check.entered")
            if self._is_stuck(connection, number):
                queueing.defer(connection, self._tasks, editor, number)
                subject = Subject("collection", known.collection, known.collection_name)
                record(connection, editor.actor, "check.resumed", subject)

    def is_stuck(self, number: int) -> bool:
        """Whether lines wait for which no task is there any more."""
        with self._database.transaction() as connection:
            return self._is_stuck(connection, number)

    # In a task

    def run(self, number: int, stopping: Callable[[], bool] = lambda: False) -> None:
        """Look at all lines of a batch that nobody has looked at to the end. May be called again."""
        with self._database.transaction() as connection:
            known = self.existing(connection, number)
            left = [
                one
                for one in tables.checks.all(connection, tables.check.c.batch == number)
                if one.state not in ENDED
            ]

        told = 0.0

        def tell(connection: Connection) -> None:
            nonlocal told
            if time.monotonic() - told >= TOLD_SECONDS:
                told = time.monotonic()
                announce(connection, topic(number))

        def begun(check: int) -> None:
            with self._database.transaction() as connection:
                tables.make_checking(connection, check)
                tell(connection)

        def done(check: int, look: Look) -> None:
            with self._database.transaction() as connection:
                tables.checks.update(connection, check, **_values(look))
                if known.record is not None and LineState(look.verdict.value) in SELECTABLE:
                    way = [addresses[check], *(step.url for step in look.steps)]
                    record_queries.note_seen(connection, known.record, [place_of(one).key for one in way])
                tell(connection)

        addresses = {one.id: one.address for one in left}
        self._checker.check(list(addresses.items()), begun=begun, done=done, stopping=stopping)
        with self._database.transaction() as connection:
            announce(connection, topic(number))
            if known.record is not None:
                announce(connection, writing.TOPIC)

    def forget(self) -> int:
        """Delete checks that are old and led to no record."""
        with self._database.transaction() as connection:
            return tables.forget(connection, clock.now() - timedelta(days=self._settings.keep_days))

    # Steps

    def _is_stuck(self, connection: Connection, number: int) -> bool:
        lines, ended = tables.progress_of(connection, [number]).get(number, (0, 0))
        return lines > ended and not self._tasks.alive_by_argument(connection, CHECK, "batch", [number])


def _values(look: Look) -> dict[str, object]:
    return {
        "state": LineState(look.verdict.value).value,
        "trouble": look.trouble.value,
        "steps": [step.kept() for step in look.steps],
        "robots": look.robots.value,
        "robots_rule": storable(look.robots_rule),
        "title": storable(look.title),
        "language": look.language,
        "media_type": storable(look.media_type),
        "size": look.size,
        "whole": look.whole,
        "tls_problem": storable(look.tls_problem),
        "seconds": look.seconds,
        "picture": look.picture or None,
        "picture_state": look.picture_state.value,
        "checked_at": clock.now(),
    }


# Tasks


log = structlog.get_logger(__name__)


def run_checks(context: TaskContext, batch: int) -> None:
    """Look at each address of a list; what was seen before an interruption is not looked at again."""
    context.service(Checks).run(batch, context.stopping)
    if context.stopping():
        raise TaskStopped


def forget_checks(context: TaskContext) -> None:
    """Remove checks that led to no record."""
    if gone := context.service(Checks).forget():
        log.info("checks of addresses forgotten", count=gone)


TASKS = (
    TaskKind(CHECK, run_checks),
    TaskKind("selection.forget-checks", forget_checks, retry=NEVER_AGAIN, priority=-5, cron="41 3 * * *"),
)
