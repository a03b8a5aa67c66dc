"""A house with captures, and its staff site."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.accounts.model import Role
from armarium.db.database import Database
from tests.integration.index.world import MONTHS, World
from tests.site import Client, RunningSite, running_site


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[World]:
    made = World(database, tmp_path / "home")
    made.take(*MONTHS)
    made.index()
    yield made
    made.house.close()


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    with running_site(world.database, world.home) as site:
        yield site
        site.house.close()


@pytest.fixture
def ada(site: RunningSite) -> Client:
    return site.signed_in("ada", Role.CURATOR)
