"""SQL of the in-tray."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.db.stretches import Beginning, count_up_to, stretch
from armarium.selection.model import RecordState
from armarium.selection.records import queries
from armarium.selection.records.model import Comment, Record
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
