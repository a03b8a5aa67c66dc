"""Extended fields: what administrators add to domains and harvests. None is deleted: it becomes inactive."""

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.entities import Entities, Kind
from armarium.core.actor import Actor
from armarium.core.entities import values_of
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.fields.rules import Field, FieldSubject, NewField, checked_definition
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


class ExtendedFields(Entities[Field]):
    rows = extended_fields
    kind = Kind(
        "extended-field",
        topic="fields",
        missing=message("There is no field with the number %(number)s."),
        taken=message("A field named %(name)s already exists."),
        changed=message("Somebody changed this field meanwhile. Look at it again, then save."),
    )

    all = reading(fields)

    def of(self, subject: FieldSubject | str) -> list[Field]:
        """The active fields of "domain" or "harvest", as their form shows them."""
        return self.all(FieldSubject(subject), active=True)

    def create(self, actor: Actor, new: NewField) -> Field:
        return self.make(actor, values_of(checked_definition(new), NewField))

    def change(self, actor: Actor, number: int, new: NewField, *, seen: str | None = None) -> Field:
        """Change a field. Its kind, and whose it is, stay once something is written in it."""
        values = values_of(checked_definition(new), NewField)
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            other = (before.kind, before.subject) != (new.kind, new.subject)
            if other and is_used(connection, before):
                text = message(
                    "This field already has values, so its kind cannot change. Create another one."
                )
                raise Refused(text, field="kind")
            after = self.update(connection, before, values)
            self.note(connection, actor, before, after)
            return after
