"""Lists of crawler traps for all domains: expressions for addresses that no job may follow."""

from sqlalchemy import Connection

from armarium.audit.entities import Kind
from armarium.core.actor import Actor
from armarium.core.errors import Refusals, Refused
from armarium.core.message import Message, message
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.parsing import check_comments, check_name
from armarium.planning.searching import Searched
from armarium.planning.tables.domains import trap_list
from armarium.planning.traps.rules import TrapList, check_traps

trap_lists = Rows(trap_list, TrapList, order=(trap_list.c.active.desc(), trap_list.c.name))


def active_lists(connection: Connection) -> list[TrapList]:
    """The oldest first: its expressions are tried first."""
    return sorted(trap_lists.all(connection, trap_list.c.active), key=lambda one: one.id)


#: Where filters of running jobs go that shall hold for all domains.
FROM_JOBS = "from-jobs"


class TrapLists(Searched[TrapList]):
    rows = trap_lists
    kind = Kind(
        "trap-list",
        topic="traps",
        missing=message("There is no list of traps with the number %(number)s."),
        unnamed=message("There is no list of traps named %(name)s."),
        taken=message("There is a list named %(name)s already."),
        changed=message("Somebody changed this list meanwhile. Look at it again, then save."),
    )

    active = reading(active_lists)

    def add(self, connection: Connection, actor: Actor, pattern: str, *, to: str = FROM_JOBS) -> None:
        """Add one expression to a list, made if need be; for filters that were tried on a running job."""
        (checked,) = check_traps([pattern]) or (None,)
        if checked is None:
            raise Refused(message("There is no expression to save."), field="pattern")
        self.rows.insert(connection, name=check_name(to))
        found = self.rows.by_name(connection, check_name(to), lock=True)
        assert found is not None
        if checked not in found.expressions:
            after = self.update(connection, found, {"expressions": [*found.expressions, checked]})
            self.note(connection, actor, found, after)

    def create(self, actor: Actor, new: TrapList) -> TrapList:
        return self.make(actor, _checked(new))

    def change(self, actor: Actor, number: int, new: TrapList, *, seen: str | None = None) -> TrapList:
        return self.edit(actor, number, _checked(new), seen)


def _checked(new: TrapList) -> dict[str, object]:
    with Refusals() as wrong:
        return {
            "name": wrong.attempt(lambda: check_name(new.name)),
            "description": wrong.attempt(lambda: check_comments(new.description)),
            "expressions": list(wrong.attempt(lambda: check_traps(new.expressions)) or ()),
            "active": new.active,
        }


ACTIONS: dict[str, Message] = {
    "trap-list.created": message("List of traps created"),
    "trap-list.changed": message("List of traps changed"),
    "extended-field.created": message("Custom field created"),
    "extended-field.changed": message("Custom field changed"),
}
WORDS: dict[str, Message] = {
    "trap-list": message("List of traps"),
    "expressions": message("Expressions"),
    "extended-field": message("Custom field"),
    "choices": message("Choices"),
    "default_value": message("Default"),
    "help": message("Help"),
    "mandatory": message("Mandatory"),
    "place": message("Place"),
}
