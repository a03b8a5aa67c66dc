"""One supervisor for one data folder."""

import os
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured, Refused
from armarium.server.claim import claimed


def test_a_second_claim_is_refused_with_the_pid_and_address_of_the_first(tmp_path: Path) -> None:
    with claimed(tmp_path) as claim:
        claim.note_address("http://127.0.0.1:8000")
        with (
            pytest.raises(Refused, match=rf"process {os.getpid()}, http://127.0.0.1:8000"),
            claimed(tmp_path),
        ):
            pass


def test_a_claim_on_a_folder_that_was_left_is_granted(tmp_path: Path) -> None:
    with claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass


def test_a_claim_is_released_when_the_supervisor_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(tmp_path):
        raise ZeroDivisionError
    with claimed(tmp_path):
        pass


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the data folder should be")

    with (
        pytest.raises(Misconfigured, match="home cannot be used: Not a directory"),
        claimed(tmp_path / "home"),
    ):
        pass
