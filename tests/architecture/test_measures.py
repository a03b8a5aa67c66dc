"""tools/measures.py on made-up trees: each measure finds its breach, and names the place."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import measures

SHORT = '"""A module."""\n'


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def breaches(root: Path, folder: str, name: str, text: str) -> list[str]:
    """What is found in one file, apart from the averages of an area that consists of it."""
    area = "tests" if folder == "tests" else "program"
    _, found = measures.measure_area(tree(root, {f"{folder}/{name}": text}), area)
    return [str(breach) for breach in found if breach.where != area]


def function(lines: int, name: str = "work") -> str:
    return f"def {name}():\n" + "    x = 1\n" * (lines - 1)


def test_a_function_of_sixty_lines_passes_and_one_more_is_too_long(tmp_path: Path) -> None:
    assert breaches(tmp_path, "src", "armarium/short.py", function(60)) == []
    assert breaches(tmp_path, "src", "armarium/long.py", "\n" + function(61)) == [
        "src/armarium/long.py:2: work has 61 lines; a function has at most 60"
    ]


@pytest.mark.parametrize("suffix", ["py", "js", "css", "html", "sql"])
def test_a_file_over_five_hundred_lines_is_too_long_whatever_its_language(
    tmp_path: Path, suffix: str
) -> None:
    assert breaches(tmp_path, "src", f"armarium/long.{suffix}", "\n" * 501) == [
        f"src/armarium/long.{suffix}:1: 501 lines; a file has at most 500"
    ]


def test_half_the_files_may_not_be_longer_than_the_median_allows(tmp_path: Path) -> None:
    tree(tmp_path, {"src/a.py": "\n" * 151, "src/b.py": "\n" * 151, "src/c.py": SHORT})

    _, found = measures.measure_area(tmp_path, "program")

    assert "program: the median of the file lengths is 151 lines; the limit is 150" in map(str, found)


def test_one_file_in_twenty_may_be_long_but_not_two(tmp_path: Path) -> None:
    tree(tmp_path, {f"src/short{number}.py": SHORT for number in range(19)} | {"src/long.py": "\n" * 400})
    assert measures.measure_area(tmp_path, "program")[1] == []

    tree(tmp_path, {"src/short0.py": "\n" * 400})
    _, found = measures.measure_area(tmp_path, "program")

    assert [str(breach) for breach in found] == [
        "program: the file length that 95 % keep is 400 lines; the limit is 300"
    ]


def test_one_function_in_twenty_may_be_long_but_not_two(tmp_path: Path) -> None:
    short = "\n".join(function(2, f"short{number}") for number in range(18))
    tree(tmp_path, {"src/a.py": short, "src/b.py": function(50, "long"), "src/c.py": function(50, "longer")})

    _, found = measures.measure_area(tmp_path, "program")

    assert [str(breach) for breach in found] == [
        "program: the function length that 95 % keep is 50 lines; the limit is 40"
    ]


def test_a_bare_except_is_found(tmp_path: Path) -> None:
    assert breaches(tmp_path, "src", "a.py", "try:\n    pass\nexcept:\n    pass\n") == [
        "src/a.py:3: bare except; name the errors you expect"
    ]


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception:\n    pass",
        "except (OSError, Exception) as error:\n    print(error)",
        "except BaseException:\n    pass",
        "except Exception as error:\n    raise ValueError from error",
    ],
)
def test_a_broad_except_is_found(tmp_path: Path, handler: str) -> None:
    (found,) = breaches(tmp_path, "src", "a.py", f"try:\n    pass\n{handler}\n")

    assert found.startswith("src/a.py:3: except Exception belongs to a process's outermost loop")


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception:  # noqa: BLE001  # outermost loop: the worker goes on\n    pass",
        "except Exception:\n    # The outermost loop of this thread.\n    pass",
        "except BaseException:\n    print()\n    raise",
        "except OSError:\n    pass",
    ],
)
def test_the_outermost_loop_and_an_error_raised_again_are_no_breach(tmp_path: Path, handler: str) -> None:
    assert breaches(tmp_path, "src", "a.py", f"try:\n    pass\n{handler}\n") == []


def test_suppressing_every_error_is_a_broad_except_too(tmp_path: Path) -> None:
    text = "import contextlib\nwith contextlib.suppress(Exception):\n    pass\n"

    assert breaches(tmp_path, "src", "a.py", text) == [
        "src/a.py:2: suppress(Exception) hides damage; name the errors you expect"
    ]


def test_an_import_hidden_in_a_function_is_found(tmp_path: Path) -> None:
    (found,) = breaches(tmp_path, "src", "a.py", "def outer():\n    def inner():\n        import os\n")

    assert found.startswith("src/a.py:3: import inside a function")


def test_an_optional_dependency_may_be_imported_in_a_function(tmp_path: Path) -> None:
    text = "def work():\n    try:\n        import tika\n    except ImportError:\n        return None\n"

    assert breaches(tmp_path, "src", "a.py", text) == []


@pytest.mark.parametrize(
    "name", ["utils.py", "lib/words.py", "_common.py", "date_helpers.py", "static/misc.js"]
)
def test_a_name_that_says_nothing_is_found(tmp_path: Path, name: str) -> None:
    (found,) = breaches(tmp_path, "src", f"armarium/{name}", "")

    assert found.startswith(f"src/armarium/{name}:1: the name “")


def test_a_name_that_only_contains_such_a_word_passes(tmp_path: Path) -> None:
    assert breaches(tmp_path, "src", "armarium/common_crawl/library.py", "") == []


@pytest.mark.parametrize(
    "test",
    [
        "from unittest import mock\ndef test_a():\n    mock.Mock()\n",
        "from unittest.mock import patch as stand_in\n@stand_in('os.remove')\ndef test_a():\n    pass\n",
        "import unittest.mock\ndef test_a():\n    unittest.mock.Mock()\n",
        "def test_a(mocker):\n    pass\n",
        "import os\ndef test_a(monkeypatch):\n    monkeypatch.setattr(os, 'remove', print)\n",
    ],
)
def test_a_test_with_a_mock_is_counted(tmp_path: Path, test: str) -> None:
    (found,) = breaches(tmp_path, "tests", "test_a.py", test)

    assert found.endswith("mocks in more than 5% of the tests")


def test_a_variable_of_the_environment_and_a_method_called_patch_are_no_mocks(tmp_path: Path) -> None:
    text = "def test_a(monkeypatch, client):\n    monkeypatch.setenv('A', 'b')\n    client.patch('/')\n"

    assert breaches(tmp_path, "tests", "test_a.py", text) == []


def test_one_mock_in_twenty_tests_is_allowed(tmp_path: Path) -> None:
    plain = "".join(f"def test_{number}():\n    pass\n" for number in range(19))

    assert breaches(tmp_path, "tests", "test_a.py", plain + "def test_last(mocker):\n    pass\n") == []


def measured(root: Path) -> "subprocess.CompletedProcess[str]":
    """The whole command: an interpreter of its own, because this one has imported the real armarium."""
    command = [sys.executable, measures.__file__, str(root)]
    return subprocess.run(command, text=True, capture_output=True)


def test_an_import_cycle_breaks_the_limits(tmp_path: Path) -> None:
    package = {
        "__init__": "",
        "a": "import armarium.b\n",
        "b": "from armarium import c\n",
        "c": "import armarium.a\n",
    }
    tree(tmp_path, {f"src/armarium/{name}.py": text for name, text in package.items()})

    done = measured(tmp_path)

    assert done.returncode == 1, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if "import cycle" in line)
    assert "armarium.a → armarium.b" in line or "armarium.b → armarium.c" in line


def test_a_house_in_order_passes_and_its_figures_are_printed(tmp_path: Path) -> None:
    tree(tmp_path, {"src/armarium/__init__.py": SHORT, "src/armarium/a.py": SHORT + function(3)})

    done = measured(tmp_path)

    assert done.returncode == 0, done.stdout
    assert (
        "program: 2 files, lines: median 2.5, 95 % 4, max 4; 1 functions, lines: 95 % 3, max 3" in done.stdout
    )
    assert done.stdout.endswith("limits broken: 0\n")
