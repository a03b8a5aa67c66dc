"""SQL of collections, their members, the matrix, and how many records there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by

from armarium.accounts.directory.tables import account_group
from armarium.accounts.tables import account
from armarium.audit.tables import audit
from armarium.core.entities import from_row
from armarium.db.rows import Rows
from armarium.selection.collections.model import Collection, Matrix, Theme, ThemeGiven
from armarium.selection.model import Budget, Combination, Depth, Frequency, RecordState
from armarium.selection.tables import among, collection, matrix, member, member_group, record, theme

THEMES = sa.select(
    sa.func.jsonb_agg(
        aggregate_order_by(sa.func.to_jsonb(theme.table_valued()), theme.c.place, theme.c.id), type_=JSONB
    )
).where(theme.c.collection == collection.c.id)


class CollectionRows(Rows[Collection]):
    def value(self, row: Mapping[Any, Any]) -> Collection:
        return from_row(
            Collection, dict(row) | {"themes": tuple(Theme(**one) for one in row["themes"] or ())}
        )

    def by_name(self, connection: Connection, name: str, *, lock: bool = False) -> Collection | None:
        return self.one(connection, sa.func.lower(collection.c.name) == name.strip().lower(), lock=lock)


#: By name: a library has dozens of them.
rows = CollectionRows(
    collection,
    Collection,
    order=(sa.func.lower(collection.c.name), collection.c.id),
    joined=sa.select(collection, THEMES.scalar_subquery().label("themes")),
)


def collections(connection: Connection, *, only_active: bool = False) -> list[Collection]:
    return rows.all(connection, *([collection.c.active] if only_active else []))


# Themes


def put_themes(
    connection: Connection, number: int, themes: Sequence[ThemeGiven], usual: ThemeGiven | None
) -> None:
    """These, in this order; `usual` is one of them."""
    places = {one.id: place for place, one in enumerate(themes) if one.id is not None}
    # Two themes may change their names with each other: for a moment nobody has either.
    aside = sa.func.concat(chr(1), sa.cast(theme.c.id, sa.Text))
    connection.execute(sa.update(theme).where(theme.c.id.in_(list(places))).values(name=aside))
    chosen = None
    for place, one in enumerate(themes):
        values = {"name": one.name, "place": place, "active": one.active}
        if one.id is not None:
            connection.execute(sa.update(theme).where(theme.c.id == one.id).values(**values))
        made = one.id or connection.scalar(
            theme.insert().values(collection=number, **values).returning(theme.c.id)
        )
        chosen = made if one == usual else chosen
    rows.update(connection, number, default_theme=chosen)


# Members


def members(connection: Connection, number: int) -> list[tuple[int, str, str]]:
    """Number, name and full name of each account."""
    asked = (
        sa.select(account.c.id, account.c.name, account.c.display_name)
        .join(member, member.c.account == account.c.id)
        .where(member.c.collection == number)
        .order_by(account.c.name)
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(asked)]


def member_groups(connection: Connection, number: int) -> list[str]:
    asked = sa.select(member_group.c.name).where(member_group.c.collection == number)
    return list(connection.scalars(asked.order_by(member_group.c.name)))


def put_members(connection: Connection, number: int, accounts: Iterable[int], groups: Iterable[str]) -> None:
    """These, and no others."""
    connection.execute(sa.delete(member).where(member.c.collection == number))
    connection.execute(sa.delete(member_group).where(member_group.c.collection == number))
    people = [{"collection": number, "account": one} for one in sorted(set(accounts))]
    named = [{"collection": number, "name": one} for one in sorted(set(groups))]
    if people:
        connection.execute(member.insert(), people)
    if named:
        connection.execute(member_group.insert(), named)


def accounts_named(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """The numbers of the accounts in use that have these names, by their names in small letters."""
    folded = [name.lower() for name in names]
    asked = sa.select(account.c.name, account.c.id)
    asked = asked.where(account.c.active, among(sa.func.lower(account.c.name), folded))
    return {row[0].lower(): row[1] for row in connection.execute(asked)}


def possible_members(connection: Connection, roles: Iterable[str], most: int) -> list[tuple[str, str]]:
    """Name and full name of accounts in use with one of these roles."""
    asked = (
        sa.select(account.c.name, account.c.display_name)
        .where(account.c.active, account.c.roles.overlap(sorted(roles)))
        .order_by(account.c.name)
        .limit(most)
    )
    return [(row[0], row[1]) for row in connection.execute(asked)]


def known_groups(connection: Connection, most: int) -> list[str]:
    """Those that a collection has already, and those of which a directory told."""
    found = sa.union(sa.select(member_group.c.name), sa.select(account_group.c.name)).subquery()
    return list(connection.scalars(sa.select(found.c.name).order_by(found.c.name).limit(most)))


# The matrix


def the_matrix(connection: Connection, *, lock: bool = False) -> Matrix:
    """`lock`: nobody else changes it before the end of the transaction."""
    if lock:
        connection.execute(sa.text("LOCK TABLE selection_matrix IN SHARE ROW EXCLUSIVE MODE"))
    return Matrix(
        {
            Combination(Budget(row.budget), Frequency(row.frequency), Depth(row.depth)): row.reason
            for row in connection.execute(sa.select(matrix))
        }
    )


def put_matrix(connection: Connection, refused: Mapping[Combination, str]) -> None:
    connection.execute(sa.delete(matrix))
    rows = [
        {"budget": one.budget, "frequency": one.frequency, "depth": one.depth, "reason": reason}
        for one, reason in refused.items()
    ]
    if rows:
        connection.execute(matrix.insert(), rows)


def matrix_was_changed(connection: Connection) -> bool:
    """Whether somebody has ever made a matrix of their own."""
    asked = sa.select(audit.c.id).where(audit.c.object_kind == "matrix").limit(1)
    return connection.scalar(asked) is not None


# How many records there are, by collection, theme and combination


@dataclass(frozen=True)
class Figures:
    """Of one collection."""

    proposed: int = 0
    validated: int = 0
    refused: int = 0
    inactive: int = 0  # of any state: never harvested
    members: int = 0
    groups: int = 0

    @property
    def records(self) -> int:
        return self.proposed + self.validated + self.refused


NOTHING = Figures()


def figures(connection: Connection, number: int | None = None) -> dict[int, Figures]:
    """By the number of the collection; of one of them, or of all."""

    def counted(table: sa.Table) -> dict[int, int]:
        asked = sa.select(table.c.collection, sa.func.count()).group_by(table.c.collection)
        if number is not None:
            asked = asked.where(table.c.collection == number)
        return {row[0]: row[1] for row in connection.execute(asked)}

    asked = sa.select(
        record.c.collection,
        record.c.state,
        sa.func.count().label("records"),
        sa.func.count().filter(~record.c.active).label("inactive"),
    ).group_by(record.c.collection, record.c.state)
    if number is not None:
        asked = asked.where(record.c.collection == number)
    found: dict[int, dict[str, int]] = {}
    for row in connection.execute(asked):
        one = found.setdefault(row.collection, {"inactive": 0})
        one[RecordState(row.state).value] = row.records
        one["inactive"] += row.inactive
    people, groups = counted(member), counted(member_group)
    return {
        each: Figures(**found.get(each, {}), members=people.get(each, 0), groups=groups.get(each, 0))
        for each in {*found, *people, *groups}
    }


def by_theme(connection: Connection, number: int) -> Mapping[int, int]:
    asked = sa.select(record.c.theme, sa.func.count()).where(record.c.collection == number)
    return {row[0]: row[1] for row in connection.execute(asked.group_by(record.c.theme))}


def by_combination(connection: Connection) -> Mapping[Combination, int]:
    parts = (record.c.budget, record.c.frequency, record.c.depth)
    asked = sa.select(*parts, sa.func.count()).group_by(*parts)
    return {
        Combination(Budget(row[0]), Frequency(row[1]), Depth(row[2])): row[3]
        for row in connection.execute(asked)
    }
