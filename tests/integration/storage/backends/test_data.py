"""What replicas that hold bytes give back."""

import io
import os
import resource
from collections.abc import Callable

import pytest

from armarium.storage.backends.place import Away, Missing, Unreadable
from armarium.tasks.failure import TaskStopped
from tests.integration.storage.backends.worlds import CONTENT, NAME, World

LARGE = os.urandom(1024) * 3_000  # three pieces


def test_a_stretch_of_a_copy_can_be_read(data_world: World) -> None:
    data_world.put()
    size = len(CONTENT)
    for start, length in ((0, 10), (5, 1), (0, size), (size - 3, 100), (size, 10), (size + 7, 1), (4, 0)):
        assert data_world.place.read(NAME, start, length) == CONTENT[start : start + length]


def test_a_copy_comes_in_pieces(data_world: World) -> None:
    data_world.put(LARGE)
    pieces = list(data_world.place.pieces(NAME))
    assert b"".join(pieces) == LARGE
    assert max(map(len, pieces)) == 1024 * 1024
    assert b"".join(data_world.place.pieces(NAME, 1_000_000, 1_500_000)) == LARGE[1_000_000:2_500_000]
    assert b"".join(data_world.place.pieces(NAME, len(LARGE) - 5, 100)) == LARGE[-5:]
    assert list(data_world.place.pieces(NAME, len(LARGE) + 5)) == []


def test_a_copy_can_be_opened_and_sought_in(data_world: World) -> None:
    data_world.put(LARGE)
    with data_world.place.open(NAME) as file:
        assert file.seekable()
        assert file.read(10) == LARGE[:10]
        assert file.seek(2_000_000) == 2_000_000
        assert file.read(500_000) == LARGE[2_000_000:2_500_000]
        assert file.seek(-7, io.SEEK_END) == len(LARGE) - 7
        assert file.read() == LARGE[-7:]
        assert file.read() == b""
        file.seek(0)
        assert file.read() == LARGE


def test_a_copy_that_is_not_there_cannot_be_read(data_world: World) -> None:
    place = data_world.place
    reads: list[Callable[[], object]] = [
        lambda: place.read(NAME, 0, 5),
        lambda: list(place.pieces(NAME)),
        lambda: place.open(NAME),
    ]
    for read in reads:
        with pytest.raises(Missing):
            read()


@pytest.mark.parametrize("bad", [CONTENT[:-1], b"", CONTENT[:5000] + b"?" + CONTENT[5001:], CONTENT + b"x"])
def test_the_sums_of_a_damaged_copy_are_those_of_the_damage(data_world: World, bad: bytes) -> None:
    facts = data_world.put()
    data_world.behind.write(data_world.key(), bad)
    found = data_world.place.sums(NAME)
    assert (found.size, found.sha256) != (facts.size, facts.sha256)
    aside = data_world.place.set_aside(NAME, sha256=found.sha256)
    assert data_world.behind.read(aside) == bad
    data_world.put()
    assert data_world.place.sums(NAME).sha256 == facts.sha256


def test_a_long_read_can_be_stopped(data_world: World) -> None:
    data_world.put()
    with pytest.raises(TaskStopped):
        data_world.place.sums(NAME, stopping=lambda: True)


def test_what_is_not_a_file_is_unreadable_and_can_be_moved_aside(in_folder: World) -> None:
    in_folder.put()
    path = in_folder.folder / "replicas/one" / in_folder.key()
    strangers: list[Callable[[], None]] = [
        lambda: path.symlink_to("/etc/passwd"),
        lambda: os.mkfifo(path),
    ]
    for lay in strangers:
        path.unlink(missing_ok=True)
        lay()
        with pytest.raises(Unreadable, match=NAME):
            in_folder.place.sums(NAME)
        with pytest.raises(Unreadable):
            in_folder.place.open(NAME)
        assert in_folder.place.set_aside(NAME, sha256="").startswith(f"aside/{NAME}.unread")
        in_folder.put()


def test_a_copy_in_a_folder_is_sealed_against_writing(in_folder: World) -> None:
    in_folder.put()
    mode = (in_folder.folder / "replicas/one" / in_folder.key()).stat().st_mode
    assert mode & 0o222 == 0


def test_too_many_open_files_say_nothing_about_a_copy(in_folder: World) -> None:
    in_folder.put()
    held = []
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(200, before[1]), before[1]))
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        with pytest.raises(Away):
            in_folder.place.sums(NAME)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        for descriptor in held:
            os.close(descriptor)
