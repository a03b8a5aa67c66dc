"""Questions that a service only passes on: each in a transaction of its own."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from armarium.db.database import Database

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
