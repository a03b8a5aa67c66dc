"""Looking at files: lists with their copies, and the whole history of one."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning, counted_off
from armarium.storage import history
from armarium.storage.figures import KeptFigures
from armarium.storage.files import queries
from armarium.storage.files.model import Amount, Figures, FileFilter
from armarium.storage.history import Check, Event, Occurrence, checks_of
from armarium.storage.model import File

FILES = "files"  # the name of the figures


def figures_of_files(connection: Connection) -> dict[str, Any]:
    counted = asdict(queries.figures(connection))
    counted.pop("as_of")
    return counted


class Catalogue:
    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, sought: FileFilter, *, limit: int, offset: Beginning = 0) -> tuple[list[File], Amount]:
        """Files, newest first, and how much there is in all."""
        amount = None
        if sought == FileFilter():
            all_files = self.figures()
            amount = Amount(all_files.files, all_files.bytes)
        with self._database.transaction() as connection:
            return queries.page(connection, sought, limit, offset, amount)

    def figures(self) -> Figures:
        counted, at = KeptFigures(self._database).get(FILES, figures_of_files)
        return Figures(**counted, as_of=at)

    marks_of = reading(queries.marks)
    replica_names = reading(queries.replica_names)
    latest_harvests = reading(queries.latest_harvests)
    named_like = reading(queries.named_like)

    def history(self, file: int, *, limit: int, offset: Beginning = 0) -> tuple[list[Occurrence], int]:
        """Events and checks together, newest first, and how many there are in all."""
        with self._database.transaction() as connection:
            total = history.times_noted(connection, file)
            first = counted_off(limit, offset, total)
            last = first + limit
            names = queries.replica_names(connection)
            events = history.events(connection, file=file, limit=last)
            checks = checks_of(connection, file, last)
        found = [*(_of_event(one, names) for one in events), *(_of_check(one) for one in checks)]
        # Where moments are equal, what a check led to stands above it.
        found.sort(key=lambda one: (one.at, bool(one.kind)), reverse=True)
        return found[first:last], total


def _of_event(event: Event, names: dict[int, str]) -> Occurrence:
    return Occurrence(
        at=event.at,
        kind=event.kind,
        replica=names.get(event.replica, "") if event.replica else "",
        actor=event.actor,
        details=event.details,
    )


def _of_check(check: Check) -> Occurrence:
    found = {check.algorithm: check.found} if check.found else {}
    return Occurrence(
        at=check.at,
        kind="",
        outcome=check.outcome.value,
        replica=check.replica_name,
        details=found,
        audit=check.audit,
    )
