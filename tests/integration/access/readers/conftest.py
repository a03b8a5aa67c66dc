"""A readers' site for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.access.readers import sessions
from armarium.db.database import Database
from tests.integration.access.readers.world import ReadingRoom, reading_room


@pytest.fixture
def room(database: Database, tmp_path: Path) -> Iterator[ReadingRoom]:
    with reading_room(database, tmp_path) as found:
        yield found


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who somebody is is looked up at each request, so that no test has to wait for it."""
    monkeypatch.setattr(sessions, "FRESH", 0.0)
