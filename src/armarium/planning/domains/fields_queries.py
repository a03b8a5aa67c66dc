"""SQL of extended fields."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.planning.domains.fields_rules import Field, FieldKind, FieldSubject
from armarium.planning.domains.tables import domain, extended_field
from armarium.planning.harvests.tables import harvest


def fields(connection: Connection, subject: FieldSubject, *, active: bool = False) -> list[Field]:
    """Those of domains or of harvests, in the order of their form."""
    asked = sa.select(extended_field).where(extended_field.c.subject == subject.value)
    if active:
        asked = asked.where(extended_field.c.active)
    asked = asked.order_by(extended_field.c.active.desc(), extended_field.c.place, extended_field.c.id)
    return [_field(row) for row in connection.execute(asked)]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Field | None:
    asked = sa.select(extended_field).where(extended_field.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _field(row) if row else None


def insert(connection: Connection, **values: object) -> int | None:
    """The number of the new field; None if there is one of that name."""
    made = postgresql_insert(extended_field).values(**values).on_conflict_do_nothing()
    number: int | None = connection.scalar(made.returning(extended_field.c.id))
    return number


def update(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(extended_field).where(extended_field.c.id == number).values(**values))


def is_used(connection: Connection, field: Field) -> bool:
    """Whether any domain or harvest has a value in it."""
    table = domain if field.subject is FieldSubject.DOMAIN else harvest
    asked = sa.select(sa.literal(1)).select_from(table).where(table.c.fields.has_key(str(field.id))).limit(1)
    return connection.scalar(asked) is not None


def _field(row: sa.Row[Any]) -> Field:
    values = {**row._mapping, "subject": FieldSubject(row.subject), "kind": FieldKind(row.kind)}
    return Field(**{**values, "choices": tuple(row.choices)})
