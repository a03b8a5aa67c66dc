"""A house in which something happens in every room, in any number of rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from armarium.db.database import Database

ROWS = Path(__file__).with_suffix(".sql")


@dataclass(frozen=True)
class Amounts:
    """How much of each thing there is."""

    records: int = 40
    jobs: int = 60
    files: int = 80
    failed_tasks: int = 3
    days: int = 29  # over which they are spread


FEW = Amounts()


def fill(database: Database, amounts: Amounts = FEW) -> None:
    with database.transaction() as connection:
        for asked, wanted in statements(amounts):
            connection.execute(asked, wanted)
        connection.execute(sa.text("ANALYZE"))


def statements(amounts: Amounts) -> Iterator[tuple[sa.TextClause, dict[str, int]]]:
    for statement in ROWS.read_text().split(";\n"):
        if not statement.isspace():
            asked = sa.text(statement)
            yield asked, {name: getattr(amounts, name) for name in asked.compile().params}


def own(database: Database, account: int, name: str, collection: str) -> None:
    """Make somebody a member of a collection, and those records theirs for which nobody is responsible."""
    member = "INSERT INTO selection_member SELECT id, :account FROM selection_collection WHERE name = :name"
    theirs = "UPDATE selection_record SET created_by = :name WHERE created_by = 'lia'"
    with database.transaction() as connection:
        connection.execute(sa.text(member), {"account": account, "name": collection})
        connection.execute(sa.text(theirs), {"name": name})
