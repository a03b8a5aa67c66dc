import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.setup.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "a house")


@pytest.fixture
def swift_house(tmp_path: Path) -> House:
    return House(tmp_path / "a house", swift=True)


@pytest.fixture(scope="module")
def fresh_house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("shared") / "a house")


@pytest.fixture(scope="module")
def first_start(fresh_house: House) -> "subprocess.CompletedProcess[str]":
    return fresh_house.call("run")


@pytest.fixture
def finished_house(fresh_house: House, first_start: "subprocess.CompletedProcess[str]") -> House:
    """A checkout that was started once. Making one takes seconds, so tests share it and leave it finished."""
    assert first_start.returncode == 0, first_start.stderr
    return fresh_house


@pytest.fixture
def public_house() -> Iterator[House]:
    """A checkout that every user of the machine can read: pytest's own folders are private."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    house = House(folder / "a house")
    house.root.chmod(0o777)
    yield house
    shutil.rmtree(folder)
