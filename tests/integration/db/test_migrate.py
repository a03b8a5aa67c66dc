"""Migrations: applied once, in a line, never on a schema from the future, and equal to the tables."""

import importlib
import pkgutil
import sys
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

import armarium
from armarium.core.errors import Misconfigured
from armarium.db.database import Database
from armarium.db.migrate import current, is_current, migrate, newest
from armarium.db.schema import schema
from tests import forked

MIGRATE_AND_COUNT = """
import sys
from sqlalchemy import text
from armarium.db.database import Database
from armarium.db.migrate import migrate
def count(connection):
    connection.execute(text("CREATE TABLE IF NOT EXISTS calls (number int)"))
    connection.execute(text("INSERT INTO calls VALUES (1)"))
migrate(Database(sys.argv[1], application="tests"), also=[count])
"""


@pytest.fixture
def empty(empty_database_url: str) -> Iterator[Database]:
    database = Database(empty_database_url, application="tests")
    yield database
    database.close()


def test_migrating_brings_an_empty_database_to_the_newest_revision(empty: Database) -> None:
    assert current(empty) is None
    assert not is_current(empty)
    migrate(empty)
    assert current(empty) == newest()
    assert is_current(empty)


def test_migrating_twice_changes_nothing(empty: Database) -> None:
    migrate(empty)
    migrate(empty)
    assert is_current(empty)


def test_four_processes_at_once_apply_each_migration_once(empty: Database) -> None:
    processes = [forked.Popen([sys.executable, "-c", MIGRATE_AND_COUNT, empty.url]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    assert is_current(empty)
    with empty.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM calls")).scalar() == 4


def test_a_failing_step_takes_the_migrations_back(empty: Database) -> None:
    def fail(_connection: Connection) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        migrate(empty, also=[fail])
    assert current(empty) is None


def test_a_schema_from_a_newer_version_is_refused_with_both_revisions(empty: Database) -> None:
    migrate(empty)
    with empty.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Misconfigured, match=f"9999.*{newest()}"):
        migrate(empty)
    assert not is_current(empty)


def test_the_migrated_database_equals_the_tables_of_the_packages(database: Database) -> None:
    assert differences(database) == []


def differences(database: Database) -> list[object]:
    """Between what the database has and what the packages declare."""
    import_all_tables()
    with database.transaction() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"compare_type": True, "compare_server_default": True, "include_name": is_ours},
        )
        return list(compare_metadata(context, schema))


def import_all_tables() -> None:
    for module in pkgutil.walk_packages(armarium.__path__, "armarium."):
        if module.name.endswith("tables") or ".tables." in module.name:
            importlib.import_module(module.name)


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    return not (kind == "table" and name is not None and name.startswith("procrastinate_"))
