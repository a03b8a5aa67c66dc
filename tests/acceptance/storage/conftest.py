"""How many files, how often something is killed, and by which number."""

import pytest

FILES = 60
FILES_PER_KILL = 100
FEWEST_KILLS = 3


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed"))


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--files") or FILES)


@pytest.fixture
def kills(request: pytest.FixtureRequest, count: int) -> int:
    """Half of them while files are stored, half of them while copies are audited and repaired."""
    return int(request.config.getoption("--kills") or max(FEWEST_KILLS, count // FILES_PER_KILL))
