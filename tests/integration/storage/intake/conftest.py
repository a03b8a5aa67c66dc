from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.storage.outside import Outside


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Outside:
    return Outside(database, tmp_path)
