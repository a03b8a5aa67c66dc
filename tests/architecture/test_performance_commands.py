"""The commands of the page on performance, in the environment that the tests have."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
COMMANDS = sorted(set(re.findall(r"python -m (bench(?:\.[a-z_]+)+)", PAGE.read_text("utf-8"))))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_on_performance_has_all_that_it_needs(command: str) -> None:
    """Whoever has the extra `test` can measure again."""
    module = importlib.import_module(command)
    assert not hasattr(module, "__path__") or importlib.util.find_spec(f"{command}.__main__")
