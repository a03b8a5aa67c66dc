"""Digests: choose how often, and write those that are due."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.accounts.model import Permission, Role
from armarium.accounts.rules import PERMISSIONS, permissions_of
from armarium.accounts.tables import account
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.db.database import Database
from armarium.notify.model import Letter
from armarium.notify.tasks import Letters
from armarium.selection import permissions
from armarium.selection.digests.model import LISTED, USUAL, Line, News, Reader, Rhythm, written
from armarium.selection.model import RecordState
from armarium.selection.nominations import tables as nomination_queries
from armarium.selection.nominations.model import NominationState
from armarium.selection.permissions import Editor
from armarium.selection.tables import collection, comment, digest, record
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

# Questions


def readers(connection: Connection, roles: Collection[str]) -> list[Reader]:
    """Everybody with a mail address and one of these roles."""
    wanted = sa.literal(sorted(roles), sa.ARRAY(sa.Text))
    asked = _selected().where(account.c.active, account.c.mail != "", account.c.roles.overlap(wanted))
    return [_reader(row) for row in connection.execute(asked.order_by(account.c.id))]


def select_reader(connection: Connection, number: int, *, lock: bool = False) -> Reader | None:
    """Those who write the digest of one person at the same time wait for each other."""
    if lock:
        name = sa.func.hashtextextended(f"digest {number}", 0)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(name)))
    row = connection.execute(_selected().where(account.c.id == number)).one_or_none()
    return _reader(row) if row else None


def put(connection: Connection, number: int, **values: object) -> None:
    made = postgresql_insert(digest).values(account=number, **{"rhythm": USUAL.value, **values})
    connection.execute(made.on_conflict_do_update(index_elements=[digest.c.account], set_=values))


def proposals(connection: Connection) -> int:
    """Those of active collections that wait for a decision."""
    asked = sa.select(sa.func.count()).select_from(record.join(collection))
    waiting = asked.where(record.c.state == RecordState.PROPOSED.value, record.c.active, collection.c.active)
    return int(connection.scalar(waiting) or 0)


def refused(connection: Connection, number: int, since: datetime) -> list[Line]:
    """Records of a person that were refused."""
    asked = sa.select(record.c.id, record.c.title, record.c.address, record.c.state_reason).where(
        record.c.responsible == number,
        record.c.state == RecordState.REFUSED.value,
        record.c.stated_at > since,
    )
    rows = connection.execute(asked.order_by(record.c.stated_at).limit(LISTED))
    return [Line(row.id, row.title or row.address, row.state_reason) for row in rows]


def comments(connection: Connection, number: int, since: datetime) -> list[Line]:
    """What others said about the records of a person."""
    asked = (
        sa.select(record.c.id, record.c.title, record.c.address, comment.c.author, comment.c.text)
        .join(record, record.c.id == comment.c.record)
        .where(record.c.responsible == number, comment.c.at > since)
        .where(comment.c.account.is_distinct_from(number))
        .order_by(comment.c.id)
        .limit(LISTED)
    )
    rows = connection.execute(asked)
    return [Line(row.id, row.title or row.address, f"{row.author}: {row.text}") for row in rows]


def _selected() -> "sa.Select[Any]":
    columns = (account.c.id, account.c.display_name, account.c.mail, account.c.language, account.c.roles)
    return sa.select(*columns, digest.c.rhythm, digest.c.written_at).outerjoin(
        digest, digest.c.account == account.c.id
    )


def _reader(row: "sa.Row[Any]") -> Reader:
    rhythm = Rhythm(row.rhythm) if row.rhythm else USUAL
    roles = frozenset(row.roles)
    return Reader(row.id, row.display_name, row.mail, row.language, roles, rhythm, row.written_at)


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
            return select_reader(connection, account)

    def choose(self, account: int, rhythm: Rhythm) -> None:
        """One's own wish: nobody else's business, so the audit log has nothing of it."""
        with self._database.transaction() as connection:
            put(connection, account, rhythm=rhythm.value)

    def write_due(self) -> int:
        """Write the digests that are due; each in its own transaction, so that none comes twice."""
        with self._database.transaction() as connection:
            found = readers(connection, _roles())
        return sum(self._write(one.account) for one in found if one.is_due(clock.now()))

    def preview(self, account: int) -> News:
        """Preview of the next mail."""
        with self._database.transaction() as connection:
            reader = select_reader(connection, account)
            return _news(connection, reader) if reader else News()

    def _write(self, account: int) -> bool:
        with self._database.transaction() as connection:
            reader = select_reader(connection, account, lock=True)
            if reader is None or not reader.is_due(clock.now()):
                return False  # another worker was faster
            news = _news(connection, reader)
            if news.is_empty:
                return False
            language = reader.language or "en"
            subject, text = written(reader, news, self._site, language)
            if not self._letters.write(connection, Letter(reader.mail, language, subject, text)):
                return False
            put(connection, account, written_at=clock.now())
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
        proposals=proposals(connection) if editor.validates else 0,
        nominations=waiting[NominationState.WAITING] if Permission.SELECTION_EDIT in granted else 0,
        refused=refused(connection, reader.account, since),
        comments=comments(connection, reader.account, since),
    )


# Tasks


log = structlog.get_logger(__name__)


def write(context: TaskContext) -> None:
    """Write the digests that are due."""
    if written := context.service(Digests).write_due():
        log.info("digests written", digests=written)


TASKS = (TaskKind("selection.digests", write, retry=NEVER_AGAIN, cron="13 5 * * *"),)
