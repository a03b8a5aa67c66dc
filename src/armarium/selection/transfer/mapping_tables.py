"""SQL of the mapping."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.transfer.model import Rule, Target
from armarium.selection.transfer.tables import rule, target


def rules(connection: Connection) -> list[Rule]:
    """Those that name least come first."""
    found = [_rule(row) for row in connection.execute(sa.select(rule).order_by(rule.c.id))]
    return sorted(found, key=lambda one: one.particular)


def rule_by_id(connection: Connection, number: int, *, lock: bool = False) -> Rule | None:
    asked = sa.select(rule).where(rule.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _rule(row) if row else None


def insert_rule(connection: Connection, given: Rule) -> int | None:
    """None: there is one for the same choices."""
    made = insert(rule).values(**_columns(given)).on_conflict_do_nothing().returning(rule.c.id)
    number: int | None = connection.scalar(made)
    return number


def update_rule(connection: Connection, number: int, given: Rule) -> None:
    connection.execute(sa.update(rule).where(rule.c.id == number).values(**_columns(given)))


def delete_rule(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(rule).where(rule.c.id == number))


def targets(connection: Connection, harvest: int | None = None) -> list[Target]:
    asked = sa.select(target)
    if harvest is not None:
        asked = asked.where(target.c.harvest == harvest)
    return [
        Target(**{**row._mapping, "frequency": Frequency(row.frequency)}) for row in connection.execute(asked)
    ]


def put_targets(connection: Connection, given: Sequence[Target]) -> None:
    for one in given:
        values = {name: getattr(one, name) for name in ("harvest", "name", "schedule", "automatic")}
        row = {"collection": one.collection, "frequency": one.frequency.value, **values}
        made = insert(target).values(**row)
        keys = [target.c.collection, target.c.frequency]
        connection.execute(made.on_conflict_do_update(index_elements=keys, set_=values))


def _columns(given: Rule) -> dict[str, Any]:
    return {
        "budget": given.budget or "",
        "frequency": given.frequency or "",
        "depth": given.depth or "",
        "profile": given.profile,
        "max_objects": given.max_objects,
        "max_bytes": given.max_bytes,
        "overrides": dict(given.overrides),
        "pattern": given.pattern,
    }


def _rule(row: "sa.Row[Any]") -> Rule:
    values = {
        **row._mapping,
        "budget": Budget(row.budget) if row.budget else None,
        "frequency": Frequency(row.frequency) if row.frequency else None,
        "depth": Depth(row.depth) if row.depth else None,
    }
    return Rule(**values)
