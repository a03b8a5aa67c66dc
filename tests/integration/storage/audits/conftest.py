"""A world with some stored files for each test."""

from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.storage.audits.world import World


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home")
