"""Checksums of files and of pieces."""

import hashlib
import os
from pathlib import Path

import pytest
from blake3 import blake3
from typing_extensions import Buffer

from armarium.storage.backends.place import Sums
from armarium.storage.backends.transfer import digest_path, digest_pieces
from armarium.tasks.failure import TaskStopped

CONTENT = os.urandom(1024) * 2_500 + b"tail"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
BLAKE3 = blake3(CONTENT).hexdigest()


def test_a_file_has_the_sums_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    assert digest_path(path) == Sums(len(CONTENT), SHA256, "")
    assert digest_path(path, ("blake3",)) == Sums(len(CONTENT), "", BLAKE3)
    assert digest_path(path, ("sha256", "blake3")) == Sums(len(CONTENT), SHA256, BLAKE3)


def test_pieces_have_the_sums_of_the_whole() -> None:
    pieces: list[Buffer] = [
        CONTENT[:7],
        b"",
        memoryview(CONTENT)[7:1_000_000],
        bytearray(CONTENT[1_000_000:]),
    ]
    assert digest_pieces(pieces, ("sha256", "blake3")) == Sums(len(CONTENT), SHA256, BLAKE3)


def test_an_algorithm_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        digest_pieces([], ("md5",))


def test_a_long_file_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    with pytest.raises(TaskStopped):
        digest_path(path, stopping=lambda: True)
