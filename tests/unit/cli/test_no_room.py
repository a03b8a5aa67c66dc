"""A full disk is told as what it is: only where standard output lies on it, as standard output."""

import errno
import os
import sys
from pathlib import Path

import pytest

from armarium.cli.main import no_room


def full(path: str | None = None) -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def test_a_file_that_found_no_room_is_named() -> None:
    assert no_room(full("/data/x")).startswith("/data/x cannot be written: No space left on device.")


def test_a_write_that_names_no_file_is_not_blamed_on_standard_output() -> None:
    assert "tandard output" not in no_room(full())


def test_standard_output_that_found_no_room_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        output.write("help")
        assert no_room(full()).startswith("Standard output cannot be written")
