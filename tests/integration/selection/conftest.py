"""The staff site with an empty house, and mail servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.notify.conftest import serve
from tests.integration.selection.world import World, world
from tests.site import RunningSite, running_site

__all__ = ["serve"]  # a fixture that the tests of notifications have as well


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        yield running


@pytest.fixture
def library(database: Database) -> World:
    return world(database)
