"""From a stored file to lines that are found."""

from collections.abc import Callable
from pathlib import Path

import structlog

from armarium.core.message import message
from armarium.core.storing import StoredFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.chain.children import Indexer
from armarium.index.chain.collections import Collections
from armarium.index.chain.companions import BadCompanion, use_companion
from armarium.index.chain.merging import Merger
from armarium.index.chain.model import (
    MAIN,
    UNFINISHED,
    Archive,
    Indexed,
    IndexedFile,
    IndexState,
    Kind,
    Level,
    RunRow,
)
from armarium.index.chain.publishing import Press, cdx_piece, changed_meanwhile
from armarium.index.chain.steps import TOPIC
from armarium.index.runs import RunFacts
from armarium.index.settings import IndexSettings
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.tasks.context import never

log = structlog.get_logger(__name__)


class Filing:
    def __init__(
        self,
        database: Database,
        archive: Archive,
        settings: IndexSettings,
        press: Press,
        collections: Collections,
        merger: Merger,
        notifier: Notifier,
    ) -> None:
        self._database = database
        self._archive = archive
        self._settings = settings
        self._press = press
        self._collections = collections
        self._merger = merger
        self._notifier = notifier
        self._indexer = Indexer()

    def index(self, file_id: int, stopping: Callable[[], bool] = never) -> None:
        """Make the lines of a file findable; nothing is done if they are."""
        with self._database.transaction() as connection:
            known = file_queries.get(connection, file_id)
        if known is None or known.state not in UNFINISHED:
            return
        file = self._stored(file_id)
        if file is None:
            return  # withdrawn meanwhile; it will be announced again
        if known.sha256 and known.sha256 != file.sha256:
            self._drop_stale(file_id, stopping)
        with self._press.workplace() as folder:
            path = folder / "piece"
            facts, made = self._make(file, path, stopping)
            with self._database.transaction() as connection:
                main = collection_queries.named(connection, MAIN)
            assert main is not None, "the migration makes it"
            day = known.day
            run = (
                self._press.publish(cdx_piece(facts, main.id, "", Level.FILE, day), path)
                if facts.lines
                else None
            )
        self._make_findable(file, known, run, made)

    def note_failure(self, file_id: int, error: str) -> None:
        """It was tried often enough: a person should know."""
        with self._database.transaction() as connection:
            known = file_queries.hold(connection, file_id)
            if known is None or known.state not in UNFINISHED:
                return
            state = IndexState.FAILED if known.state is not IndexState.AGAIN else IndexState.AGAIN
            file_queries.set_state(connection, file_id, state, error=error)
            self._notifier.notify(connection, _failed(known.name, error))
            announce(connection, TOPIC)

    def _make(self, file: StoredFile, path: Path, stopping: Callable[[], bool]) -> tuple[RunFacts, Indexed]:
        companion = file.companion
        if companion is not None and companion.suffix == ".cdxj" and companion.is_file():
            try:
                with self._archive.open(file.name) as opened:
                    facts = use_companion(companion, file, opened, self._settings.sample, path)
                return facts, Indexed(facts.lines, "companion")
            except BadCompanion as error:
                log.warning("index that came with a file not used", file=file.name, reason=str(error))
        return self._indexer.make(lambda: self._archive.open(file.name), file.name, file.size, path, stopping)

    def _make_findable(self, file: StoredFile, known: IndexedFile, run: RunRow | None, made: Indexed) -> None:
        with self._database.transaction() as connection:
            now = file_queries.hold(connection, file.id)
            if now is None or now.state not in UNFINISHED:
                return  # withdrawn, or indexed by another: what was made is cleaned away
            # Whoever gives a file another content asks for it again in the same transaction.
            if now.asked_at != known.asked_at:
                raise changed_meanwhile()
            if run is not None:
                if not run_queries.make_live(connection, run.id):
                    raise changed_meanwhile()
                for collection in self._collections.of(connection, file):
                    for kind in (Kind.CDX, Kind.ROWS) if collection.everything else (Kind.CDX,):
                        file_queries.add_memberships(connection, run.id, collection.id, kind, [file.id])
                run_queries.retire_empty(connection, [run.id])
            file_queries.set_indexed(connection, file, made.lines, made.made_from, made.problems)
            self._archive.taken_over(connection, file.id)
            announce(connection, TOPIC)

    def _drop_stale(self, file_id: int, stopping: Callable[[], bool]) -> None:
        """Lines of a content that the file no longer has must be gone before the new ones come."""
        with self._database.transaction() as connection:
            collections = {one.id: one for one in collection_queries.active(connection)}
            held = file_queries.memberships(connection, file_id)
            runs = {
                run.id: run
                for run in run_queries.all_answering(connection)
                if run.id in {r for _, _, r in held}
            }
            for number, kind, run in held:
                if runs[run].level is Level.FILE:
                    file_queries.drop_memberships(connection, number, kind, [run], [file_id])
                    run_queries.retire_empty(connection, [run])
        for number, kind, run in held:
            if runs[run].level is not Level.FILE and number in collections:
                self._merger.rewrite(collections[number], kind, runs[run], stopping)

    def _stored(self, file_id: int) -> StoredFile | None:
        found = self._archive.stored_after(file_id - 1, 1)
        return found[0] if found and found[0].id == file_id else None

    def close(self) -> None:
        self._indexer.close()


def _failed(name: str, error: str) -> Notification:
    return Notification(
        Severity.ERROR,
        message("A file could not be indexed"),
        message(
            "%(name)s could not be indexed, so its captures cannot be found: %(error)s It will be "
            "retried tomorrow. Check the file (armarium warc validate) and its task on the page "
            "Tasks.",
            name=name,
            error=error,
        ),
        key=f"index failed {name}",
    )
