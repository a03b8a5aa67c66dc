from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.db.database import Database
from tests.integration.web.steps import Lines
from tests.site import RunningSite, running_site
from tests.slapd import Directory, running_directory


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Directory]:
    """A directory for this test alone."""
    with running_directory(tmp_path / "directory") as running:
        yield running


@pytest.fixture
def site(database: Database, tmp_path: Path, directory: Directory) -> Iterator[RunningSite]:
    """The staff site of a library that has this directory."""
    with running_site(database, tmp_path / "home", **directory.environ) as running:
        yield running


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """The log of the site."""
    return Lines(tmp_path / "home")
