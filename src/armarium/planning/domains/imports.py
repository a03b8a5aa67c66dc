"""Files of domains, read into the database by the million, in slices that are each a transaction.

First the lines are kept, as they are read; then the domains are made of them, in the order of their names, so
that all lines of a domain come together. Whatever is killed in between goes on after its last slice.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import NamedTuple

import psycopg
import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import ArmariumError, DatabaseAway, Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.domains.configurations import default_values
from armarium.planning.domains.import_files import SLICE, Line, Slice, slices_of
from armarium.planning.domains.model import Import
from armarium.planning.domains.queries import make_domains_from
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import domain_import
from armarium.planning.tables.domains import domain_import_line as kept
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped
from armarium.tasks.service import Tasks

COUNTS = ("lines", "created", "known", "repeated", "refused", "skipped")
#: Each domain once. Seeds of several lines are one list; the usual two where no line has one.
DOMAINS_OF_LINES = """
SELECT
    name,
    coalesce(
        string_agg(seed, E'\\n' ORDER BY line),
        'http://' || name || '/' || E'\\n' || 'http://www.' || name || '/'
    ) AS seeds,
    coalesce(max(comments), '') AS comments
FROM (
    SELECT name, seed, min(line) AS line, max(comments) AS comments FROM domain_import_line
    WHERE import = :import AND name BETWEEN :first AND :last
    GROUP BY name, seed
) AS each
GROUP BY name
"""
COPY = "COPY domain_import_line (import, line, name, seed, comments) FROM STDIN"
LARGE = 50_000  # new rows from which on the statistics for the planner are made anew at once


class Names(NamedTuple):
    """Names that follow each other."""

    number: int
    first: str
    last: str


def copy_lines(connection: Connection, number: int, lines: Iterable[Line]) -> None:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    with driver.cursor() as cursor, cursor.copy(COPY) as copy:
        for line in lines:
            copy.write_row((number, *line))


def prepare(connection: Connection) -> None:
    """Let the planner know of the lines that are kept."""
    connection.execute(sa.text("ANALYZE domain_import_line"))


def next_names(connection: Connection, number: int, most: int) -> Names:
    some = (
        sa.select(kept.c.name).where(kept.c["import"] == number).group_by(kept.c.name).order_by(kept.c.name)
    )
    name = some.limit(most).subquery().c.name
    count, first, last = connection.execute(
        sa.select(sa.func.count(), sa.func.min(name), sa.func.max(name))
    ).one()
    return Names(count, first or "", last or "")


def forget_lines(connection: Connection, number: int, last: str | None = None) -> int:
    """Those of names up to the last, or all; how many there were."""
    mine = kept.c["import"] == number
    chosen = mine if last is None else sa.and_(mine, kept.c.name <= last)
    return connection.execute(sa.delete(kept).where(chosen)).rowcount


def refresh(connection: Connection, created: int) -> None:
    """Leave the search as fast as it was: fresh statistics, and no unsorted rest in the index of trigrams."""
    if created >= LARGE:
        connection.execute(sa.text("SELECT gin_clean_pending_list('domain_trigrams_index')"))
        connection.execute(sa.text("ANALYZE domain, seed_list, configuration"))


def unread(connection: Connection, state: str, before: datetime) -> list[int]:
    old = sa.select(domain_import.c.id).where(
        domain_import.c.state == state, domain_import.c.begun_at < before
    )
    return list(connection.scalars(old))


all_imports = Rows(domain_import, Import, order=(domain_import.c.id.desc(),))


def imports(connection: Connection, limit: int, offset: int = 0) -> tuple[list[Import], int]:
    """The latest first; their faults are read only for one."""
    columns = [column for column in domain_import.c if column.name != "faults"]
    chosen = sa.select(*columns, sa.literal([], type_=domain_import.c.faults.type).label("faults"))
    rows = connection.execute(
        chosen.order_by(domain_import.c.id.desc()).limit(limit).offset(offset)
    ).mappings()
    total = connection.scalar(sa.select(sa.func.count()).select_from(domain_import))
    return [all_imports.value(row) for row in rows], total or 0


# The verbs ------------------------------------------------------------------------------------------


TOPIC = "imports"
TASK = "planning.import"
MOST_FAULTS = 1000  # kept for the report; all are counted
READING, RUNNING, DONE, FAILED = "reading", "running", "done", "failed"
UNDER_WAY = (READING, RUNNING)
FORGOTTEN = timedelta(days=7)  # after which nobody will give the rest of a file any more


class WrongFile(Refused):
    """What was read stays as it is, for whoever has the file."""


def unheard(_now: Import) -> None:
    """Nobody looks on."""


def _existing(connection: Connection, number: int, *, lock: bool = False) -> Import:
    missing = message("There is no import with the number %(number)s.", number=number)
    return existing(all_imports.by_id(connection, number, lock=lock), missing)


class Imports:
    def __init__(self, database: Database, tasks: Tasks, settings: PlanningSettings) -> None:
        self._database = database
        self._tasks = tasks
        self._settings = settings

    #: Imports, the latest first, and how many there are.
    page = reading(imports)

    get = reading(_existing)

    def run(
        self,
        actor: Actor,
        name: str,
        text: Iterable[str],
        *,
        origin: str = "",
        resume: int | None = None,
        told: Callable[[Import], None] = unheard,
    ) -> Import:
        """Make the domains of a file that there are not yet; those that there are stay as they are.

        The same file a second time makes nothing. `origin`: where they come from; else the file's name.
        `resume`: the import of this file that was interrupted. `told`: is shown it after each slice.
        """
        begun = self.begin(actor, name, origin or name) if resume is None else self.get(resume)
        if begun.state == READING:
            self.read(begun, text, told=told)
        return self.make(begun.id, told=told)

    def begin(self, actor: Actor, name: str, origin: str) -> Import:
        with self._database.transaction() as connection:
            default_values(connection, self._settings, origin)  # refused now, not after a million lines
            values = {"name": name, "state": READING, "begun_at": clock.now(), "by": actor.name}
            begun = all_imports.new(connection, **values, origin=origin, actor=asdict(actor))
            announce(connection, TOPIC)
            return begun

    def read(self, begun: Import, text: Iterable[str], *, told: Callable[[Import], None] = unheard) -> None:
        """Keep the lines of a file that were not read yet; at its end a worker is asked to `make`."""
        told(begun)
        try:
            for one in slices_of(text, begun.lines):
                self._keep_slice(begun.id, one)
                told(self.get(begun.id))
        except (DatabaseAway, WrongFile):
            raise  # to be resumed
        except Exception as error:
            self._fail(begun.id, error)
            raise
        with self._database.transaction() as connection:
            all_imports.update(connection, begun.id, state=RUNNING)
            prepare(connection)
            # Should whoever waits for it be killed, a worker makes the rest.
            self._tasks.defer(connection, TASK, {"number": begun.id})

    def make(
        self,
        number: int,
        *,
        stopping: Callable[[], bool] = never,
        told: Callable[[Import], None] = unheard,
    ) -> Import:
        """Make the domains of an import that was read. Two at once take turns, a slice each."""
        try:
            while more := self._make_slice(number):
                told(self.get(number))
                if stopping():
                    break
        except DatabaseAway:
            raise  # it goes on where it was
        except Exception as error:
            self._fail(number, error)
            raise
        if more:
            raise TaskStopped
        return self.get(number)

    def clear(self) -> None:
        """Give up what was not read to its end, days ago."""
        with self._database.transaction() as connection:
            left = unread(connection, READING, clock.now() - FORGOTTEN)
        for number in left:
            self._fail(number, Refused(message("The file was not read to its end. Import it again.")))

    # Steps

    def _keep_slice(self, number: int, one: Slice) -> None:
        with self._database.transaction() as connection:
            known = _existing(connection, number, lock=True)
            if known.state != READING or known.lines != one.begin or one.end < one.begin:
                raise WrongFile(
                    message(
                        "Import %(number)s cannot go on with this file: it is shorter than what was read of "
                        "it, or somebody else reads it at the same time.",
                        number=number,
                    )
                )
            copy_lines(connection, number, one.good)
            counts = {"refused": known.refused + len(one.faults), "skipped": known.skipped + one.skipped}
            shown = [*known.faults, *(fault.kept() for fault in one.faults)][:MOST_FAULTS]
            all_imports.update(connection, number, lines=one.end, faults=shown, **counts)
            announce(connection, TOPIC)

    def _make_slice(self, number: int) -> bool:
        """Whether there was anything to do."""
        with self._database.transaction() as connection:
            known = _existing(connection, number, lock=True)
            if known.state != RUNNING:
                return False
            names = next_names(connection, number, SLICE)
            if names.number == 0:
                self._finish(connection, known)
                return False
            common = default_values(connection, self._settings, known.origin)
            given = {**common, "import": number, "first": names.first, "last": names.last}
            created = make_domains_from(connection, DOMAINS_OF_LINES, given)
            lines = forget_lines(connection, number, names.last)
            all_imports.update(
                connection,
                number,
                created=known.created + created,
                known=known.known + names.number - created,
                repeated=known.repeated + lines - names.number,
            )
            announce(connection, TOPIC)
            announce(connection, "domains")
            return True

    def _finish(self, connection: Connection, known: Import) -> None:
        refresh(connection, known.created)
        all_imports.update(connection, known.id, state=DONE, ended_at=clock.now())
        about = Subject("import", known.id, known.name)
        counts = {name: getattr(known, name) for name in COUNTS}
        actor = Actor(**{**known.actor, "via": Via(known.actor["via"])})
        record(connection, actor, "domains.imported", about, after={"origin": known.origin, **counts})
        announce(connection, TOPIC)

    def _fail(self, number: int, error: Exception) -> None:
        said = str(error) if isinstance(error, ArmariumError) else type(error).__name__
        with self._database.transaction() as connection:
            if _existing(connection, number, lock=True).state in UNDER_WAY:
                forget_lines(connection, number)
                all_imports.update(connection, number, state=FAILED, ended_at=clock.now(), error=said)
            announce(connection, TOPIC)
