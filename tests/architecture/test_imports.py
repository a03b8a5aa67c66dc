"""The import rules of pyproject.toml, tried on a made-up house with every room of the plan.

Whether the real house keeps them is the check “import rules” of ./test; here they show that they bite.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
RULES = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS: list[str] = RULES[0]["layers"]
ROOMS = (
    "selection",
    "preparation",
    "planning",
    "harvest",
    "storage",
    "index",
    "access",
    "quality",
    "preservation",
)


def packages(layer: str) -> list[str]:
    return re.findall(r"\w+", layer)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for rule in RULES:
        for container in rule.get("containers", ()):
            below = Path(*container.split(".")[1:])
            for package in (package for layer in rule["layers"] for package in packages(layer)):
                add(tmp_path, str(below / package), "__init__", "")
    (tmp_path / "src/armarium/__init__.py").touch()
    (tmp_path / "pyproject.toml").write_bytes(PYPROJECT.read_bytes())
    return tmp_path


def add(house: Path, package: str, module: str, text: str) -> None:
    folder = house / "src/armarium" / package
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(text)


def check(house: Path) -> "subprocess.CompletedProcess[str]":
    start = "import sys; sys.path.insert(0, 'src'); from importlinter import cli; cli.lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", start, "--no-cache"],
        cwd=house,
        text=True,
        capture_output=True,
        env={"COLUMNS": "200"},
    )


def test_the_whole_plan_without_a_forbidden_import_passes(house: Path) -> None:
    add(house, "cli", "main", "import armarium.server\nimport armarium.core\n")

    done = check(house)

    assert done.returncode == 0, done.stdout


def test_every_room_of_the_plan_is_named_and_stands_on_the_same_floor() -> None:
    (floor,) = (layer for layer in LAYERS if "selection" in layer)

    assert set(ROOMS) <= set(packages(floor))


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("core", "settings"),
        ("formats", "db"),
        ("db", "accounts"),
        ("web", "administration"),
        ("harvest", "planning"),
        ("access", "index"),
        ("storage", "workflow"),
        ("workflow", "collector"),
        ("tasks", "processes"),
        ("server", "cli"),
    ],
)
def test_an_import_against_the_direction_is_refused(house: Path, importer: str, imported: str) -> None:
    add(house, importer, "model", f"import armarium.{imported}\n")

    done = check(house)

    assert done.returncode == 1
    assert f"armarium.{importer}.model -> armarium.{imported}" in done.stdout


def test_a_package_that_the_plan_does_not_name_is_refused(house: Path) -> None:
    add(house, "novelty", "__init__", "")

    done = check(house)

    assert done.returncode == 1
    assert "novelty" in done.stdout


@pytest.mark.parametrize("outside", ["sqlalchemy", "socket", "fastapi"])
def test_core_may_not_reach_out(house: Path, outside: str) -> None:
    add(house, "core", "model", f"import {outside}\n")

    done = check(house)

    assert done.returncode == 1
    assert f"armarium.core.model -> {outside}" in done.stdout
