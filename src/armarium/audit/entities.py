"""The verbs that every entity has: list, find, make and edit, each change with its entry in the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.entities import Entity
from armarium.core.errors import Refused, existing
from armarium.core.message import Message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.rows import Rows
from armarium.db.stretches import Beginning

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True)
class Kind:
    """What a kind of entity is called. Its sentences are whole: few languages only fill in a noun."""

    name: str  # in the audit log, where its actions are `name.changed` and `name.` with `created`
    topic: str  # that open pages listen to
    missing: Message  # There is no schedule with the number %(number)s.
    taken: Message  # There is a schedule named %(name)s already.
    changed: Message  # Somebody changed this schedule meanwhile. Look at it again, then save.
    unnamed: Message | None = None  # There is no schedule named %(name)s. None: nobody finds it by name
    created: str = "created"


class Entities(Generic[E]):
    """The service of one kind of entity: a subclass names kind and rows, and adds its own verbs."""

    kind: ClassVar[Kind]
    rows: Rows[E]

    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[E], int]:
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset)

    def get(self, number: int) -> E:
        with self._database.transaction() as connection:
            return self.existing(connection, number)

    def named(self, name: str) -> E:
        with self._database.transaction() as connection:
            found = self.rows.by_name(connection, name.strip())
            assert self.kind.unnamed is not None, f"{self.kind.name} is not found by name"
            missing = self.kind.unnamed.saying(name=name)
            return existing(found, missing, name=name, known=lambda: self.rows.names(connection))

    # Steps of verbs, in their transaction

    def existing(self, connection: Connection, number: int, *, lock: bool = False) -> E:
        found = self.rows.by_id(connection, number, lock=lock)
        return existing(found, self.kind.missing.saying(number=number))

    def locked(self, connection: Connection, number: int, seen: str | None) -> E:
        """The entity, nobody else's until the end; `seen`: its mark as it was shown to whoever changes it."""
        found = self.existing(connection, number, lock=True)
        self.refuse_unseen(found, seen)
        return found

    def refuse_unseen(self, found: E, seen: str | None) -> None:
        """What somebody else changed since it was shown must not be undone unawares."""
        if seen and seen != found.mark:
            raise Refused(self.kind.changed)

    def insert(self, connection: Connection, values: Mapping[str, object]) -> E:
        number = self.rows.insert(connection, **values)
        if number is None:
            raise self.name_taken(values)
        return self.existing(connection, number)

    def update(self, connection: Connection, before: E, values: Mapping[str, object]) -> E:
        try:
            self.rows.update(connection, before.id, **values)
        except IntegrityError as taken:
            raise self.name_taken(values) from taken
        return self.existing(connection, before.id)

    def name_taken(self, values: Mapping[str, object]) -> Refused:
        return Refused(self.kind.taken.saying(name=values.get("name", "")), field="name")

    def note(self, connection: Connection, actor: Actor, before: E | None, after: E) -> None:
        """An entry in the log, and word to open pages; `before` is None for what was made."""
        action = f"{self.kind.name}.{'changed' if before else self.kind.created}"
        subject = Subject(self.kind.name, after.id, after.name)
        old = before.described() if before else None
        record(connection, actor, action, subject, before=old, after=after.described())
        announce(connection, self.kind.topic)

    # Verbs where nothing comes between the steps

    def make(self, actor: Actor, values: Mapping[str, object]) -> E:
        with self._database.transaction() as connection:
            made = self.insert(connection, values)
            self.note(connection, actor, None, made)
            return made

    def edit(self, actor: Actor, number: int, values: Mapping[str, object], seen: str | None) -> E:
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            after = self.update(connection, before, values)
            self.note(connection, actor, before, after)
            return after
