"""Whom the next supervisor ends, and whom it must leave alone."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from armarium.server.claim import Roll


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def test_a_child_on_the_roll_is_ended(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    Roll(tmp_path / "children.json").add("worker-1", sleeper.pid)

    assert Roll(tmp_path / "children.json").end_leftovers() == ["worker-1"]

    assert sleeper.wait(60) < 0
    assert not (tmp_path / "children.json").exists()


def test_a_frozen_child_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    deaf = subprocess.Popen(
        ["sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done"],
        start_new_session=True,
        stdout=subprocess.PIPE,
    )
    assert deaf.stdout
    assert deaf.stdout.readline() == b"deaf\n"
    Roll(tmp_path / "children.json").add("worker-1", deaf.pid)
    psutil.Process(deaf.pid).suspend()

    Roll(tmp_path / "children.json").end_leftovers(grace=0.5)

    assert deaf.wait(60) == -9


def test_somebody_elses_process_with_a_pid_used_again_is_left_alone(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    roll = tmp_path / "children.json"
    earlier = psutil.Process(sleeper.pid).create_time() - 60
    roll.write_text(json.dumps({"worker-1": {"pid": sleeper.pid, "started": earlier}}))

    assert Roll(roll).end_leftovers() == []

    assert sleeper.poll() is None


def test_a_pid_that_nobody_has_any_more_is_passed_over(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    roll = tmp_path / "children.json"
    roll.write_text(json.dumps({"worker-1": {"pid": gone.pid, "started": 0}}))

    assert Roll(roll).end_leftovers() == []


@pytest.mark.parametrize(
    "damaged",
    ["", "{", "[1, 2]", '{"web": 1}', '{"web": {"pid": null}}', '{"web": {"pid": -1, "started": 0}}'],
)
def test_a_damaged_roll_ends_nobody_and_keeps_nobody_from_starting(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "children.json").write_text(damaged)

    assert Roll(tmp_path / "children.json").end_leftovers() == []


def test_a_child_that_ended_is_no_longer_on_the_roll(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "children.json")
    roll.add("web", os.getpid())
    roll.remove("web")

    assert json.loads((tmp_path / "children.json").read_text()) == {}
