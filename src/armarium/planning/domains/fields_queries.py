"""SQL of extended fields."""

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.planning.domains.fields_rules import Field, FieldSubject
from armarium.planning.tables.domains import domain, extended_field
from armarium.planning.tables.harvests import harvest

_c = extended_field.c
extended_fields = Rows(extended_field, Field, order=(_c.active.desc(), _c.place, _c.id))


def fields(connection: Connection, subject: FieldSubject, *, active: bool = False) -> list[Field]:
    """Those of domains or of harvests, in the order of their form."""
    found = extended_fields.all(connection, _c.subject == subject.value)
    return [one for one in found if one.active or not active]


def is_used(connection: Connection, field: Field) -> bool:
    """Whether any domain or harvest has a value in it."""
    table = domain if field.subject is FieldSubject.DOMAIN else harvest
    asked = sa.select(sa.literal(1)).select_from(table).where(table.c.fields.has_key(str(field.id))).limit(1)
    return connection.scalar(asked) is not None
