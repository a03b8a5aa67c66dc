"""The presence check: every name in the replica is compared with the register, both ways.

First the replica is listed, and what the register knows is marked as seen; a name that it does not know is
strange, and so is whatever lies where no copy belongs. Then those that should have been in the listing and
were not are asked for one by one: only a copy that is asked for by its name and is not there is called
missing.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.text import storable
from armarium.db.announce import announce
from armarium.storage import history
from armarium.storage.audits import queries
from armarium.storage.audits.runner import BATCH, TOPIC, Runner
from armarium.storage.backends.place import Held, Stranger
from armarium.storage.files.checking import AUDITED, Finding, Subject
from armarium.storage.files.copies import CHECK
from armarium.storage.history import EventKind
from armarium.storage.model import AuditKind, CheckOutcome, CopyState
from armarium.tasks.service import Tasks

LISTED = "/"  # the cursor after the listing: no name has one; before, it is the last name
MOST_STRANGE = 1000  # events of one run; more are counted


class PresenceCheck:
    def __init__(self, runner: Runner, tasks: Tasks, since: datetime) -> None:
        self._runner = runner
        self._run = runner.run
        self._tasks = tasks
        self._since = since  # when the run began, in whichever process
        self._strange = runner.run.strange
        self._met: list[Stranger] = []  # in the listing, and not yet written down

    def go(self) -> None:
        if self._run.cursor != LISTED:
            self._list()
        self._ask_for_unseen()
        self._runner.stop_if_asked(now=True)

    def _list(self) -> None:
        for began, batch in self._batches():
            with self._runner.database.transaction() as connection:
                figures = self._compare(connection, batch, began)
                cursor = batch[-1].name if len(batch) == BATCH else LISTED
                queries.count(connection, self._run.id, clock.now(), figures, cursor)
                announce(connection, TOPIC)
            self._runner.stop_if_asked()

    def _batches(self) -> Iterator[tuple[datetime, list[Held]]]:
        """Names in the order of the replica; the last batch is not full, and has met all strangers."""
        names = self._runner.checker.place.names(self._run.cursor, self._met.append)
        while True:
            began = clock.now()
            batch = list(islice(names, BATCH))
            yield began, batch
            if len(batch) < BATCH:
                return

    def _compare(self, connection: Connection, batch: list[Held], began: datetime) -> Counter[str]:
        known = queries.known_copies(connection, self._run.replica, [held.name for held in batch])
        figures: Counter[str] = Counter(strange=len(self._met))
        for stranger in self._met:
            self._note_strange(connection, stranger.key, stranger.size)
        self._met.clear()
        present: list[int] = []
        for held in batch:
            row = known.get(held.name)
            if row is None or row.state is None:
                figures["strange"] += 1
                self._note_strange(connection, held.name, held.size)
            elif row.state in AUDITED:
                figures["files"] += 1
                if held.size == row.size:
                    present.append(row.id)
                    self._read_again(connection, row)
                else:
                    figures[self._other_size(connection, held, row, began)] += 1
        queries.note_present(connection, self._run, present, clock.now())
        figures["ok"] += len(present)
        return figures

    def _other_size(self, connection: Connection, held: Held, row: Any, began: datetime) -> str:
        subject = Subject(row.id, row.name, row.size, row.sha256, row.blake3)
        outcome = CheckOutcome.UNREADABLE if held.size < 0 else CheckOutcome.CORRUPT
        finding = Finding(subject, AuditKind.PRESENCE, outcome, began, size=max(held.size, 0))
        return self._runner.note_one(connection, finding)

    def _read_again(self, connection: Connection, row: Any) -> None:
        """A copy that was missing is there again: whether it is well only its bytes can tell."""
        if row.state == CopyState.MISSING:
            arguments = {"file": row.id, "replica": self._run.replica}
            key = f"{CHECK}:{row.id}:{self._run.replica}"
            self._tasks.defer(connection, CHECK, arguments, queueing_lock=key)

    def _note_strange(self, connection: Connection, name: str, size: int) -> None:
        self._strange += 1
        if self._strange <= MOST_STRANGE:
            details = {"name": storable(name), "size": size, "audit": self._run.id}
            history.note(connection, EventKind.STRANGE, replica=self._run.replica, details=details)

    def _ask_for_unseen(self) -> None:
        after = 0
        while True:
            with self._runner.database.transaction() as connection:
                unseen = queries.unseen(connection, self._run, self._since, after, BATCH)
            if not unseen:
                return
            findings = [self._runner.checker.presence(subject) for subject in unseen]
            after = unseen[-1].file
            with self._runner.database.transaction() as connection:
                figures = Counter(self._runner.note_one(connection, finding) for finding in findings)
                figures["files"] = len(findings)
                queries.count(connection, self._run.id, clock.now(), figures, LISTED)
                announce(connection, TOPIC)
            self._runner.stop_if_asked()
