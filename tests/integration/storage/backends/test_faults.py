"""Replicas that are away, full or careless."""

import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from armarium.core.errors import ArmariumError
from armarium.storage.backends.opening import open_place
from armarium.storage.backends.place import Away, NoRoom, Place, Unreadable
from armarium.storage.model import Replica, ReplicaKind
from tests.integration.storage.backends.careless_s3 import careless_s3
from tests.integration.storage.backends.worlds import ARCHIVE, CONTENT, NAME, World, bucket_world, replica_of
from tests.s3 import S3Server

KEYS = {"access_key": "a", "secret_key": "b"}
CLAIMED = {
    "/bucket/armarium-replica.json": json.dumps({"archive": ARCHIVE, "replica": "one"}).encode(),
}
MEBIBYTE = 1024 * 1024


@contextmanager
def noticed_within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def all_verbs(world: World, place: Place) -> list[Callable[[], object]]:
    facts, path = world.source()
    return [
        lambda: place.put(facts, path),
        lambda: place.sums(NAME),
        lambda: place.look(NAME),
        lambda: place.read(NAME, 0, 10),
        lambda: list(place.pieces(NAME)),
        lambda: place.open(NAME),
        lambda: list(place.names()),
        lambda: place.set_aside(NAME, sha256=facts.sha256),
    ]


def test_a_server_that_is_down_is_away_and_comes_back_with_all_it_had(s3: S3Server, tmp_path: Path) -> None:
    world = bucket_world(tmp_path, s3)
    world.place.claim(ARCHIVE)
    facts = world.put()
    s3.kill()
    try:
        with noticed_within(40):
            for verb in all_verbs(world, world.place):  # which has seen the marker a moment ago
                with pytest.raises(Away):
                    verb()
            with pytest.raises(Away):
                world.place.check()
    finally:
        s3.start()
    world.put()
    assert world.place.sums(NAME).sha256 == facts.sha256


def test_a_server_that_hangs_is_away_after_the_timeout(s3: S3Server, tmp_path: Path) -> None:
    world = bucket_world(tmp_path, s3)
    world.place.claim(ARCHIVE)
    facts = world.put()
    hurried = replace(world.place.replica, options={**world.place.replica.options, "timeout": "1"})
    place = open_place(hurried, home=tmp_path, secrets=s3.secrets)
    place.check()
    s3.hold()
    try:
        with noticed_within(40), pytest.raises(Away):
            place.sums(NAME)
        with noticed_within(40), pytest.raises(Away):
            place.put(*world.source())
    finally:
        s3.go_on()
    assert place.sums(NAME).sha256 == facts.sha256


def test_a_wrong_key_makes_a_replica_away(s3: S3Server, tmp_path: Path) -> None:
    world = bucket_world(tmp_path, s3)
    world.place.claim(ARCHIVE)
    place = open_place(
        world.place.replica, home=tmp_path, secrets={**s3.secrets, "secret_key": "not it"}, archive=ARCHIVE
    )
    for verb in all_verbs(world, place):
        with pytest.raises(Away, match=r"The keys were refused \(403\)\."):
            verb()


def test_a_bucket_that_does_not_exist_cannot_be_claimed_without_the_right_to_make_it(tmp_path: Path) -> None:
    """SeaweedFS makes buckets on the way; so this asks a server that knows none."""
    with careless_s3(full=True) as endpoint, pytest.raises(Away):
        s3_place(endpoint, tmp_path).claim(ARCHIVE)


def s3_place(endpoint: str, home: Path) -> Place:
    replica = replica_of(ReplicaKind.S3, "s3://bucket", endpoint=endpoint, allow_http="yes")
    return open_place(replica, home=home, secrets=KEYS, archive=ARCHIVE)


def test_a_server_that_overwrites_is_not_taken_into_use(tmp_path: Path) -> None:
    objects: dict[str, bytes] = {}
    with careless_s3(objects) as endpoint, pytest.raises(Away, match="does not refuse a second upload"):
        s3_place(endpoint, tmp_path).claim(ARCHIVE)
    assert objects == {}


def test_a_server_without_room_says_no_room(tmp_path: Path, in_folder: World) -> None:
    with (
        careless_s3(dict(CLAIMED), full=True) as endpoint,
        pytest.raises(NoRoom, match="507"),
    ):
        s3_place(endpoint, tmp_path).put(*in_folder.source())


@pytest.mark.parametrize(("status", "answer"), [(500, Unreadable), (403, Unreadable), (503, Away)])
def test_a_copy_that_a_server_cannot_give_is_unreadable_unless_it_is_only_busy(
    tmp_path: Path, in_folder: World, status: int, answer: type[ArmariumError]
) -> None:
    path = "/bucket/" + in_folder.key()
    with careless_s3(dict(CLAIMED), broken={path: status}) as endpoint, pytest.raises(answer, match="one"):
        s3_place(endpoint, tmp_path).read(NAME, 0, 10)


@contextmanager
def disk_for_files_of(most: int) -> Iterator[None]:
    """The kernel refuses what would make a file longer, as it refuses what a full disk cannot take."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_in_the_middle_of_a_file_keeps_nothing_of_it(in_folder: World) -> None:
    facts, path = in_folder.source(CONTENT * 300)
    with disk_for_files_of(MEBIBYTE), pytest.raises(NoRoom, match=NAME):
        in_folder.place.put(facts, path)
    assert in_folder.place.look(NAME) is None
    assert in_folder.unfinished() == []
    in_folder.place.put(facts, path)
    assert in_folder.place.sums(NAME).sha256 == facts.sha256


def test_a_file_larger_than_the_disk_is_not_even_begun(in_folder: World) -> None:
    facts, path = in_folder.source()
    with pytest.raises(NoRoom, match="No space left"):
        in_folder.place.put(replace(facts, size=2**60), path)


def test_a_folder_whose_disk_is_not_mounted_is_away_and_is_not_made(in_folder: World) -> None:
    in_folder.put()
    root = in_folder.folder / "replicas/one"
    mounted = root.rename(root.with_name("unmounted"))
    for verb in all_verbs(in_folder, in_folder.place):
        with pytest.raises(Away):
            verb()
    assert not root.exists()
    root.mkdir()  # the mount point
    for verb in all_verbs(in_folder, in_folder.again()):
        with pytest.raises(Away, match="Mount its disk"):
            verb()
    assert list(root.iterdir()) == []
    root.rmdir()
    mounted.rename(root)
    in_folder.place.check()


def test_a_folder_given_absolutely_is_not_made_with_all_above_it(tmp_path: Path) -> None:
    replica: Replica = replica_of(ReplicaKind.FOLDER, str(tmp_path / "not-mounted" / "replica"))
    with pytest.raises(Away):
        open_place(replica, home=tmp_path, secrets={}).claim(ARCHIVE)
    assert not (tmp_path / "not-mounted").exists()


def test_whether_a_disk_is_there_is_asked_of_the_disk(
    in_folder: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory the marker outlives a disk that died."""
    forgotten: list[int] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda *facts: forgotten.append(facts[-1]))

    in_folder.place.check_now()  # type: ignore[attr-defined]

    assert forgotten == [os.POSIX_FADV_DONTNEED]
