"""One database for all tests of the chain: making one for each takes longer than most of them."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from armarium.db.database import Database
from armarium.index.tables import index_collection, index_file, index_membership, index_run, index_step
from armarium.storage.tables import stored_file
from tests.conftest import _new_database
from tests.integration.index.chain.archive import chain_of
from tests.integration.index.chain.world import World


@pytest.fixture(scope="session")
def shared(server_url: str, database_maker: psycopg.Connection, template: str) -> Iterator[Database]:
    with _new_database(server_url, database_maker, template) as url:
        database = Database(url, application="tests of the chain")
        yield database
        database.close()


@pytest.fixture
def database(shared: Database) -> Database:
    """A database in which the chain has nothing yet, and nothing to do."""
    with shared.transaction() as connection:
        for table in (index_membership, index_run, index_step, index_file, stored_file):
            connection.execute(sa.delete(table))
        connection.execute(sa.delete(index_collection).where(~index_collection.c.everything))
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    return shared


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[World]:
    chain, archive = chain_of(database, tmp_path)
    yield World(chain, archive, database)
    chain.close()
