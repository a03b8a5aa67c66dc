"""A worker that is killed in the middle of an import leaves nothing of it; the next one does all of it."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.selection.exchange.model import ImportState, Mode
from armarium.selection.exchange.tables import fault
from armarium.selection.records import writing
from armarium.selection.records.writing import Entered
from armarium.selection.tables import record
from tests.integration.selection.exchange.desk import Desk, desk
from tests.integration.selection.killing import kill_a_worker

LINES = 3000


def count(connection: Connection, table: sa.Table) -> int:
    return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def in_the_way(it: Desk, connection: Connection, address: str) -> None:
    """A record that nobody sees yet, because of which the import waits in the midst of its writing."""
    writing.create_many(connection, it.world.cora, [Entered(it.world.draft(address))])


def test_a_killed_worker_leaves_nothing_and_the_next_one_does_all(database: Database, tmp_path: Path) -> None:
    it = desk(database)
    text = "address;title\n" + "".join(f"site-{n}.example;Site {n}\n" for n in range(LINES)) + "http://[;\n"
    kept = it.imports.keep(it.world.ada, "many.csv", [text.encode()], Mode.GOOD, it.world.press.id)
    it.imports.defer(kept.id)
    kill_a_worker(
        database,
        tmp_path,
        lambda connection: in_the_way(it, connection, f"http://site-{LINES // 2}.example/"),
    )
    with database.transaction() as connection:
        assert (count(connection, record), count(connection, fault)) == (0, 0)
    assert it.imports.get(kept.id).state is ImportState.RUNNING
    done = it.imports.run(kept.id)  # as the next worker does
    assert (done.state, done.counts.created, done.counts.refused) == (ImportState.IMPORTED, LINES, 1)
    with database.transaction() as connection:
        assert (count(connection, record), count(connection, fault)) == (LINES, 1)
