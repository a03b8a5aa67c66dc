"""The verbs of digests: choose how often, and write those that are due."""

from datetime import timedelta

import structlog
from sqlalchemy import Connection

from armarium.accounts.model import Permission, Role
from armarium.accounts.rules import PERMISSIONS, permissions_of
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.db.database import Database
from armarium.notify.model import Letter
from armarium.notify.tasks import Letters
from armarium.selection import permissions
from armarium.selection.digests import tables
from armarium.selection.digests.model import News, Reader, Rhythm, written
from armarium.selection.nominations import tables as nomination_queries
from armarium.selection.nominations.model import NominationState
from armarium.selection.permissions import Editor
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

#: How far back the first digest of a person looks.
FIRST = timedelta(days=7)


class Digests:
    def __init__(self, database: Database, letters: Letters, site: str) -> None:
        self._database = database
        self._letters = letters
        self._site = site  # its address, for links

    @property
    def are_sent(self) -> bool:
        return self._letters.are_sent

    def of(self, account: int) -> Reader | None:
        with self._database.transaction() as connection:
            return tables.reader(connection, account)

    def choose(self, account: int, rhythm: Rhythm) -> None:
        """One's own wish: nobody else's business, so the audit log has nothing of it."""
        with self._database.transaction() as connection:
            tables.put(connection, account, rhythm=rhythm.value)

    def write_due(self) -> int:
        """Write the digests that are due; each in its own transaction, so that none comes twice."""
        with self._database.transaction() as connection:
            found = tables.readers(connection, _roles())
        return sum(self._write(one.account) for one in found if one.is_due(clock.now()))

    def preview(self, account: int) -> News:
        """What the next one would say."""
        with self._database.transaction() as connection:
            reader = tables.reader(connection, account)
            return _news(connection, reader) if reader else News()

    def _write(self, account: int) -> bool:
        with self._database.transaction() as connection:
            reader = tables.reader(connection, account, lock=True)
            if reader is None or not reader.is_due(clock.now()):
                return False  # another worker was faster
            news = _news(connection, reader)
            if news.is_empty:
                return False
            language = reader.language or "en"
            subject, text = written(reader, news, self._site, language)
            if not self._letters.write(connection, Letter(reader.mail, language, subject, text)):
                return False
            tables.put(connection, account, written_at=clock.now())
            return True


def _roles() -> set[str]:
    """The roles of those who choose sites or decide about them."""
    return {role.value for role, granted in PERMISSIONS.items() if Permission.SELECTION_EDIT in granted}


def _news(connection: Connection, reader: Reader) -> News:
    granted = permissions_of(Role(one) for one in reader.roles)
    editor = Editor(
        Actor(reader.name, Via.SYSTEM, reader.account),
        reader.account,
        everywhere=Permission.SELECTION_EVERYWHERE in granted,
        validates=Permission.SELECTION_VALIDATE in granted,
    )
    since = reader.written_at or clock.now() - FIRST
    waiting = nomination_queries.counts(connection, permissions.editable_collections(connection, editor))
    return News(
        proposals=tables.proposals(connection) if editor.validates else 0,
        nominations=waiting[NominationState.WAITING] if Permission.SELECTION_EDIT in granted else 0,
        refused=tables.refused(connection, reader.account, since),
        comments=tables.comments(connection, reader.account, since),
    )


# Tasks


log = structlog.get_logger(__name__)


def write(context: TaskContext) -> None:
    """Write the digests that are due."""
    if written := context.service(Digests).write_due():
        log.info("digests written", digests=written)


TASKS = (TaskKind("selection.digests", write, retry=NEVER_AGAIN, cron="13 5 * * *"),)
