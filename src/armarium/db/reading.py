"""Questions of a service: those that it only passes on, and those for one thing by its number."""

from collections.abc import Callable
from typing import ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from armarium.core.entities import D
from armarium.core.errors import NotFound
from armarium.core.message import Message
from armarium.db.database import Database
from armarium.db.rows import Rows
from armarium.db.stretches import Beginning

P = ParamSpec("P")
T = TypeVar("T")


class HasDatabase(Protocol):
    _database: Database


def reading(query: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[HasDatabase, P], T]:
    """A method of a service that asks this and nothing else: `followers = reading(tables.followers)`."""

    def read(self: HasDatabase, /, *given: P.args, **named: P.kwargs) -> T:
        with self._database.transaction() as connection:
            return query(connection, *given, **named)

    return read


class ByNumber(Generic[D]):
    """A service of things that have a number; a subclass names their rows."""

    rows: Rows[D]
    missing: ClassVar[Message]  # There is no import with the number %(number)s.

    def __init__(self, database: Database) -> None:
        self._database = database

    def existing(self, connection: Connection, number: int, *, lock: bool = False) -> D:
        found = self.rows.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(self.missing.saying(number=number))
        return found


class Listed(ByNumber[D]):
    """One whose things everybody may read."""

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[D], int]:
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset)

    def get(self, number: int) -> D:
        with self._database.transaction() as connection:
            return self.existing(connection, number)
