"""One S3 server for all tests of replicas, and a world for each."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from armarium.storage.model import ReplicaKind
from tests.integration.storage.backends.worlds import ARCHIVE, Limits, World, bucket_world, folder_world
from tests.s3 import S3Server, running_s3

IN_PARTS = Limits(small=0)  # as files over 16 MiB are stored
NOT_COPIED = Limits(small=0, most_copied=0)  # as files over 5 GiB are


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with running_s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


KINDS: dict[str, Callable[[Path, Callable[[], S3Server]], World]] = {
    "folder": lambda home, s3: folder_world(home),
    "s3": lambda home, s3: bucket_world(home, s3()),
    "s3 in parts": lambda home, s3: bucket_world(home, s3(), limits=IN_PARTS),
    "s3 not copied": lambda home, s3: bucket_world(home, s3(), limits=NOT_COPIED),
    "sums in a folder": lambda home, s3: folder_world(home, ReplicaKind.CHECKSUM),
    "sums in s3": lambda home, s3: bucket_world(home, s3(), ReplicaKind.CHECKSUM),
}
WITH_BYTES = [kind for kind in KINDS if not kind.startswith("sums")]

RACING = [kind for kind in KINDS if kind != "s3 not copied"]  # there it is the register that does


def _world(kind: str, home: Path, request: pytest.FixtureRequest) -> World:
    world = KINDS[kind](home, lambda: request.getfixturevalue("s3"))
    world.place.claim(ARCHIVE)
    return world


@pytest.fixture(params=list(KINDS))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """A claimed replica of each kind in turn."""
    return _world(request.param, tmp_path, request)


@pytest.fixture(params=WITH_BYTES)
def data_world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """A claimed replica of each kind that holds bytes."""
    return _world(request.param, tmp_path, request)


@pytest.fixture(params=RACING)
def racing_world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """A claimed replica of each kind that keeps two files of one name apart by itself."""
    return _world(request.param, tmp_path, request)


@pytest.fixture(params=["folder", "s3 in parts"])
def killed_world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """A claimed replica of the kinds that store in several steps."""
    return _world(request.param, tmp_path, request)


@pytest.fixture
def in_folder(tmp_path: Path) -> World:
    world = folder_world(tmp_path)
    world.place.claim(ARCHIVE)
    return world
