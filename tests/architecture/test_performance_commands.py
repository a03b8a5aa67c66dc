"""The commands of the page on performance, with the extra `test` and without it, as `./run` sets it up."""

import importlib
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "performance.md"
COMMANDS = sorted(set(re.findall(r"python -m (bench(?:\.[a-z_]+)+)", PAGE.read_text("utf-8"))))
#: Those that compare with packages of the extra, as the page says at its beginning.
WITH_PEERS = re.compile(r"bench\.(formats\.\w+|load|index\.indexing)")

#: Imports all commands, without the packages in the first argument; tells of those that cannot be.
WITHOUT = """
import importlib, json, sys
forbidden, commands = map(json.loads, sys.argv[1:])
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in forbidden:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
missing = {}
for command in commands:
    try:
        importlib.import_module(command)
        importlib.import_module(command + ".__main__") if hasattr(sys.modules[command], "__path__") else None
    except ModuleNotFoundError as error:
        missing[command] = error.name
print(json.dumps(missing))
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_on_performance_has_all_that_it_needs(command: str) -> None:
    """Whoever has the extra `test` can measure again."""
    module = importlib.import_module(command)
    assert not hasattr(module, "__path__") or importlib.util.find_spec(f"{command}.__main__")


def test_only_those_that_the_page_names_need_more_than_the_program_does() -> None:
    arguments = [json.dumps(sorted(packages_of_extras())), json.dumps(COMMANDS)]
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], cwd=ROOT, capture_output=True, check=True, text=True
    )
    missing = json.loads(told.stdout)
    assert set(missing) == {one for one in COMMANDS if WITH_PEERS.fullmatch(one)}, missing


@pytest.mark.parametrize("command", ["bench.formats", "bench.formats.reading", "bench.index.indexing"])
def test_a_command_without_options_tells_what_it_does_without_doing_it(command: str) -> None:
    told = subprocess.run(
        [sys.executable, "-S", "-m", command, "--help"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert told.stdout.strip() == (importlib.import_module(main_of(command)).__doc__ or "").strip()


def main_of(command: str) -> str:
    return f"{command}.__main__" if (ROOT / command.replace(".", "/")).is_dir() else command


def packages_of_extras() -> set[str]:
    """What can be imported here, and not where `./run` has set everything up."""
    needed: set[str] = set()
    left = {"armarium"}
    while left:
        name = left.pop()
        needed.add(name)
        left |= required_by(name) - needed
    given = importlib.metadata.packages_distributions()
    return {
        package
        for package, names in given.items()
        if package not in {"bench", "tests"} and not {plain(one) for one in names} & needed
    }


def required_by(name: str) -> set[str]:
    try:
        stated = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:  # for another system or an older Python
        return set()
    asked = [Requirement(one) for one in stated]
    return {
        plain(one.name)
        for one in asked
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *wanted(name)))
    }


def wanted(name: str) -> set[str]:
    """Extras of it that the program asks for."""
    return set() if name == "armarium" else EXTRAS.get(name, set())


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


EXTRAS = {
    plain(one.name): set(one.extras)
    for one in map(Requirement, importlib.metadata.requires("armarium") or [])
    if one.extras
}
