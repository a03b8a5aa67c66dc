from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from armarium.planning import shipped
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from tests.site import RunningSite, running_site


@pytest.fixture
def house(database: Database, tmp_path: Path) -> House:
    """The services on a database with what is shipped."""
    with database.transaction() as connection:
        shipped.ensure(connection)
    return House(load(SECTIONS, home=tmp_path, environ={}), database)


@pytest.fixture
def site(house: House, database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        yield running
