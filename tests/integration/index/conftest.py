from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.index.world import MONTHS, World


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[World]:
    """Four files of three months, all of them indexed."""
    made = World(database, tmp_path / "home")
    made.take(*MONTHS)
    made.index()
    yield made
    made.house.close()
