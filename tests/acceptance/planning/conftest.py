"""How long, and by which number, mischief is done."""

import pytest


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed") or 20261115)


@pytest.fixture
def minutes(request: pytest.FixtureRequest) -> float:
    """0: a short run, for every day."""
    return float(request.config.getoption("--chaos-minutes") or 0)
