"""The table of saved searches."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.accounts.tables import account
from armarium.db.rows import Rows
from armarium.db.schema import moment, number, reference, schema, text
from armarium.selection.search.model import Saved
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


def count(connection: Connection, owner: int) -> int:
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
