"""Lists of crawler traps for all domains: expressions for addresses that no job may follow."""

from collections.abc import Iterable

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.planning.domains import traps_queries as queries
from armarium.planning.domains.rules import check_comments, check_name, check_traps
from armarium.planning.domains.traps_queries import TrapList

#: Where filters of running jobs go that shall hold for all domains.
FROM_JOBS = "from-jobs"


def subject(traps: TrapList) -> Subject:
    return Subject("trap-list", traps.id, traps.name)


class TrapLists:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[TrapList], int]:
        with self._database.transaction() as connection:
            return queries.lists(connection, limit, offset)

    def get(self, number: int) -> TrapList:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    def named(self, name: str) -> TrapList:
        with self._database.transaction() as connection:
            found = queries.by_name(connection, name.strip())
        if found is None:
            raise NotFound(message("There is no list of traps named %(name)s.", name=name))
        return found

    def active(self, connection: Connection) -> tuple[str, ...]:
        """Every expression of the active lists, each once: for the jobs that are generated now."""
        lists = queries.active(connection)
        return tuple(dict.fromkeys(one for found in lists for one in found.expressions))

    def active_lists(self) -> list[TrapList]:
        with self._database.transaction() as connection:
            return queries.active(connection)

    # Changing

    def add(self, connection: Connection, actor: Actor, pattern: str, *, to: str = FROM_JOBS) -> None:
        """Add one expression to a list, made if need be; for filters that were tried on a running job."""
        (checked,) = check_traps([pattern]) or (None,)
        if checked is None:
            raise Refused(message("There is no expression to save."), field="pattern")
        queries.insert(connection, name=check_name(to))
        found = queries.by_name(connection, check_name(to), lock=True)
        assert found is not None
        if checked not in found.expressions:
            queries.update(connection, found.id, expressions=[*found.expressions, checked])
            self._changed(connection, actor, found)

    def create(
        self,
        actor: Actor,
        name: str,
        expressions: Iterable[str],
        *,
        description: str = "",
        active: bool = True,
    ) -> TrapList:
        values = _checked(name, description, expressions, active)
        with self._database.transaction() as connection:
            number = queries.insert(connection, **values)
            if number is None:
                raise _name_taken(name)
            made = self._existing(connection, number)
            record(connection, actor, "trap-list.created", subject(made), after=made.described())
            announce(connection, "traps")
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        *,
        name: str,
        expressions: Iterable[str],
        description: str = "",
        active: bool = True,
        seen: str | None = None,
    ) -> TrapList:
        values = _checked(name, description, expressions, active)
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            if seen and seen != before.mark:
                raise Refused(message("Somebody changed this list meanwhile. Look at it again, then save."))
            try:
                queries.update(connection, number, **values)
            except IntegrityError as taken:
                raise _name_taken(name) from taken
            return self._changed(connection, actor, before)

    # Steps

    def _changed(self, connection: Connection, actor: Actor, before: TrapList) -> TrapList:
        after = self._existing(connection, before.id)
        old, new = before.described(), after.described()
        record(connection, actor, "trap-list.changed", subject(after), before=old, after=new)
        announce(connection, "traps")
        return after

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> TrapList:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no list of traps with the number %(number)s.", number=number))
        return found


def _checked(name: str, description: str, expressions: Iterable[str], active: bool) -> dict[str, object]:
    return {
        "name": check_name(name),
        "description": check_comments(description),
        "expressions": list(check_traps(expressions)),
        "active": active,
    }


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a list named %(name)s already.", name=name), field="name")
