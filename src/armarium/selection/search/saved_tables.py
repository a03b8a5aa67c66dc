"""The table of saved searches."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.exc import IntegrityError

from armarium.accounts.tables import account
from armarium.db.columns import moment, number, reference, text
from armarium.db.schema import schema
from armarium.selection.tables import collection

search = sa.Table(
    "selection_search",
    schema,
    number(),
    reference("owner", "account.id"),
    text("name"),
    text("query"),  # the canonical query string of the question
    text("shared"),  # nobody, everybody, collection
    reference("collection", "selection_collection.id", nullable=True),  # whose members may use it
    moment("created_at"),
    moment("modified_at"),
    sa.UniqueConstraint("owner", "name"),
    sa.Index("selection_search_shared_index", "shared"),
)


# Questions


Row = Mapping[str, Any]


def _selected() -> sa.Select[Any]:
    return (
        sa.select(
            search,
            account.c.name.label("owner_name"),
            sa.func.coalesce(collection.c.name, "").label("collection_name"),
        )
        .join(account, account.c.id == search.c.owner)
        .outerjoin(collection, collection.c.id == search.c.collection)
    )


def visible(connection: Connection, reader: int | None, own: frozenset[int] | None) -> list[Row]:
    """What an account may use: `own` are its collections (None: all); no account: every search."""
    asked = _selected()
    if reader is not None:
        shared = search.c.shared == "collection"
        if own is not None:
            shared = shared & search.c.collection.in_(sorted(own))
        asked = asked.where((search.c.owner == reader) | (search.c.shared == "everybody") | shared)
    return [dict(row._mapping) for row in connection.execute(asked)]


def by_id(connection: Connection, number: int) -> Row | None:
    row = connection.execute(_selected().where(search.c.id == number)).one_or_none()
    return dict(row._mapping) if row else None


def count(connection: Connection, owner: int) -> int:
    asked = sa.select(sa.func.count()).select_from(search).where(search.c.owner == owner)
    return connection.execute(asked).scalar_one()


def insert(connection: Connection, values: Mapping[str, object]) -> int | None:
    """None: the owner has one of this name."""
    made = postgresql_insert(search).values(**values).on_conflict_do_nothing()
    number: int | None = connection.scalar(made.returning(search.c.id))
    return number


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


def accounts(connection: Connection) -> list[tuple[int, str, str]]:
    """Number, name and full name of everybody who can be made responsible."""
    asked = sa.select(account.c.id, account.c.name, account.c.display_name).where(account.c.active)
    return [(row[0], row[1], row[2]) for row in connection.execute(asked.order_by(account.c.name))]


def collection_exists(connection: Connection, number: int) -> bool:
    return connection.scalar(sa.select(collection.c.id).where(collection.c.id == number)) is not None
