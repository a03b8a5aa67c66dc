"""Storing may be killed anywhere."""

import sys
from pathlib import Path

import pytest

from tests import forked

LEAST = 30  # steps: two for each transaction, four for each replica's put and read-back


@pytest.mark.timeout(300)
def test_a_file_whose_storing_is_killed_at_any_step_ends_as_in_peace(
    database_url: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    every = 1 if pytestconfig.getoption("--kills") else 4  # steps; all of them by hand
    checkout = Path(__file__).parents[4]
    command = [
        sys.executable,
        "-m",
        "tests.integration.storage.files.killed_store",
        database_url,
        str(tmp_path),
        str(every),
    ]

    done = forked.run(command, cwd=checkout, capture_output=True, text=True, timeout=280)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= LEAST
