"""`armarium` as somebody at a shell meets it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import forked

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    """A shell with a data folder and a database of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")}
    return {**inherited, "ARMARIUM_HOME": str(tmp_path / "home"), "ARMARIUM_DATABASE_URL": database_url}


@pytest.fixture
def armarium(environment: dict[str, str], tmp_path: Path) -> Run:
    def run(*words: str | bytes, **more: str) -> "subprocess.CompletedProcess[str]":
        return forked.run(
            [sys.executable, "-m", "armarium", *words],
            env={**environment, **more},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run
