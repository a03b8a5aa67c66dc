"""One request at a time for each file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from armarium.core.errors import Unavailable
from armarium.planning.arrivals.folder import LOCKS, file_lock


def take(root: Path, job: int, name: str) -> None:
    with file_lock(root, job, name, wait=0):
        pass


def test_whoever_comes_second_waits_and_is_told_when_it_takes_too_long(tmp_path: Path) -> None:
    with file_lock(tmp_path, 1, "a.warc.gz"):
        with pytest.raises(Unavailable, match=r"a\.warc\.gz"):
            take(tmp_path, 1, "a.warc.gz")
        take(tmp_path, 1, "b.warc.gz")
        take(tmp_path, 2, "a.warc.gz")
    take(tmp_path, 1, "a.warc.gz")


def test_a_turn_ends_with_an_error_too_and_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with file_lock(tmp_path, 1, "a"):
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    take(tmp_path, 1, "a")
    assert list((tmp_path / LOCKS).iterdir()) == []


def test_of_many_at_once_one_has_its_turn(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        with file_lock(tmp_path, 1, "a", wait=30):
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert most == [1] * 40
