"""Standard output holds the answer and nothing else: programs read it."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_a_command_that_starts_the_database_writes_only_json_to_standard_output(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "armarium", "--home", tmp_path, "accounts", "list", "--json"],
        env={name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
    assert "PostgreSQL started" in done.stderr
