"""How hard a crawl is treated."""

import pytest


@pytest.fixture(scope="session")
def kills(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--kills") or 2)


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed") or 20261115)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Two webs that differ in all that chance decides; one in every test run."""
    if "web_number" in metafunc.fixturenames:
        numbers = ["1", "7"] if metafunc.config.getoption("--all") else ["7"]
        metafunc.parametrize("web_number", numbers, scope="module")
