"""Files of domains, read into the database by the million: all of a file, or nothing of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.planning.domains import import_queries as queries
from armarium.planning.domains.configurations import default_values
from armarium.planning.domains.lines import Fault, Line, lines_of
from armarium.planning.domains.model import Import
from armarium.planning.domains.queries import make_domains_from
from armarium.planning.settings import PlanningSettings

TOPIC = "imports"
MOST_FAULTS = 1000  # kept for the report; all are counted
RUNNING, DONE, FAILED = "running", "done", "failed"


@dataclass
class Tally:
    """What a file turned out to be, while it is read."""

    lines: int = 0  # all of them
    named: int = 0  # those that name a domain
    refused: int = 0
    faults: list[dict[str, Any]] = field(default_factory=list)

    def counts(self, created: int, names: int) -> dict[str, int]:
        """What became of the lines, each counted once. `names`: different domains in the file."""
        return {
            "lines": self.lines,
            "created": created,
            "known": names - created,
            "repeated": self.named - names,
            "refused": self.refused,
            "skipped": self.lines - self.named - self.refused,
        }

    def note(self, fault: Fault) -> None:
        self.refused += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault.kept())


class Imports:
    def __init__(self, database: Database, settings: PlanningSettings) -> None:
        self._database = database
        self._settings = settings

    def page(self, *, limit: int, offset: int = 0) -> tuple[list[Import], int]:
        """Imports, the latest first, and how many there are."""
        with self._database.transaction() as connection:
            return queries.imports(connection, limit, offset)

    def get(self, number: int) -> Import:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    def run(self, actor: Actor, name: str, text: Iterable[str], *, origin: str = "") -> Import:
        """Make the domains of a file that there are not yet; those that there are stay as they are.

        The same file a second time makes nothing. `origin`: where they come from; else the file's name.
        """
        with self._database.transaction() as connection:
            values = {"name": name, "state": RUNNING, "begun_at": clock.now(), "by": actor.name}
            number = queries.insert_import(connection, values)
            announce(connection, TOPIC)
        try:
            with self._database.transaction() as connection:
                self._take_in(connection, actor, number, text, origin or name)
        except BaseException as error:
            self._note_failure(number, error)
            raise
        return self.get(number)

    def _take_in(
        self, connection: Connection, actor: Actor, number: int, text: Iterable[str], origin: str
    ) -> None:
        common = default_values(connection, self._settings, origin)
        tally = Tally()
        queries.copy_lines(connection, _good(text, tally))
        created = make_domains_from(connection, queries.DOMAINS_OF_LINES, common)
        counts = tally.counts(created, queries.count_names(connection))
        queries.finish(connection)
        queries.update_import(
            connection, number, **counts, state=DONE, ended_at=clock.now(), faults=tally.faults
        )
        about = Subject("import", number, _existing(connection, number).name)
        record(connection, actor, "domains.imported", about, after={"origin": origin, **counts})
        announce(connection, TOPIC)
        announce(connection, "domains")

    def _note_failure(self, number: int, error: BaseException) -> None:
        said = str(error) if isinstance(error, ArmariumError) else type(error).__name__
        with self._database.transaction() as connection:
            queries.update_import(connection, number, state=FAILED, ended_at=clock.now(), error=said)
            announce(connection, TOPIC)


def _good(text: Iterable[str], tally: Tally) -> Iterator[Line]:
    for found in lines_of(_counted(text, tally)):
        if isinstance(found, Fault):
            tally.note(found)
        else:
            tally.named += 1
            yield found


def _counted(text: Iterable[str], tally: Tally) -> Iterator[str]:
    for line in text:
        tally.lines += 1
        yield line


def _existing(connection: Connection, number: int) -> Import:
    found = queries.import_by_id(connection, number)
    if found is None:
        raise NotFound(message("There is no import with the number %(number)s.", number=number))
    return found
