"""A world with an empty planning room for each test."""

from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.planning.collectors.world import World


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home")
