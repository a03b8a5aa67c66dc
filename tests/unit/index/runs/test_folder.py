"""A folder of runs: what has a name is whole, and is never replaced."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured
from armarium.index.runs import BlockCache, MissingRun, Run, open_run_place
from armarium.index.runs.facts import OtherRun
from armarium.index.runs.folder import MOST_OPEN, FolderPlace
from tests.unit.index.captures import captures, write


@pytest.fixture
def place(tmp_path: Path) -> FolderPlace:
    opened = open_run_place("runs", home=tmp_path, options={}, secrets={})
    assert isinstance(opened, FolderPlace)
    return opened


def test_a_published_run_can_be_read_and_its_working_file_given_up(
    place: FolderPlace, tmp_path: Path
) -> None:
    lines = captures(500)
    write(tmp_path / "working", lines)
    place.publish("day-1", tmp_path / "working")
    (tmp_path / "working").unlink()
    assert list(Run(place, "day-1").scan()) == lines
    assert list(place.names()) == ["day-1"]


def test_the_same_bytes_may_be_published_twice_and_others_are_refused(
    place: FolderPlace, tmp_path: Path
) -> None:
    write(tmp_path / "working", captures(500))
    write(tmp_path / "other", captures(500, seed=2))
    place.publish("day-1", tmp_path / "working")
    before = (place.folder / "day-1").read_bytes()
    place.publish("day-1", tmp_path / "working")
    with pytest.raises(OtherRun, match="day-1 with other bytes"):
        place.publish("day-1", tmp_path / "other")
    assert (place.folder / "day-1").read_bytes() == before
    assert [path.name for path in place.folder.iterdir()] == ["day-1"]


def test_a_working_file_that_is_written_anew_leaves_the_published_run_alone(
    place: FolderPlace, tmp_path: Path
) -> None:
    """As after a kill between publication and clean-up: both names may be those of one file."""
    facts = write(tmp_path / "working", captures(500))
    place.publish("day-1", tmp_path / "working")
    write(tmp_path / "working", captures(20, seed=2))
    assert Run(place, "day-1").verify() == facts


def test_a_closed_run_holds_no_file_open_and_can_be_read_again(place: FolderPlace, tmp_path: Path) -> None:
    write(tmp_path / "working", captures(50))
    place.publish("day-1", tmp_path / "working")
    run = Run(place, "day-1", BlockCache(data_bytes=0, index_bytes=0))
    run.close()
    assert list(run.scan()) == captures(50)
    run.close()
    (place.folder / "day-1").unlink()  # as another process does it
    with pytest.raises(MissingRun):
        list(run.scan())


def test_what_a_killed_publication_left_is_no_run(place: FolderPlace, tmp_path: Path) -> None:
    place.folder.mkdir()
    (place.folder / ".incoming-12ab").write_bytes(b"half")
    assert list(place.names()) == []


def test_a_deleted_run_is_missing_and_may_be_deleted_again(place: FolderPlace, tmp_path: Path) -> None:
    write(tmp_path / "working", captures(500))
    place.publish("day-1", tmp_path / "working")
    run = Run(place, "day-1")
    place.delete("day-1")
    place.delete("day-1")
    with pytest.raises(MissingRun, match="no run day-1"):
        list(run.scan())


def test_a_folder_that_is_not_there_has_no_runs(place: FolderPlace) -> None:
    place.delete("day-1")
    assert list(place.names()) == []
    with pytest.raises(MissingRun):
        place.size("day-1")


@pytest.mark.parametrize("name", ["../day-1", ".hidden", "", "a/b", "a\n"])
def test_a_name_that_could_lead_elsewhere_is_refused(place: FolderPlace, name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a run"):
        place.size(name)


@pytest.mark.parametrize("location", ["ftp://host/x", "s3:///prefix"])
def test_a_place_that_is_neither_folder_nor_bucket_is_refused(location: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="s3://bucket/prefix"):
        open_run_place(location, home=tmp_path, options={}, secrets={})


def test_many_threads_read_more_runs_than_may_be_open(place: FolderPlace, tmp_path: Path) -> None:
    """A descriptor put away while another thread reads must not lead that thread into another file."""
    place.folder.mkdir()
    count = MOST_OPEN + 40
    for number in range(count):
        (place.folder / f"run-{number}").write_bytes(b"%05d" % number * 100)

    def read(number: int) -> bool:
        return place.read(f"run-{number}", 5, 10) == b"%05d" % number * 2

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read, [number * 7 % count for number in range(3000)]))


def test_the_size_of_a_run_is_its_own_while_others_open_and_put_it_away(
    place: FolderPlace, tmp_path: Path
) -> None:
    """Two who opened a run at once were left with one open file, and one of them with its closed number."""
    sizes = {}
    for number in range(4):
        write(tmp_path / "working", captures(50 * (number + 1)))
        place.publish(f"day-{number}", tmp_path / "working")
        sizes[f"day-{number}"] = (place.folder / f"day-{number}").stat().st_size

    def ask(turn: int) -> None:
        for step in range(2000):
            name = f"day-{(turn + step) % 4}"
            assert place.size(name) == sizes[name]
            place.prepare(name, 0, 1)
            place.release(name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
