"""The lists of crawler traps for all domains, and their rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from sqlalchemy import Connection

from armarium.core.entities import Described
from armarium.db.rows import Rows
from armarium.planning.tables.domains import trap_list


@dataclass(frozen=True)
class TrapList(Described):
    id: int = 0
    name: Annotated[str, Field(max_length=100)] = ""
    description: Annotated[str, Field(max_length=30_000)] = ""
    active: bool = True
    expressions: Annotated[Sequence[str], Field(max_length=1000)] = ()
    edition: int = 1


trap_lists = Rows(trap_list, TrapList, order=(trap_list.c.active.desc(), trap_list.c.name))


def active(connection: Connection) -> list[TrapList]:
    """The oldest first: its expressions are tried first."""
    return sorted(trap_lists.all(connection, trap_list.c.active), key=lambda one: one.id)
