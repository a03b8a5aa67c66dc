"""The verbs of the transfer, and of conflicts."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.errors import DatabaseAway, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import Listed, reading
from armarium.selection.collections.service import existing as existing_collection
from armarium.selection.records import writing
from armarium.selection.transfer import tables
from armarium.selection.transfer.applying import Batch, looked_up
from armarium.selection.transfer.difference import Step, steps
from armarium.selection.transfer.mapping_service import TOPIC, ground
from armarium.selection.transfer.model import (
    Entry,
    Harvest,
    Harvested,
    Line,
    Link,
    Month,
    Planning,
    Transfer,
    TransferKind,
    TransferState,
)
from armarium.selection.transfer.tables import Scope
from armarium.tasks.context import TaskContext, never
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import Retry, TaskKind
from armarium.tasks.service import Tasks

TRANSFER = "selection.transfer"  # the kind of task declared below
BATCH = 100  # records of one transaction: what a killed worker has to do again at most
SHOWN = 10  # lines on a record's page
YEAR = timedelta(days=365)
HARVESTS = 60  # of a record: a year, weekly


@dataclass(frozen=True)
class Preview:
    """What a transfer would do now."""

    entries: list[Entry]
    looked_at: int

    @property
    def counts(self) -> Counter[TransferKind]:
        return Counter(one.kind for one in self.entries)


@dataclass(frozen=True)
class Trace:
    """What the transfer and planning know of a record."""

    links: list[tuple[Link, Harvest | None]]  # with the harvest that each is in
    lines: list[Line]
    harvested: list[Harvested]


class Transfers(Listed[Transfer]):
    rows = tables.transfers
    missing = message("There is no transfer with the number %(number)s.")

    def __init__(self, database: Database, tasks: Tasks, planning: Planning) -> None:
        super().__init__(database)
        self._tasks = tasks
        self._planning = planning

    # Reading

    def preview(self, collection: int | None = None) -> Preview:
        """The difference that a transfer would make now; nothing is written."""
        with self._database.transaction() as connection:
            records = tables.next_records(connection, Scope(collection))
            found = ground(connection, self._planning)
            links, planned = looked_up(connection, self._planning, records)
        entries = [
            entry
            for one in records
            for step in steps(one, found, links.get(one.id, []), planned)
            for entry in step.entries
        ]
        return Preview(entries, len(records))

    lines = reading(tables.lines_of)

    def trace(self, number: int) -> Trace:
        with self._database.transaction() as connection:
            links = tables.links_of(connection, [number]).get(number, [])
            harvests = self._planning.choices(connection).harvests
            numbers = [one.placed.configuration for one in links]
            return Trace(
                [(one, harvests.get(one.kept["harvest"])) for one in links],
                tables.lines_of_record(connection, number, SHOWN),
                self._planning.history(connection, numbers, HARVESTS),
            )

    def months(self, collection: int) -> list[Month]:
        """What the records of a collection brought in the last twelve months."""
        with self._database.transaction() as connection:
            numbers = tables.configurations_of(connection, collection)
            return self._planning.months(connection, numbers, clock.now() - YEAR)

    # Running

    def start(self, actor: Actor, collection: int | None = None) -> Transfer:
        """Have it done in the background; a second wish is refused while the first one waits."""
        with self._database.transaction() as connection:
            if collection is not None:
                existing_collection(connection, collection)
            number = self._write_down(connection, actor, collection=collection)
            arguments = {"transfer": number}
            if (
                self._tasks.defer(connection, TRANSFER, arguments, lock=TRANSFER, queueing_lock=TRANSFER)
                is None
            ):
                raise Refused(
                    message(
                        "A transfer is already waiting: it takes everything that is ready when it starts."
                    )
                )
            subject = Subject("transfer", number, "")
            record(connection, actor, "transfer.started", subject, after={"collection": collection})
            return self.existing(connection, number)

    def begin(self, actor: Actor, collection: int | None = None) -> Transfer:
        """One that the caller carries out itself, as a command does."""
        with self._database.transaction() as connection:
            number = self._write_down(connection, actor, collection=collection)
            subject = Subject("transfer", number, "")
            record(connection, actor, "transfer.started", subject, after={"collection": collection})
            return self.existing(connection, number)

    def before_run(self, harvest: int, run: int, stopping: Callable[[], bool] = never) -> Transfer | None:
        """Bring a harvest up to date before the jobs of a run are made; None: it is no target.

        Called again for the same run, it goes on where it was.
        """
        with self._database.transaction() as connection:
            targets = [one for one in tables.targets(connection, harvest) if one.automatic]
            if not targets:
                return None
            known = self.rows.of_run(connection, run)
            number = known.id if known else self._write_down(connection, SYSTEM, harvest=harvest, run=run)
        self.carry_out(number, stopping)
        return self.get(number)

    def carry_out(self, number: int, stopping: Callable[[], bool] = never) -> None:
        """All of it, or the rest, batch by batch; raises `TaskStopped` between two of them."""
        while self._batch(number):
            if stopping():
                raise TaskStopped

    def fail(self, number: int, reason: str) -> None:
        """What cannot go on is said to have failed; what was done stays."""
        with self._database.transaction() as connection:
            if not self.existing(connection, number, lock=True).over:
                values = {
                    "state": TransferState.FAILED.value,
                    "ended_at": clock.now(),
                    "error": reason[:2000],
                }
                self.rows.update(connection, number, **values)
                announce(connection, TOPIC)

    # Steps

    def _write_down(self, connection: Connection, actor: Actor, **values: int | None) -> int:
        state = TransferState.WAITING.value
        announce(connection, TOPIC)
        return self.rows.add(connection, state=state, by=actor.name, asked_at=clock.now(), **values)

    def _batch(self, number: int) -> bool:
        """The next records; whether there may be more."""
        with self._database.transaction() as connection:
            transfer = self.existing(connection, number, lock=True)
            if transfer.over:
                return False
            scope = self._scope(connection, transfer)
            if transfer.state is TransferState.WAITING:
                total = tables.count_records(connection, scope)
                self.rows.update(connection, number, state=TransferState.RUNNING.value, total=total)
            records = tables.next_records(connection, scope, after=transfer.after, most=BATCH, lock=True)
            announce(connection, TOPIC)
            if not records:
                self._finish(connection, transfer)
                return False
            batch = Batch(connection, self._planning, Actor(transfer.by, Via.SYSTEM), number)
            batch.apply(records)
            tables.insert_lines(connection, number, batch.entries)
            counts = Counter(one.kind for one in batch.entries)
            self.rows.update(
                connection,
                number,
                handled=transfer.handled + len(records),
                after=records[-1].id,
                **{tables.column(kind): transfer.counts[kind] + counts[kind] for kind in TransferKind},
            )
            return True

    def _scope(self, connection: Connection, transfer: Transfer) -> Scope:
        if transfer.harvest is None:
            return Scope(transfer.collection)
        targets = tables.targets(connection, transfer.harvest)
        pairs = [(one.collection, one.frequency) for one in targets]
        return Scope(harvest=transfer.harvest, of_harvest=pairs)

    def _finish(self, connection: Connection, transfer: Transfer) -> None:
        values = {"state": TransferState.DONE.value, "ended_at": clock.now(), "total": transfer.handled}
        self.rows.update(connection, transfer.id, **values)
        counts = {tables.column(kind): number for kind, number in transfer.counts.items() if number}
        if counts:
            actor = Actor(transfer.by, Via.SYSTEM)
            record(connection, actor, "transfer.done", Subject("transfer", transfer.id, ""), after=counts)


# Tasks


log = structlog.get_logger(__name__)

RETRY = Retry(attempts=5)


def transfer(context: TaskContext, transfer: int) -> None:
    """Hand records to planning; after an interruption, the rest of them."""
    transfers = context.service(Transfers)
    try:
        transfers.carry_out(transfer, context.stopping)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except Exception as error:
        # A fault that comes again each time must not leave a transfer that says for ever: running.
        if context.attempt >= RETRY.attempts:
            transfers.fail(transfer, describe(error).error)
        raise
    done = transfers.get(transfer)
    counts = {kind.value: count for kind, count in done.counts.items() if count}
    log.info("transfer done", transfer=transfer, records=done.handled, **counts)


TASKS = (TaskKind(TRANSFER, transfer, retry=RETRY),)


# Conflicts: what a person changed in planning, and selection wants otherwise. A person decides


class Side(StrEnum):
    """Who is right."""

    PLANNING = "planning"
    SELECTION = "selection"


class Conflicts:
    def __init__(self, database: Database, planning: Planning) -> None:
        self._database = database
        self._planning = planning

    def settle(self, actor: Actor, number: int, side: Side) -> int:
        """Planning's values of a record stand, or the next transfer writes selection's; how many fields."""
        with self._database.transaction() as connection:
            one = writing.existing(connection, number, lock=True)
            links, planned = looked_up(connection, self._planning, [one])
            found = steps(one, ground(connection, self._planning), links.get(number, []), planned)
            settled = sum(_settle(connection, step, side) for step in found)
            if settled:
                facts = {"side": side.value, "fields": settled}
                about = Subject("record", number, one.name)
                record(connection, actor, "transfer.settled", about, after=facts)
                announce(connection, TOPIC)
            return settled


def _settle(connection: Connection, step: Step, side: Side) -> int:
    names: Sequence[str] = [one.name for one in step.contested]
    if step.link is None or step.before is None or not names:
        return 0
    now = step.before.facts()
    wanted = {one.name: one.new for one in step.contested}
    # What was asked for and is wanted still is not written again; what was not asked for is.
    asked = wanted if side is Side.PLANNING else {name: now[name] for name in names}
    tables.put_link(
        connection,
        record=step.record.id,
        domain=step.domain,
        placed=step.link.placed,
        asked={**step.link.asked, **asked},
        kept={**step.link.kept, **{name: now[name] for name in names}},
        transfer=step.link.transfer,
    )
    return len(names)
