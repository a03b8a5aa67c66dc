"""The tables of selection: collections with their rules, and records."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.accounts.directory.tables import account_group
from armarium.db.schema import edition, flag, limit, moment, number, reference, schema, text

NO_TEXTS = sa.text("'{}'::text[]")


def trigrams(column: "sa.ColumnElement[str]") -> "sa.ColumnElement[list[str]]":
    """The parts of three characters of a text, by which GIN finds what contains another text."""
    return sa.func.selection_trigrams(column, type_=ARRAY(sa.Text))


def folded(column: "sa.ColumnElement[str]") -> "sa.ColumnElement[str]":
    """A text without accents and capitals; the migration makes the function."""
    return sa.func.selection_folded(column, type_=sa.Text)


def among(column: "sa.ColumnElement[Any]", values: Iterable[object]) -> "sa.ColumnElement[bool]":
    """One of these: they are one value of the statement, however many there are."""
    kind = sa.BigInteger if isinstance(column.type, sa.BigInteger) else sa.Text
    return column == sa.any_(sa.literal(list(set(values)), sa.ARRAY(kind)))


def texts(name: str) -> "sa.Column[list[str]]":
    return sa.Column(name, ARRAY(sa.Text), nullable=False, server_default=NO_TEXTS)


#: Settings offered in a collection, and what is chosen unless somebody says otherwise.
collection = sa.Table(
    "selection_collection",
    schema,
    number(),
    text("name"),
    text("description"),
    flag("active"),  # an inactive one takes no new records, and none of it is transferred
    texts("budgets"),
    texts("frequencies"),
    texts("depths"),
    text("default_budget"),
    text("default_frequency"),
    text("default_depth"),
    sa.Column("default_theme", sa.BigInteger),  # no foreign key: themes name their collection already
    flag("open_to_nominations", default=False),
    moment("created_at"),
    edition(),
)
sa.Index("selection_collection_name_index", sa.func.lower(collection.c.name), unique=True)

theme = sa.Table(
    "selection_theme",
    schema,
    number(),
    reference("collection", "selection_collection.id"),
    text("name"),
    flag("active"),
    sa.Column("place", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.UniqueConstraint("collection", "name"),
)

#: Whose collection it is: accounts by themselves, and whoever a directory puts into a group.
member = sa.Table(
    "selection_member",
    schema,
    sa.Column("collection", sa.BigInteger, sa.ForeignKey("selection_collection.id"), primary_key=True),
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    sa.Index("selection_member_account_index", "account"),
)
member_group = sa.Table(
    "selection_member_group",
    schema,
    sa.Column("collection", sa.BigInteger, sa.ForeignKey("selection_collection.id"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
)

#: The combinations that nobody may choose, in any collection, each with the reason that people are shown.
matrix = sa.Table(
    "selection_matrix",
    schema,
    sa.Column("budget", sa.Text, primary_key=True),
    sa.Column("frequency", sa.Text, primary_key=True),
    sa.Column("depth", sa.Text, primary_key=True),
    text("reason"),
)

#: A site that is wanted. `key` is the address as the index has it (SURT), so that spellings do not count;
#: the same address may be in several collections, but once in each.
record = sa.Table(
    "selection_record",
    schema,
    number(),
    reference("collection", "selection_collection.id"),
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False),
    text("host"),
    text("domain"),
    text("title"),
    reference("theme", "selection_theme.id", index=True),
    text("budget"),
    text("frequency"),
    text("depth"),
    text("language"),  # of the site: fr; empty: not known
    texts("keywords"),
    text("content_notes"),
    text("technical_notes"),
    text("state"),  # proposed, validated, refused
    text("state_reason"),
    moment("stated_at", nullable=True),
    text("stated_by"),
    flag("active"),
    reference("responsible", "account.id", nullable=True, index=True),
    text("origin"),
    sa.Column("check", sa.BigInteger),  # the live check that justified it
    moment("checked_at", nullable=True),  # when its address was last seen to answer; empty: never
    flag("taken_over", default=False),  # its addresses came by an import, and nobody has added one since
    moment("created_at"),
    text("created_by"),
    moment("modified_at"),
    text("modified_by"),
    moment("harvested_at", nullable=True),  # what came back from planning: the last job that took it
    limit("harvested_job"),
    limit("harvested_objects"),
    limit("harvested_bytes"),
    text("harvested_stop"),
    edition(),
    # What a record is found by: its texts in one, without accents and capitals.
    sa.Column(
        "found_by",
        sa.Text,
        sa.Computed("selection_text(address, title, keywords, content_notes, technical_notes)"),
        nullable=False,
    ),
    sa.UniqueConstraint("collection", "key"),
    sa.Index("selection_record_key_index", "key"),
    sa.Index("selection_record_host_index", "host"),
    sa.Index("selection_record_domain_index", "domain"),
    sa.Index("selection_record_modified_at_index", "modified_at"),
    sa.Index("selection_record_state_index", "state", "modified_at"),
    # For the days of a month: when records were entered, and when it was decided about them.
    sa.Index("selection_record_created_at_index", "created_at", postgresql_include=["collection"]),
    sa.Index("selection_record_stated_at_index", "stated_at", postgresql_include=["state", "collection"]),
    sa.Index(
        "selection_record_facets_index",
        "collection",
        "theme",
        "state",
        "active",
        "budget",
        "frequency",
        "depth",
        "responsible",
        "language",
    ),
)
#: Records for which nobody is responsible come back to those who made them.
sa.Index("selection_record_made_index", record.c.created_by, postgresql_where=record.c.responsible.is_(None))
sa.Index("selection_record_found_by_index", trigrams(record.c.found_by), postgresql_using="gin")
sa.Index("selection_record_title_index", folded(record.c.title), record.c.id)

#: All columns but the one that only the search reads, and that is as long as all texts together.
RECORD_COLUMNS = tuple(one for one in record.c if one.name != "found_by")

#: What waits for a curator, oldest first.
sa.Index(
    "selection_record_waiting_index",
    sa.func.coalesce(record.c.stated_at, record.c.created_at),
    record.c.id,
    postgresql_where=sa.and_(record.c.state == "proposed", record.c.active),
)

#: Further addresses from which the same site is harvested, as a sitemap.
address = sa.Table(
    "selection_address",
    schema,
    number(),
    reference("record", "selection_record.id"),
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False),
    text("note"),
    moment("checked_at", nullable=True),  # when it was last seen to answer; empty: never
    sa.UniqueConstraint("record", "key"),
    sa.Index("selection_address_key_index", "key"),
)

comment = sa.Table(
    "selection_comment",
    schema,
    number(),
    reference("record", "selection_record.id", index=True),
    moment("at"),
    text("author"),
    reference("account", "account.id", nullable=True),
    text("text"),
    sa.Index("selection_comment_at_index", "at"),
)

#: The last comment on a record that was there when somebody looked at it: later ones are news to them.
look = sa.Table(
    "selection_look",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("record", sa.BigInteger, sa.ForeignKey("selection_record.id"), primary_key=True),
    sa.Column("comment", sa.BigInteger, nullable=False),
)

#: Searches that were saved.
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

#: Who gets which mail of what waits for them.
digest = sa.Table(
    "selection_digest",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    text("rhythm"),  # never, daily, weekly
    moment("written_at", nullable=True),
)

#: What speaks for a site's legal scope, and against it.
scope_note = sa.Table(
    "selection_scope_note",
    schema,
    number(),
    reference("record", "selection_record.id", index=True),
    moment("at"),
    text("author"),
    text("criterion"),
    flag("meets"),
    text("text"),
    sa.Column("evidence", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
)


# Whose collections are whose


def collections_of(connection: Connection, number: int) -> frozenset[int]:
    """The collections of which the account is a member, by itself or by a group of its directory."""
    by_group = (
        sa.select(member_group.c.collection)
        .join(account_group, account_group.c.name == member_group.c.name)
        .where(account_group.c.account == number)
    )
    by_name = sa.select(member.c.collection).where(member.c.account == number)
    return frozenset(connection.scalars(sa.union(by_name, by_group)))


def collection_name(connection: Connection, number: int) -> str | None:
    name: str | None = connection.scalar(sa.select(collection.c.name).where(collection.c.id == number))
    return name
