"""Extended fields: what administrators add to domains and harvests. None is deleted: it becomes inactive."""

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.planning.domains import fields_queries as queries
from armarium.planning.domains.fields_rules import Field, FieldSubject, NewField, checked_definition


def subject(field: Field) -> Subject:
    return Subject("extended-field", field.id, field.name)


class ExtendedFields:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def of(self, subject: FieldSubject | str) -> list[Field]:
        """The active fields of "domain" or "harvest", as their form shows them."""
        with self._database.transaction() as connection:
            return queries.fields(connection, FieldSubject(subject), active=True)

    def all(self, subject: FieldSubject) -> list[Field]:
        with self._database.transaction() as connection:
            return queries.fields(connection, subject)

    def get(self, number: int) -> Field:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    # Changing

    def create(self, actor: Actor, new: NewField) -> Field:
        values = _values(checked_definition(new))
        with self._database.transaction() as connection:
            number = queries.insert(connection, **values)
            if number is None:
                raise _name_taken(new.name)
            made = self._existing(connection, number)
            record(connection, actor, "extended-field.created", subject(made), after=made.described())
            announce(connection, "fields")
            return made

    def change(self, actor: Actor, number: int, new: NewField, *, seen: str | None = None) -> Field:
        """Change a field. Its kind, and whose it is, stay once something is written in it."""
        values = _values(checked_definition(new))
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            if seen and seen != before.mark:
                raise Refused(message("Somebody changed this field meanwhile. Look at it again, then save."))
            self._refuse_other_kind(connection, before, new)
            try:
                queries.update(connection, number, **values)
            except IntegrityError as taken:
                raise _name_taken(new.name) from taken
            after = self._existing(connection, number)
            old, now = before.described(), after.described()
            record(connection, actor, "extended-field.changed", subject(after), before=old, after=now)
            announce(connection, "fields")
            return after

    # Steps

    def _refuse_other_kind(self, connection: Connection, before: Field, new: NewField) -> None:
        if (before.kind, before.subject) != (new.kind, new.subject) and queries.is_used(connection, before):
            text = message("Values are written in this field already: its kind cannot change. Make another.")
            raise Refused(text, field="kind")

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Field:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no field with the number %(number)s.", number=number))
        return found


def _values(new: NewField) -> dict[str, object]:
    return {**vars(new), "subject": new.subject.value, "kind": new.kind.value, "choices": list(new.choices)}


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a field named %(name)s already.", name=name), field="name")
