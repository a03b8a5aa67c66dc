"""The in-tray: what waits for a curator's decision, and what came back to a librarian."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.selection import permissions
from armarium.selection.permissions import Editor
from armarium.selection.records import queries, tray_queries
from armarium.selection.records.model import Comment, Record
from armarium.selection.records.tray_queries import Librarian
from armarium.selection.records.writing import TOPIC

MOST = 1000  # of each kind are counted
SHOWN = 200  # refusals and comments: who has more begins with these
REMEMBERED = timedelta(days=90)  # for so long a comment that nobody looked at is news


@dataclass(frozen=True)
class Waiting:
    record: Record
    since: datetime
    comments: tuple[Comment, ...]  # since it was proposed


@dataclass(frozen=True)
class Proposals:
    """Those of one page, and how many there are in all, by collection."""

    items: tuple[Waiting, ...] = ()
    total: int = 0
    by_collection: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True)
class News:
    """What others said about a record since its librarian looked at it."""

    record: Record
    comments: tuple[Comment, ...]  # oldest first


class Tray:
    def __init__(self, database: Database) -> None:
        self._database = database

    def proposals(
        self, editor: Editor, *, collection: int | None = None, limit: int, offset: Beginning = 0
    ) -> Proposals:
        """Those about which they decide, oldest first; none for those who decide about nothing."""
        if not editor.validates:
            return Proposals()
        with self._database.transaction() as connection:
            own = permissions.editable_collections(connection, editor)
            counts = tray_queries.waiting_by_collection(connection, own)
            total = sum(many for number, _, many in counts if collection in {None, number})
            found = tray_queries.waiting(connection, own, collection, limit=limit, offset=offset)
            return Proposals(_with_comments(connection, found), total, tuple(counts))

    def refused(self, editor: Editor) -> list[Record]:
        """Their records that a curator refused and that they have neither proposed again nor let go, the last
        refused first."""
        whose = _whose(editor)
        with self._database.transaction() as connection:
            return tray_queries.refused(connection, whose, limit=SHOWN) if whose else []

    def news(self, editor: Editor) -> list[News]:
        """Their records about which others said something since they looked, the last said first."""
        whose = _whose(editor)
        if whose is None:
            return []
        with self._database.transaction() as connection:
            said = tray_queries.news(connection, whose, clock.now() - REMEMBERED, limit=SHOWN)
            records = {one.id: one for one in queries.by_ids(connection, [one.record for one in said])}
        grouped: dict[int, list[Comment]] = {}
        for one in said:
            grouped.setdefault(one.record, []).insert(0, one)
        return [News(records[number], tuple(comments)) for number, comments in grouped.items()]

    def count(self, editor: Editor) -> int:
        """How much lies in their tray, each kind counted to some bound: it stands on every page."""
        whose = _whose(editor)
        with self._database.transaction() as connection:
            found = 0
            if editor.validates:
                own = permissions.editable_collections(connection, editor)
                found += tray_queries.waiting_count(connection, own, MOST)
            if whose:
                found += tray_queries.refused_count(connection, whose, MOST)
                found += tray_queries.news_count(connection, whose, clock.now() - REMEMBERED, SHOWN)
        return found

    def looked(self, editor: Editor, number: int) -> None:
        """They see the record's page: what was said there is no news to them any more."""
        if editor.account is None:
            return
        with self._database.transaction() as connection:
            said = queries.comments(connection, number)
            if said and tray_queries.last_seen(connection, editor.account, number) < said[-1].id:
                tray_queries.put_look(connection, editor.account, number, said[-1].id)

    def looked_at_all(self, editor: Editor) -> int:
        """They have read what the tray says; how many records that were."""
        whose = _whose(editor)
        if whose is None:
            return 0
        with self._database.transaction() as connection:
            found = tray_queries.put_looks(connection, whose, clock.now() - REMEMBERED)
            announce(connection, TOPIC)
        return found


def _whose(editor: Editor) -> Librarian | None:
    return Librarian(editor.account, editor.actor.name) if editor.account is not None else None


def _with_comments(connection: Connection, found: list[Record]) -> tuple[Waiting, ...]:
    said: dict[int, list[Comment]] = {}
    for one in tray_queries.comments_of(connection, [record.id for record in found]):
        said.setdefault(one.record, []).append(one)
    waiting = []
    for record in found:
        since = record.stated_at or record.created_at
        later = tuple(one for one in said.get(record.id, ()) if one.at >= since)
        waiting.append(Waiting(record, since, later))
    return tuple(waiting)
