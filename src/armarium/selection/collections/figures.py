"""How many records there are, by collection, theme and combination."""

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.selection.model import Budget, Combination, Depth, Frequency, State
from armarium.selection.tables import member, member_group, record


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
        one[State(row.state).value] = row.records
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
