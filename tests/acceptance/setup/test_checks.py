"""What ./test does with the answers of the checks. The checks themselves are stand-ins here."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.setup.house import CHECKOUT, House

TOOLS = ("ruff", "mypy", "lint-imports")
CALLED = 'printf "%s %s\\n" "${0##*/}" "$*" >>"${0%/*}/calls"'
PYTEST = """\
import os, sys
print(sys.argv[1:], sorted(name for name in os.environ if name.startswith("ARMARIUM")))
print("2 passed")
"""


@pytest.fixture(scope="module")
def tested_house(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("tested") / "a house", swift=True)
    house.command_on_the_path("chromium", "exit 0")
    (house.root / "pytest.py").write_text(PYTEST)
    (house.root / "tools/measures.py").write_text("print('all short')")
    house.call("test")  # sets up; the tools are not there yet
    return house


@pytest.fixture
def checks(tested_house: House) -> Iterator[House]:
    """Every check passes, and writes down that it was called."""
    for tool in TOOLS:
        answer(tested_house, tool, 0)
    yield tested_house
    calls = tested_house.root / ".venv/bin/calls"
    calls.unlink(missing_ok=True)


def answer(house: House, tool: str, code: int) -> None:
    path = house.root / ".venv/bin" / tool
    path.write_text(f"#!/bin/bash\n{CALLED}\necho what {tool} says\nexit {code}\n")
    path.chmod(0o755)


def called(house: House) -> list[str]:
    return (house.root / ".venv/bin/calls").read_text().splitlines()


def test_every_check_runs_and_pytest_has_the_last_word(checks: House) -> None:
    done = checks.call("test")

    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(call.split()[0] for call in called(checks)) == ["lint-imports", "mypy", "ruff", "ruff"]
    assert "all short" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 passed"


def test_a_check_that_fails_is_named_with_its_remedy_and_stops_no_other(checks: House) -> None:
    answer(checks, "ruff", 1)

    done = checks.call("test")

    assert done.returncode == 1
    assert "format         FAILED\nwhat ruff says\n\nTo mend it: ./test --fix" in done.stdout
    assert "lint-imports " in called(checks)
    assert done.stdout.splitlines()[-1] == "2 passed"
    assert "tools.failed_checks" in done.stdout


def test_fix_formats_and_mends_and_runs_no_test(checks: House) -> None:
    done = checks.call("test", "--fix")

    assert called(checks) == ["ruff format", "ruff check --fix"]
    assert "passed" not in done.stdout


def test_arguments_go_to_pytest_which_runs_in_several_processes(checks: House) -> None:
    done = checks.call("test", "tests/unit", "-k", "clock")

    assert re.search(r"\['-n', '[2-8]', '--dist', 'loadfile', '--no-loadscope-reorder', ", done.stdout)
    assert ", 'tests/unit', '-k', 'clock']" in done.stdout


@pytest.mark.parametrize("argument", ["-n4", "--pdb", "-s"])
def test_arguments_that_want_one_process_or_another_number_are_obeyed(checks: House, argument: str) -> None:
    done = checks.call("test", argument)

    assert f"['{argument}']" in done.stdout


def test_settings_of_the_developer_do_not_reach_the_tests(checks: House) -> None:
    checks.environ |= {"ARMARIUM_HOME": "/somewhere", "ARMARIUM_TEST_DATABASE_URL": "postgresql://"}

    done = checks.call("test")

    assert "['ARMARIUM_TEST_DATABASE_URL']" in done.stdout
    del checks.environ["ARMARIUM_HOME"], checks.environ["ARMARIUM_TEST_DATABASE_URL"]


def test_pytest_repeats_failed_checks_above_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tools.failed_checks",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            tmp_path,
            tmp_path,
        ],
        cwd=CHECKOUT,
        env=os.environ | {"ARMARIUM_TEST_FAILED_CHECKS": "lint: ./test --fix\ntypes: see above"},
        text=True,
        capture_output=True,
    )

    *_, first, second, last = filter(None, done.stdout.splitlines())
    assert (first, second) == ("FAILED lint: ./test --fix", "FAILED types: see above")
    assert "1 passed" in last
