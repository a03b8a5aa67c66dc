"""A library whose records are handed to a planning with what is shipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from armarium.planning import shipped
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from tests.integration.selection.transfer.handing import Office
from tests.integration.selection.world import World
from tests.site import RunningSite, running_site


@pytest.fixture
def house(database: Database, tmp_path: Path) -> House:
    with database.transaction() as connection:
        shipped.ensure(connection)
    return House(load(SECTIONS, home=tmp_path, environ={}), database)


@pytest.fixture
def office(house: House, library: World) -> Office:
    return Office(house, library)


@pytest.fixture
def site(house: House, database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        yield running
