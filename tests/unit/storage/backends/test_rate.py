"""The limit of bytes a second."""

import threading

import pytest

from armarium.storage.backends.transfer import ByteRate
from armarium.tasks.failure import TaskStopped


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
