from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.web.steps import Lines
from tests.site import RunningSite, running_site


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """The log of the site, which is JSON where standard error is no terminal."""
    return Lines(tmp_path)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """The staff site with an empty house."""
    with running_site(database, tmp_path) as running:
        yield running
