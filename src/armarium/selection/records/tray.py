"""The in-tray: what waits for a curator's decision, and what came back to a librarian."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.core import clock
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning, count_up_to, stretch
from armarium.selection import permissions
from armarium.selection.model import RecordState
from armarium.selection.permissions import Editor
from armarium.selection.records import queries
from armarium.selection.records.model import Comment, Record
from armarium.selection.records.writing import TOPIC
from armarium.selection.tables import among, collection, comment, look, record


@dataclass(frozen=True)
class Librarian:
    """Somebody, as records name them."""

    account: int
    name: str


#: When a record became a proposal.
SINCE = sa.func.coalesce(record.c.stated_at, record.c.created_at)


def waiting(
    connection: Connection, own: frozenset[int] | None, wanted: int | None, *, limit: int, offset: Beginning
) -> list[Record]:
    """Proposals, oldest first. `own`: collections that are theirs (None: all); `wanted`: only this one."""
    asked = queries.selected().where(_is_waiting(), *_in(own, wanted))
    found = stretch(connection, asked, (SINCE, record.c.id), limit, offset)
    return queries.completed(connection, found.all())


def waiting_by_collection(connection: Connection, own: frozenset[int] | None) -> list[tuple[int, str, int]]:
    """Number and name of each collection with proposals, and how many there are."""
    asked = (
        sa.select(collection.c.id, collection.c.name, sa.func.count())
        .join(record, record.c.collection == collection.c.id)
        .where(_is_waiting(), *_in(own, None))
        .group_by(collection.c.id, collection.c.name)
        .order_by(sa.func.lower(collection.c.name), collection.c.id)
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(asked)]


def waiting_count(connection: Connection, own: frozenset[int] | None, most: int) -> int:
    return count_up_to(connection, sa.select(record.c.id).where(_is_waiting(), *_in(own, None)), most)


def refused(connection: Connection, whose: Librarian, *, limit: int) -> list[Record]:
    """Their refused records, the last refused first."""
    asked = queries.selected().where(_is_refused(whose)).order_by(record.c.stated_at.desc(), record.c.id)
    return queries.read(connection, asked.limit(limit))


def refused_count(connection: Connection, whose: Librarian, most: int) -> int:
    return count_up_to(connection, sa.select(record.c.id).where(_is_refused(whose)), most)


def news(connection: Connection, whose: Librarian, after: datetime, *, limit: int) -> list[Comment]:
    """What others said about their records since they looked at them, newest first."""
    asked = _news(whose, after).with_only_columns(comment).order_by(comment.c.id.desc()).limit(limit)
    return queries.said.read(connection, asked)


def news_count(connection: Connection, whose: Librarian, after: datetime, most: int) -> int:
    """Records, not comments: a long discussion is one thing to look at. Of the last so many comments."""
    last = _news(whose, after).with_only_columns(comment.c.record).order_by(comment.c.id.desc()).limit(most)
    found: int = connection.scalar(sa.select(sa.func.count(last.subquery().c.record.distinct()))) or 0
    return found


def put_looks(connection: Connection, whose: Librarian, after: datetime) -> int:
    """They have seen all that is news to them; the number of the records."""
    columns = (sa.literal(whose.account), comment.c.record, sa.func.max(comment.c.id))
    seen = _news(whose, after).with_only_columns(*columns).group_by(comment.c.record)
    made = postgresql_insert(look).from_select(["account", "record", "comment"], seen)
    return connection.execute(_raised(made)).rowcount


def comments_of(connection: Connection, numbers: Sequence[int]) -> list[Comment]:
    """All comments on these records, oldest first."""
    return queries.said.all(connection, among(comment.c.record, numbers))


def put_look(connection: Connection, account: int, number: int, last: int) -> None:
    """They have seen the comments on the record up to this one."""
    connection.execute(_raised(postgresql_insert(look).values(account=account, record=number, comment=last)))


def last_seen(connection: Connection, account: int, number: int) -> int:
    asked = sa.select(look.c.comment).where(look.c.account == account, look.c.record == number)
    return connection.scalar(asked) or 0


def _raised(made: Insert) -> Insert:
    """What was seen stays seen, also where another tab was faster."""
    last = sa.func.greatest(look.c.comment, made.excluded.comment)
    return made.on_conflict_do_update(index_elements=[look.c.account, look.c.record], set_={"comment": last})


# Conditions


def _is_waiting() -> ColumnElement[bool]:
    return sa.and_(record.c.state == sa.literal_column(f"'{RecordState.PROPOSED.value}'"), record.c.active)


def _is_refused(whose: Librarian) -> ColumnElement[bool]:
    return sa.and_(record.c.state == RecordState.REFUSED.value, record.c.active, _theirs(whose))


def _theirs(whose: Librarian) -> ColumnElement[bool]:
    """Those that they are responsible for, and those that they made if nobody is."""
    made = sa.and_(record.c.responsible.is_(None), record.c.created_by == whose.name)
    return sa.or_(record.c.responsible == whose.account, made)


def _in(own: frozenset[int] | None, wanted: int | None) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if own is not None:
        found.append(among(record.c.collection, own))
    if wanted is not None:
        found.append(record.c.collection == wanted)
    return found


def _news(whose: Librarian, after: datetime) -> Select[Any]:
    seen = sa.and_(look.c.record == comment.c.record, look.c.account == whose.account)
    return (
        sa.select(comment.c.id)
        .join(record, record.c.id == comment.c.record)
        .outerjoin(look, seen)
        .where(
            comment.c.at > after,
            comment.c.account.is_distinct_from(whose.account),
            comment.c.id > sa.func.coalesce(look.c.comment, 0),
            _theirs(whose),
        )
    )


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
            counts = waiting_by_collection(connection, own)
            total = sum(many for number, _, many in counts if collection in {None, number})
            found = waiting(connection, own, collection, limit=limit, offset=offset)
            return Proposals(_with_comments(connection, found), total, tuple(counts))

    def refused(self, editor: Editor) -> list[Record]:
        """Their records that a curator refused and that they have neither proposed again nor let go, the last
        refused first."""
        whose = _whose(editor)
        with self._database.transaction() as connection:
            return refused(connection, whose, limit=SHOWN) if whose else []

    def news(self, editor: Editor) -> list[News]:
        """Their records about which others said something since they looked, the last said first."""
        whose = _whose(editor)
        if whose is None:
            return []
        with self._database.transaction() as connection:
            said = news(connection, whose, clock.now() - REMEMBERED, limit=SHOWN)
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
                found += waiting_count(connection, own, MOST)
            if whose:
                found += refused_count(connection, whose, MOST)
                found += news_count(connection, whose, clock.now() - REMEMBERED, SHOWN)
        return found

    def looked(self, editor: Editor, number: int) -> None:
        """They see the record's page: what was said there is no news to them any more."""
        if editor.account is None:
            return
        with self._database.transaction() as connection:
            said = queries.comments(connection, number)
            if said and last_seen(connection, editor.account, number) < said[-1].id:
                put_look(connection, editor.account, number, said[-1].id)

    def looked_at_all(self, editor: Editor) -> int:
        """They have read what the tray says; how many records that were."""
        whose = _whose(editor)
        if whose is None:
            return 0
        with self._database.transaction() as connection:
            found = put_looks(connection, whose, clock.now() - REMEMBERED)
            announce(connection, TOPIC)
        return found


def _whose(editor: Editor) -> Librarian | None:
    return Librarian(editor.account, editor.actor.name) if editor.account is not None else None


def _with_comments(connection: Connection, found: list[Record]) -> tuple[Waiting, ...]:
    said: dict[int, list[Comment]] = {}
    for one in comments_of(connection, [one.id for one in found]):
        said.setdefault(one.record, []).append(one)
    waiting = []
    for known in found:
        since = known.stated_at or known.created_at
        later = tuple(one for one in said.get(known.id, ()) if one.at >= since)
        waiting.append(Waiting(known, since, later))
    return tuple(waiting)
