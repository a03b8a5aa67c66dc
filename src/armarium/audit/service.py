"""Write into the log, and read it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from armarium.audit import tables
from armarium.audit.model import Entry, Question
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.db.database import Database
from armarium.db.stretches import Beginning


@dataclass(frozen=True)
class Subject:
    """The object that an entry speaks of."""

    kind: str
    id: object
    name: str


@dataclass(frozen=True)
class Happening:
    """What was done to one object, where many are changed at once."""

    action: str
    subject: Subject
    before: Mapping[str, object]
    after: Mapping[str, object]


def record(
    connection: Connection,
    actor: Actor,
    action: str,
    subject: Subject,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """Write one entry in the transaction of the change itself: either both happen or neither."""
    record_many(connection, actor, [Happening(action, subject, before or {}, after or {})])


def record_many(connection: Connection, actor: Actor, happenings: Iterable[Happening]) -> None:
    """An entry for each, in the transaction of the changes."""
    by = {
        "at": clock.now(),
        "actor": actor.name,
        "account": actor.account,
        "via": actor.via.value,
        "address": actor.address,
    }
    tables.insert_many(
        connection,
        [
            {
                **by,
                "action": one.action,
                "object_kind": one.subject.kind,
                "object_id": str(one.subject.id),
                "object_name": one.subject.name,
                "before": dict(one.before),
                "after": dict(one.after),
            }
            for one in happenings
        ],
    )


class Audit:
    def __init__(self, database: Database) -> None:
        self.database = database

    def page(self, question: Question, *, limit: int, offset: Beginning = 0) -> tuple[list[Entry], int]:
        """Entries that answer the question, newest first, and how many there are in all."""
        with self.database.transaction() as connection:
            entries = list(tables.select(connection, question, limit, offset))
            return entries, tables.count(connection, question)

    def actions(self) -> list[str]:
        with self.database.transaction() as connection:
            return tables.actions(connection)
