"""SQL of the mapping."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.entities import from_row, values_of
from armarium.db.rows import Rows
from armarium.selection.transfer.model import Rule, Target
from armarium.selection.transfer.tables import rule, target

CHOSEN = ("budget", "frequency", "depth")
mapping_rules = Rows(rule, Rule, order=(rule.c.id,))


def rules(connection: Connection) -> list[Rule]:
    """Those that name least come first."""
    return sorted(mapping_rules.all(connection), key=lambda one: one.particular)


def columns_of(given: Rule) -> dict[str, Any]:
    """An empty choice stands for all of them."""
    values = values_of(given) | {"overrides": dict(given.overrides)}
    return {
        name: "" if value is None and name in CHOSEN else value
        for name, value in values.items()
        if name != "id"
    }


def delete_rule(connection: Connection, number: int) -> None:
    connection.execute(sa.delete(rule).where(rule.c.id == number))


def targets(connection: Connection, harvest: int | None = None) -> list[Target]:
    asked = sa.select(target)
    if harvest is not None:
        asked = asked.where(target.c.harvest == harvest)
    return [from_row(Target, row._asdict()) for row in connection.execute(asked)]


def put_targets(connection: Connection, given: Sequence[Target]) -> None:
    for one in given:
        values = {name: getattr(one, name) for name in ("harvest", "name", "schedule", "automatic")}
        row = {"collection": one.collection, "frequency": one.frequency.value, **values}
        made = insert(target).values(**row)
        keys = [target.c.collection, target.c.frequency]
        connection.execute(made.on_conflict_do_update(index_elements=keys, set_=values))
