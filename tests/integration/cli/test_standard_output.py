"""Standard output holds the answer and nothing else: programs read it."""

import json
import os
import sys
from pathlib import Path

from armarium.server.assembly import SECTIONS, opened
from armarium.settings import load
from tests import forked


def test_a_command_that_starts_the_database_writes_only_json_to_standard_output(tmp_path: Path) -> None:
    with opened(load(SECTIONS, home=tmp_path, environ={}), application="test"):
        pass  # a house that nobody is in any more
    done = forked.run(
        [sys.executable, "-m", "armarium", "--home", tmp_path, "accounts", "list", "--json"],
        env={name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
    assert done.stderr == ""


def test_a_command_in_the_wrong_folder_makes_no_house_there(tmp_path: Path) -> None:
    done = forked.run(
        [sys.executable, "-m", "armarium", "accounts", "list"],
        env={name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 1
    assert "There is no Armarium in" in done.stderr
    assert list(tmp_path.iterdir()) == []
