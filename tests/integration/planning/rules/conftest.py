from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.site import RunningSite, running_site


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """The staff site with what is shipped."""
    with running_site(database, tmp_path) as running:
        yield running
