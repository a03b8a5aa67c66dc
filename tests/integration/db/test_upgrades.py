"""Databases of earlier states become those of today, with all that is in them (made by tests/homes.py)."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import inspect, text

from armarium.db.database import Database
from armarium.db.migrate import current, newest
from armarium.server.assembly import prepare_database
from tests.homes import HOMES
from tests.integration.db.test_migrate import differences
from tests.site import SESSION, running_site

PAGES = (
    "/",
    "/administration/accounts",
    "/administration/audit",
    "/administration/tasks",
    "/planning/domains",
    "/planning/harvests",
    "/harvesting/jobs",
    "/storage/files",
    "/index/chain",
    "/selection/records",
    "/access/use",
)


@pytest.fixture(params=sorted(HOMES.glob("*.sql.gz")), ids=lambda file: file.name.partition(".")[0])
def earlier(request: pytest.FixtureRequest, empty_database_url: str) -> Iterator[Database]:
    """A database as an earlier state left it."""
    file: Path = request.param
    dump = gzip.decompress(file.read_bytes()).decode()
    # Lines with a backslash are for psql alone.
    statements = "\n".join(line for line in dump.splitlines() if not line.startswith("\\"))
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute(statements.encode())
    database = Database(empty_database_url, application="tests")
    yield database
    database.close()


def rows(database: Database) -> dict[str, int]:
    with database.transaction() as connection:
        tables = inspect(connection).get_table_names()
        return {name: connection.scalar(text(f'SELECT count(*) FROM "{name}"')) or 0 for name in tables}


def test_an_earlier_database_becomes_that_of_today_and_loses_nothing(
    earlier: Database, tmp_path: Path
) -> None:
    before = rows(earlier)
    prepare_database(earlier)
    assert current(earlier) == newest()
    assert differences(earlier) == []
    after = rows(earlier)
    assert {
        name: (count, after.get(name)) for name, count in before.items() if after.get(name, -1) < count
    } == {}
    with running_site(earlier, tmp_path / "home") as site, site.client() as client:
        client.cookies.set(SESSION, site.session("ada"), domain="localhost.local")
        assert {page: client.get(page).status_code for page in PAGES} == dict.fromkeys(PAGES, 200)
