"""Collections: sets of files with an index of their own, chosen by harvest and by accession."""

import re
from collections.abc import Callable, Container, Iterator, Sequence

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import SYSTEM, Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.core.storing import StoredFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.formats.cdx.index import merge as merged_lines
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.chain.model import Choice, Collection, Kind, Level, RunRow
from armarium.index.chain.publishing import Press, cdx_piece, changed_meanwhile
from armarium.index.chain.steps import TOPIC, Alarm, Progress, Steps
from armarium.index.runs import BadRun, Run, RunWriter
from armarium.index.runs.facts import filename_of
from armarium.index.settings import IndexSettings
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped
from armarium.tasks.service import Tasks

FILL = "index.collection"  # the kind of task declared in tasks.py
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}\Z")
HARVEST = "harvest-{}"
_OFTEN = 10_000  # lines between two looks at whether to stop


class Collections:
    def __init__(
        self,
        database: Database,
        press: Press,
        settings: IndexSettings,
        tasks: Tasks,
        steps: Steps,
        alarm: Alarm,
        harvest_name: Callable[[Connection, int], str],
    ) -> None:
        self.database = database
        self._press = press
        self._settings = settings
        self._tasks = tasks
        self._steps = steps
        self._alarm = alarm
        self._harvest_name = harvest_name

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[Collection], int]:
        with self.database.transaction() as connection:
            return collection_queries.page(connection, limit, offset)

    def get(self, number: int) -> Collection:
        with self.database.transaction() as connection:
            found = collection_queries.get(connection, number)
        return _there(found, number)

    def named(self, name: str) -> Collection:
        with self.database.transaction() as connection:
            return _there(collection_queries.named(connection, name), name)

    def add(self, actor: Actor, name: str, choice: Choice) -> Collection:
        if not NAME.match(name) or name.startswith(HARVEST.format("")):
            told = message(
                "Use lower-case letters, digits and hyphens. Names starting with “harvest-” are reserved."
            )
            raise Refused(told, field="name")
        values = {"name": name, **choice.described()}
        del values["active"]
        with self.database.transaction() as connection:
            number = collection_queries.add(connection, values, actor.name)
            if number is None:
                raise Refused(
                    message("There is already a collection named %(name)s.", name=name), field="name"
                )
            record(connection, actor, "collection.added", Subject("collection", number, name), after=values)
            self._ask_to_fill(connection, number)
        return self.get(number)

    def change(self, actor: Actor, number: int, edition: int, choice: Choice) -> Collection:
        """A collection that has other files now is made anew; until then it answers as it did."""
        after = choice.described()
        with self.database.transaction() as connection:
            before = _there(collection_queries.get(connection, number, hold=True), number)
            if before.everything:
                raise Refused(message("The collection that holds everything cannot be changed."))
            if not collection_queries.change(connection, number, edition, after):
                raise Refused(
                    message("Somebody else has changed this collection in the meantime. Reload the page.")
                )
            old = before.choice.described()
            subject = Subject("collection", number, before.name)
            record(connection, actor, "collection.changed", subject, before=old, after=after)
            if {**old, "title": choice.title} != after:
                self._give_up_content(connection, number, active=choice.active)
                self._ask_to_fill(connection, number)
        return self.get(number)

    def of(self, connection: Connection, file: StoredFile) -> list[Collection]:
        """Those to which a file belongs; that of its harvest is made if there is none."""
        if self._settings.per_harvest and file.harvest is not None:
            name = HARVEST.format(file.harvest)
            title = self._harvest_name(connection, file.harvest)
            values = {"name": name, "title": title, "harvests": [file.harvest]}
            number = collection_queries.add(connection, values, SYSTEM.name)
            if number is not None:
                self._ask_to_fill(connection, number)  # what was indexed before there was one
        return collection_queries.having(connection, file.harvest, file.accession)

    def names_of(self, harvest: int | None, accession: int | None) -> tuple[str, ...]:
        """The names of those to which files of a harvest or an accession belong."""
        with self.database.transaction() as connection:
            found = collection_queries.having(connection, harvest, accession)
        return tuple(one.name for one in found)

    def fill(self, number: int, stopping: Callable[[], bool] = never) -> int:
        """Give a collection the lines of its files that it does not have, from the index of everything."""
        with self.database.transaction() as connection:
            collection = collection_queries.get(connection, number, hold=True)
            if collection is None or not collection.active or collection.everything:
                return 0
            lacking = file_queries.lacking(connection, number, collection.harvests, collection.accessions)
            if not lacking:
                settle(connection, collection)
                announce(connection, TOPIC)
                return 0
            [main] = [one for one in collection_queries.active(connection) if one.everything]
            runs = run_queries.live(connection, main.id)
        try:
            with self._steps.step("collection", collection.name, sum(run.lines for run in runs)) as progress:
                self._fill(collection, lacking, runs, stopping, progress)
        except BadRun as bad:
            self._alarm.ring(bad)
            raise
        return len(lacking)

    def _fill(
        self,
        collection: Collection,
        lacking: dict[int, str],
        runs: Sequence[RunRow],
        stopping: Callable[[], bool],
        progress: Progress,
    ) -> None:
        names = frozenset(lacking.values())
        with self._press.workplace() as folder:
            path = folder / "piece"
            sources = [_of_files(Run(self._press.place, run.name), names, stopping) for run in runs]
            with RunWriter(path) as writer:
                writer.add(_counted(merged_lines(*sources), progress))
                facts = writer.finish()
            piece = cdx_piece(facts, collection.id, collection.name, Level.BIG)
            new = self._press.publish(piece, path)
        with self.database.transaction() as connection:
            # Lines of a file whose content is another one by now would be found with the new ones.
            if not file_queries.still_indexed(connection, lacking):
                raise changed_meanwhile()
            now = collection_queries.get(connection, collection.id, hold=True)
            added = file_queries.add_memberships(connection, new.id, collection.id, Kind.CDX, lacking)
            # A file that is here already by another way would be here twice.
            if now != collection or added < len(lacking) or not run_queries.make_live(connection, new.id):
                raise changed_meanwhile()
            settle(connection, collection)
            announce(connection, TOPIC)

    def _give_up_content(self, connection: Connection, number: int, *, active: bool) -> None:
        if active:
            file_queries.let_stand(connection, number)
            run_queries.let_stand(connection, number)
        else:
            file_queries.forget_memberships(connection, number)
            run_queries.retire_of(connection, number)

    def _ask_to_fill(self, connection: Connection, number: int) -> None:
        lock = f"index-collection:{number}"
        self._tasks.defer(connection, FILL, {"collection": number}, lock=lock, queueing_lock=lock)
        announce(connection, TOPIC)


def settle(connection: Connection, collection: Collection) -> bool:
    """Let what stood for a collection go, if it has everything anew; whether it has. Its row must be held."""
    if not file_queries.has_standing(connection, collection.id):
        return True
    if file_queries.awaited(connection, collection):
        return False
    if not collection.everything and file_queries.lacking(
        connection, collection.id, collection.harvests, collection.accessions
    ):
        return False
    file_queries.forget_memberships(connection, collection.id, Kind.STANDING)
    run_queries.retire_needless(connection)
    return True


def _of_files(run: Run, names: Container[str], stopping: Callable[[], bool]) -> Iterator[bytes]:
    for number, line in enumerate(run.scan()):
        if number % _OFTEN == 0 and stopping():
            raise TaskStopped
        if (filename_of(line) or "") in names:
            yield line


def _counted(lines: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number % _OFTEN == 0:
            progress(number)
        yield line


def _there(found: Collection | None, which: object) -> Collection:
    return existing(found, message("There is no collection %(which)s in the index.", which=which))
