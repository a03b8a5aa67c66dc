"""What a shell proposes at TAB: in a real bash, for `armarium` and for `./run`."""

import subprocess
import sys
from pathlib import Path

import pytest

from armarium.cli.completion import proposals

TRY = """
source <("$1" completion bash)
propose() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _armarium "$1"; echo "${COMPREPLY[*]}"; }
complete -p "$1"
propose "$1" store replicas r
propose "$1" tasks list --state = can
propose "$1" store replicas show x
propose /bin/ls ""
"""


def test_a_real_bash_completes_run_and_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text(f'#!/bin/sh\nexport ARMARIUM_RUN="$0"\nexec {sys.executable} -m armarium "$@"\n')
    run.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "ARMARIUM_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        ["bash", "-c", TRY, "try", str(run)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""  # there is no database, and nothing is said about it
    assert done.stdout.splitlines() == [
        f"complete -o default -F _armarium {run}",
        "retire",
        "cancelled",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["plan", "jobs", "list", "--ord"], "--order"),
        (["--home", "/x", "store", "fi"], "files"),
        (["select", "records", "add", "--budget", "me"], "medium"),
        (["store", "repairs", "list", "--state", "und"], "undecided"),
    ],
)
def test_options_before_a_command_and_choices_after_one_are_known(words: list[str], found: str) -> None:
    *before, current = words
    assert [name for name, _ in proposals(before, current)] == [found]
