"""What ./test does with tests that fail beside others: the real command, and real pytest on small tests."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.acceptance.setup.house import CHECKOUT, House

CALM = "def test_calm():\n    pass\n"
FLICKERING = "import os\ndef test_flickering():\n    assert 'PYTEST_XDIST_WORKER' not in os.environ\n"
BROKEN = "def test_broken():\n    assert not 'mended'\n"
SKIPPED_ALONE = (
    "import os, pytest\ndef test_shy():\n"
    "    if 'PYTEST_XDIST_WORKER' not in os.environ: pytest.skip('alone')\n    assert not 'beside others'\n"
)
LEAVES_A_MESS = (
    "import os, pytest\n@pytest.fixture\ndef mess():\n    yield\n"
    "    assert 'PYTEST_XDIST_WORKER' not in os.environ\ndef test_untidy(mess):\n    pass\n"
)
DEAR = "import os\ndef test_dear():\n    os.system('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done')\n"
MANY = "import pytest\n@pytest.mark.parametrize('n', range(26))\ndef test_many(n):\n    assert not 'mended'\n"

AGAIN = "What failed is run again, alone."
FLICKERS = "failed beside others, passed alone: these flicker, mend them today:"


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("failed") / "a house", swift=True)
    house.command_on_the_path("chromium", "exit 0")
    for name in ("failed_checks.py", "failed_tests.py", "test_costs.py"):
        shutil.copy2(CHECKOUT / "tools" / name, house.root / "tools")
    (house.root / "tools/measures.py").write_text("")
    house.command_on_the_path("nproc", "echo 1")
    # What else is installed here says nothing about the command, and takes most of the time.
    house.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"}
    house.call("test")  # sets up; pytest is not there yet
    [packages] = (house.root / ".venv/lib").glob("python*/site-packages")
    (packages / "real.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return house


@pytest.fixture
def house(set_up: House) -> House:
    """A checkout without tests whose checks pass."""
    for tool in ("ruff", "mypy", "lint-imports"):
        answer(set_up, tool, 0)
    for test in set_up.root.glob("tests/test_*.py"):
        test.unlink()
    return set_up


def answer(house: House, tool: str, code: int) -> None:
    path = house.root / ".venv/bin" / tool
    path.write_text(f"#!/bin/bash\nexit {code}\n")
    path.chmod(0o755)


def outcome(house: House, *tests: str, arguments: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    for number, test in enumerate(tests):
        (house.root / f"tests/test_{number}.py").write_text(test)
    return house.call("test", *arguments)


def test_what_fails_beside_others_only_is_listed_at_the_end_and_does_not_fail_the_run(
    house: House, tmp_path: Path
) -> None:
    house.environ["TMPDIR"] = str(tmp_path)
    done = outcome(house, CALM, FLICKERING, LEAVES_A_MESS, DEAR)
    del house.environ["TMPDIR"]

    assert done.returncode == 0, done.stdout + done.stderr
    assert AGAIN in done.stdout
    first, *flickering, last = done.stdout.splitlines()[-4:]
    assert first == FLICKERS
    assert set(flickering) == {"  tests/test_1.py::test_flickering", "  tests/test_2.py::test_untidy"}
    assert last == "4 passed, 0 failed"
    # The first of the two runs ends with what its tests cost the processor.
    lines = done.stdout.splitlines()
    [dearest] = [number for number, line in enumerate(lines) if line.startswith("The 20 dearest")]
    assert lines[dearest + 1].endswith("tests/test_3.py::test_dear")
    assert "4 tests" in lines[dearest - 1]
    # No file is left behind.
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("pytest-of-")] == []


def test_what_fails_again_fails_the_run_and_so_does_what_is_skipped_then(house: House) -> None:
    done = outcome(house, CALM, FLICKERING, BROKEN, SKIPPED_ALONE)

    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        FLICKERS,
        "  tests/test_1.py::test_flickering",
        "2 passed, 2 failed",
    ]
    (house.root / "tests/test_2.py").unlink()
    assert outcome(house).returncode == 1, "the skipped one alone"


def test_a_failed_check_fails_the_run_and_the_arguments_hold_for_the_second_run_too(house: House) -> None:
    answer(house, "mypy", 1)

    done = outcome(house, CALM, FLICKERING, arguments=("tests", "-k", "flickering"))

    assert done.returncode == 1
    assert "FAILED types" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed", "every test passes alone"


@pytest.mark.parametrize(
    ("tests", "arguments"),
    [
        ((FLICKERING, MANY), ()),
        ((FLICKERING, CALM), ("-x",)),  # cut off: nobody knows what the rest would have said
        ((FLICKERING, "import nothing_of_that_name\n"), ()),
        ((CALM, BROKEN), ("-s",)),  # it was alone already
    ],
)
def test_nothing_is_run_again_where_that_would_tell_nothing(
    house: House, tests: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    done = outcome(house, *tests, arguments=arguments)

    assert done.returncode != 0
    assert AGAIN not in done.stdout
    assert ("More than 25 tests failed" in done.stdout) == (MANY in tests)
    assert done.stdout.splitlines()[-1].startswith("=====")
