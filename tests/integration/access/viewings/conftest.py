"""A house whose jobs have brought files, for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.access.viewings.world import ViewerWorld


@pytest.fixture
def there(database: Database, tmp_path: Path) -> Iterator[ViewerWorld]:
    world = ViewerWorld(database, tmp_path / "home")
    yield world
    world.close()
