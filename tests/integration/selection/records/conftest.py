from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.selection.records.desk import Desk
from tests.integration.selection.world import world
from tests.site import running_site


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> Iterator[Desk]:
    with running_site(database, tmp_path) as site:
        yield Desk(site, world(database))
