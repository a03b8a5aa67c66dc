"""What people may ask of the chain, each with its entry in the audit log."""

from collections.abc import Sequence
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.index.chain.model import MAIN, IndexedFile, Level, LevelFigures, Totals
from armarium.index.chain.service import INDEX, Chain
from armarium.index.chain.steps import TOPIC
from armarium.index.upkeep import queries
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind
from armarium.tasks.service import Tasks

# Merges that a person asked for


MERGE = "index.merge"


def merge_now(context: TaskContext, big: bool) -> None:
    """Put the runs of files into runs of their days, and those into the big one if that is wanted."""
    chain = context.service(Chain)
    chain.merge_days(context.stopping)
    if big:
        chain.merge_big(context.stopping, now=True)


TASKS = (TaskKind(MERGE, merge_now, retry=NEVER_AGAIN, priority=5),)


# What people may ask of the chain, each with its entry in the audit log


PATHS = "index.paths"  # the kinds of task declared in chain/tasks.py
SWEEP = "index.sweep"
THE_INDEX = Subject("index", MAIN, MAIN)


class Upkeep:
    """Made where it is needed: it has nothing of its own."""

    def __init__(self, database: Database, chain: Chain, tasks: Tasks) -> None:
        self._database = database
        self._chain = chain
        self._tasks = tasks

    @classmethod
    def of(cls, services: Services) -> "Upkeep":
        return cls(services.get(Database), services.get(Chain), services.get(Tasks))

    # Reading

    def totals(self) -> Totals:
        # Lines are told by the few runs, not summed up over millions of files: the page asks for this often.
        levels = self.levels().values()
        with self._database.transaction() as connection:
            files, failed = queries.counts(connection)
        return Totals(files, failed, sum(one.lines for one in levels), sum(one.bytes for one in levels))

    def levels(self, collection: str = MAIN) -> dict[Level, LevelFigures]:
        number = self._chain.collections.named(collection).id
        with self._database.transaction() as connection:
            return queries.levels(connection, number)

    def longest(self, level: Level, most: int, collection: str = MAIN) -> list[int]:
        """Lines of the longest runs of a level."""
        number = self._chain.collections.named(collection).id
        with self._database.transaction() as connection:
            return queries.lines_of_runs(connection, number, level, most)

    def failed(self, *, limit: int, offset: int = 0) -> list[IndexedFile]:
        with self._database.transaction() as connection:
            return queries.troubled(connection, limit, offset)

    def by_day(self, days: Sequence[date], zone: str) -> list[int]:
        """Captures that were indexed on each of these days."""
        midnight = datetime.combine(days[0], time(), ZoneInfo(zone))
        with self._database.transaction() as connection:
            found = queries.lines_by_day(connection, midnight, zone)
        return [found.get(day, 0) for day in days]

    def file(self, number: int) -> IndexedFile:
        missing = message("File %(number)s is not in the index.", number=number)
        return existing(self._chain.get(number), missing)

    def problems(self, number: int) -> list[str]:
        """The first ones that reading the file met, though it could be indexed."""
        with self._database.transaction() as connection:
            return queries.problems_of(connection, number)

    # Asking

    def merge(self, actor: Actor, *, big: bool = False) -> bool:
        """Merge as soon as a worker is free; False if that is waiting already."""
        lock = f"{MERGE}:{'big' if big else 'days'}"
        with self._database.transaction() as connection:
            task = self._tasks.defer(connection, MERGE, {"big": big}, lock=MERGE, queueing_lock=lock)
            record(connection, actor, "index.merge_asked", THE_INDEX, after={"big": big})
        return task is not None

    def write_paths(self, actor: Actor) -> bool:
        with self._database.transaction() as connection:
            # The locks of the periodic task itself: it never runs beside itself.
            task = self._tasks.defer(connection, PATHS, {}, lock=PATHS, queueing_lock=PATHS)
            record(connection, actor, "index.paths_asked", THE_INDEX)
        return task is not None

    def rebuild(self, actor: Actor) -> int:
        """Make all of the index anew; the number of files. They are asked for at once."""
        files = self._chain.rebuild(actor)
        with self._database.transaction() as connection:
            self._tasks.defer(connection, SWEEP, {}, lock=SWEEP, queueing_lock=SWEEP)
        return files

    def retry(self, actor: Actor, number: int) -> IndexedFile:
        """Try a file again that failed."""
        file = self.file(number)
        with self._database.transaction() as connection:
            if not queries.ask_again(connection, [number]):
                raise Refused(
                    message("%(name)s has not failed, so there is nothing to retry.", name=file.name)
                )
            lock = f"index:{number}"
            self._tasks.defer(connection, INDEX, {"file": number}, lock=lock, queueing_lock=lock)
            record(connection, actor, "index.retried", Subject("file", number, file.name))
            announce(connection, TOPIC)
        return file

    def retry_all(self, actor: Actor) -> int:
        """Try all files again that failed; how many. The sweep, which runs each minute, asks for them."""
        with self._database.transaction() as connection:
            asked = queries.ask_again(connection)
            if asked:
                self._tasks.defer(connection, SWEEP, {}, lock=SWEEP, queueing_lock=SWEEP)
                record(connection, actor, "index.retried", THE_INDEX, after={"files": len(asked)})
                announce(connection, TOPIC)
        return len(asked)
