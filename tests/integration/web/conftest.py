from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.web.steps import Lines
from tests.site import RunningSite, running_site


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> Lines:
    """The log of the site, which is JSON where standard error is no terminal."""
    return Lines(capfd)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """The staff site with an empty house."""
    with running_site(database, tmp_path) as running:
        yield running
