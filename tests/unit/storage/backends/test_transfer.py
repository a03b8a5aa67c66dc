"""Checksums of files and of pieces."""

import hashlib
import os
import threading
from pathlib import Path

import pytest
from blake3 import blake3
from typing_extensions import Buffer

from armarium.storage.backends.place import Sums
from armarium.storage.backends.transfer import ByteRate, digest_path, digest_pieces
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


class Clock:
    """Time that passes only by sleeping, of all threads together."""

    def __init__(self) -> None:
        self.time = 100.0
        self.naps: list[float] = []
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.naps.append(seconds)
            self.time += seconds


def rate_of(bytes_per_second: int, clock: Clock) -> ByteRate:
    return ByteRate(bytes_per_second, clock=clock, sleep=clock.sleep)


def test_pieces_are_given_their_time() -> None:
    clock = Clock()
    rate = rate_of(1000, clock)
    for _ in range(11):
        rate.take(500)
    assert clock.time == pytest.approx(105)  # ten pieces of half a second; the first one goes at once


def test_without_a_limit_nobody_waits() -> None:
    clock = Clock()
    rate_of(0, clock).take(10**12)
    assert clock.naps == []


def test_time_in_which_nothing_moved_is_not_made_up_for() -> None:
    clock = Clock()
    rate = rate_of(1000, clock)
    rate.take(1000)
    clock.time += 3600
    for _ in range(3):
        rate.take(1000)
    assert clock.time == pytest.approx(3702)


def test_threads_share_the_limit() -> None:
    clock = Clock()
    rate = rate_of(1000, clock)
    threads = [threading.Thread(target=rate.take, args=(1000,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.time >= 104


def test_who_waits_can_be_stopped() -> None:
    clock = Clock()
    rate = rate_of(10, clock)
    rate.take(1000)
    with pytest.raises(TaskStopped):
        rate.take(1000, stopping=lambda: len(clock.naps) > 2)
    assert clock.time < 110
