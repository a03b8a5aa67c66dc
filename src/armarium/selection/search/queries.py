"""The SQL of the search for records: one page of them, how many there are, and how they are divided;
and searches that were saved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import FromClause

from armarium.accounts.tables import account
from armarium.db.rows import Rows
from armarium.db.stretches import Beginning, stretch
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.records import queries as records
from armarium.selection.records.model import Record
from armarium.selection.search.conditions import INDEXED_TEXTS, conditions
from armarium.selection.search.model import Question, Saved
from armarium.selection.tables import collection, folded, record, search, theme

Columns = Sequence[ColumnElement[Any]]


def _rank(
    column: ColumnElement[str], words: type[Budget | Frequency | Depth | RecordState]
) -> ColumnElement[Any]:
    """Small before large, daily before annual: not by the alphabet."""
    return sa.func.array_position(
        sa.literal([one.value for one in words], sa.ARRAY(sa.Text)), column, type_=sa.Integer
    )


ORDERED: Mapping[str, ColumnElement[Any]] = {
    "number": record.c.id,
    "address": record.c.key,
    "title": folded(record.c.title),
    "host": record.c.host,
    "domain": record.c.domain,
    "collection": collection.c.name,
    "theme": theme.c.name,
    "budget": _rank(record.c.budget, Budget),
    "frequency": _rank(record.c.frequency, Frequency),
    "depth": _rank(record.c.depth, Depth),
    "state": _rank(record.c.state, RecordState),
    "reason": record.c.state_reason,
    "active": record.c.active,
    "responsible": account.c.name,
    "language": record.c.language,
    "origin": record.c.origin,
    "created": record.c.created_at,
    "created_by": record.c.created_by,
    "modified": record.c.modified_at,
    "modified_by": record.c.modified_by,
    "decided": record.c.stated_at,
    "decided_by": record.c.stated_by,
    "harvested": record.c.harvested_at,
    "job": record.c.harvested_job,
    "objects": record.c.harvested_objects,
    "bytes": record.c.harvested_bytes,
    "stop": record.c.harvested_stop,
    "edition": record.c.edition,
}
#: Tables that are needed for an order, and for nothing else.
JOINED: Mapping[str, Callable[[FromClause], FromClause]] = {
    "collection": lambda start: start.join(collection, collection.c.id == record.c.collection),
    "theme": lambda start: start.join(theme, theme.c.id == record.c.theme),
    "responsible": lambda start: start.outerjoin(account, account.c.id == record.c.responsible),
}
#: Fields whose text is made comparable for each record; and numbers of records that are sent back at most.
DEAR = ("title", "keyword", "content_notes", "technical_notes")
MOST_NUMBERS = 20_000
MAYBE_EMPTY = {"responsible", "decided", "harvested", "job", "objects", "bytes"}


def matching(question: Question, me: int | None = None) -> Select[Any]:
    """The records that answer the question, in its order, for `records.queries.read`.

    `me`: the account of whoever asks, for the records for which they are responsible.
    """
    return records.selected().where(*conditions(question, me)).order_by(*ordering(question))


def ordering(question: Question) -> Columns:
    """What is not known comes last either way; the number decides between equals."""
    name = question.order.removeprefix("-")
    column, backwards = ORDERED[name], question.order.startswith("-")
    first = column.desc() if backwards else column.asc()
    if name in MAYBE_EMPTY:
        first = first.nulls_last()
    return [first, record.c.id.desc() if backwards else record.c.id]


def page(
    connection: Connection,
    question: Question,
    me: int | None = None,
    *,
    limit: int,
    offset: Beginning = 0,
    among: Sequence[int] | None = None,
) -> list[Record]:
    found = numbers(connection, question, me, limit=limit, offset=offset, among=among)
    known = {one.id: one for one in records.by_ids(connection, found)}
    return [known[number] for number in found if number in known]


def numbers(
    connection: Connection,
    question: Question,
    me: int | None = None,
    *,
    limit: int | None = None,
    offset: Beginning = 0,
    among: Sequence[int] | None = None,
) -> list[int]:
    """The numbers of the records, in the order that was asked for. `among`: what `answering` has found."""
    name = question.order.removeprefix("-")
    start = JOINED[name](record) if name in JOINED else record
    asked = sa.select(record.c.id).select_from(start).where(*_wanted(question, me, among))
    _plan_for_these_values(connection, question if among is None else Question())
    return list(stretch(connection, asked, ordering(question), limit, offset).scalars())


def answering(connection: Connection, question: Question, me: int | None = None) -> list[int] | None:
    """The numbers of all records that answer, in no order, where to find that out is dear and they are not
    too many: texts of single fields are freed from their accents for each record anew, and once is enough.
    None: ask the question itself."""
    if not any(getattr(question, name) for name in DEAR):
        return None
    _plan_for_these_values(connection, question)
    asked = sa.select(record.c.id).where(*conditions(question, me)).limit(MOST_NUMBERS + 1)
    found = list(connection.scalars(asked))
    return found if len(found) <= MOST_NUMBERS else None


def _wanted(question: Question, me: int | None, among: Sequence[int] | None) -> list[ColumnElement[bool]]:
    if among is None:
        return conditions(question, me)
    return [record.c.id == sa.any_(sa.cast(list(among), ARRAY(sa.BigInteger)))]


def count(connection: Connection, question: Question, me: int | None = None) -> int:
    _plan_for_these_values(connection, question)
    asked = sa.select(sa.func.count()).select_from(record).where(*conditions(question, me))
    return connection.execute(asked).scalar_one()


#: By what the records that were found are divided, for links that narrow the search.
FACETS: Mapping[str, ColumnElement[Any]] = {
    "collection": record.c.collection,
    "theme": record.c.theme,
    "state": record.c.state,
    "active": record.c.active,
    "budget": record.c.budget,
    "frequency": record.c.frequency,
    "depth": record.c.depth,
    "responsible": record.c.responsible,
    "language": record.c.language,
}


def facets(
    connection: Connection, question: Question, me: int | None = None, among: Sequence[int] | None = None
) -> tuple[int, dict[str, dict[Any, int]]]:
    """How many records answer, and how many of them have each value of a facet, in one pass."""
    columns = list(FACETS.values())
    of = sa.func.grouping(*columns)
    sets = sa.func.grouping_sets(*[sa.tuple_(column) for column in columns])
    asked = sa.select(of, sa.func.count(), *columns).where(*_wanted(question, me, among)).group_by(sets)
    found: dict[str, dict[Any, int]] = {name: {} for name in FACETS}
    names = list(FACETS)
    _plan_for_these_values(connection, question if among is None else Question())
    for row in connection.execute(asked):
        place = next(n for n in range(len(names)) if not row[0] >> (len(names) - 1 - n) & 1)
        found[names[place]][row[2 + place]] = row[1]
    return sum(found["active"].values()), found


def _plan_for_these_values(connection: Connection, question: Question) -> None:
    """A plan made for any value would be right for none; and by the costs of turning discs, reading all
    records would look cheaper than some steps in an index."""
    connection.execute(sa.text("SET LOCAL plan_cache_mode = force_custom_plan"))
    connection.execute(sa.text("SET LOCAL random_page_cost = 1.1"))
    # Where a text is looked for, its parts come from their index, also where nearly every record has them:
    # made anew for each row they would take a hundred times as long as all the rest.
    by_text = any(getattr(question, name) for name in INDEXED_TEXTS)
    for way in ("seqscan", "indexscan", "indexonlyscan"):
        connection.execute(sa.text(f"SET LOCAL enable_{way} = {'off' if by_text else 'on'}"))


searches = Rows(
    search,
    Saved,
    order=(search.c.id,),
    joined=sa.select(
        search,
        account.c.name.label("owner_name"),
        sa.func.coalesce(collection.c.name, "").label("collection_name"),
    )
    .join(account, account.c.id == search.c.owner)
    .outerjoin(collection, collection.c.id == search.c.collection),
)

# Questions and changes


def visible(connection: Connection, reader: int | None, own: frozenset[int] | None) -> list[Saved]:
    """What an account may use: `own` are its collections (None: all); no account: every search."""
    if reader is None:
        return searches.all(connection)
    shared = search.c.shared == "collection"
    if own is not None:
        shared = shared & search.c.collection.in_(sorted(own))
    return searches.all(connection, (search.c.owner == reader) | (search.c.shared == "everybody") | shared)


def count_saved(connection: Connection, owner: int) -> int:
    asked = sa.select(sa.func.count()).select_from(search).where(search.c.owner == owner)
    return connection.execute(asked).scalar_one()


def update(connection: Connection, number: int, values: Mapping[str, object]) -> bool:
    """False: the owner has one of this name."""
    try:
        with connection.begin_nested():
            connection.execute(sa.update(search).where(search.c.id == number).values(**values))
    except IntegrityError:
        return False
    return True


def delete(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(search).where(search.c.id == number))


def account_named(connection: Connection, name: str) -> int | None:
    asked = sa.select(account.c.id).where(
        sa.func.lower(account.c.name) == name.strip().lower(), account.c.active
    )
    found: int | None = connection.scalar(asked)
    return found


def collection_exists(connection: Connection, number: int) -> bool:
    return connection.scalar(sa.select(collection.c.id).where(collection.c.id == number)) is not None
