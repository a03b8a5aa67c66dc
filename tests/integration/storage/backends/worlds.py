"""Replicas of every kind for the tests, with a way round behind them."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import obstore
from obstore.store import S3Store

from armarium.storage.backends.base import BasePlace
from armarium.storage.backends.bucket import MOST_COPIED, SMALL, BucketMedium
from armarium.storage.backends.copies import DataPlace
from armarium.storage.backends.opening import open_place
from armarium.storage.backends.place import Facts, Place
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from tests.s3 import BUCKET, S3Server

ARCHIVE = "5f0c3a52-8d2c-4a53-9f0e-1a2b3c4d5e6f"
NAME = "1-7-20261115.warc.gz"
CONTENT = b"WARC/1.1\r\n" + bytes(range(256)) * 40


@dataclass(frozen=True)
class Limits:
    """The sizes from which on a file is uploaded in parts, and is not copied inside the server any more."""

    small: int = SMALL
    most_copied: int = MOST_COPIED


USUAL = Limits()


class Behind(Protocol):
    """The objects of a replica without the replica: what a disk fault or a careless person can reach."""

    def read(self, key: str) -> bytes: ...

    def write(self, key: str, content: bytes) -> None: ...

    def delete(self, key: str) -> None: ...

    def all_keys(self) -> list[str]: ...


@dataclass(frozen=True)
class BehindFolder:
    root: Path

    def read(self, key: str) -> bytes:
        return (self.root / key).read_bytes()

    def write(self, key: str, content: bytes) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)

    def delete(self, key: str) -> None:
        (self.root / key).unlink()

    def all_keys(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())


@dataclass(frozen=True)
class BehindBucket:
    store: S3Store

    def read(self, key: str) -> bytes:
        return bytes(obstore.get(self.store, key).bytes())

    def write(self, key: str, content: bytes) -> None:
        obstore.put(self.store, key, content)

    def delete(self, key: str) -> None:
        obstore.delete(self.store, key)

    def all_keys(self) -> list[str]:
        return sorted(entry["path"] for some in obstore.list(self.store) for entry in some)


@dataclass(frozen=True)
class World:
    place: Place
    behind: Behind
    folder: Path  # for the sources
    again: Callable[[], Place]  # the same replica, opened by another process
    limits: Limits
    secrets: dict[str, str]

    def source(self, content: bytes = CONTENT, name: str = NAME) -> tuple[Facts, Path]:
        path = self.folder / f"source-{name}"
        path.write_bytes(content)
        return Facts(name, len(content), hashlib.sha256(content).hexdigest()), path

    def put(self, content: bytes = CONTENT, name: str = NAME) -> Facts:
        facts, path = self.source(content, name)
        self.place.put(facts, path)
        return facts

    def key(self, name: str = NAME) -> str:
        assert isinstance(self.place, BasePlace)
        return self.place.key(name)

    def unfinished(self) -> Iterable[str]:
        return [key for key in self.behind.all_keys() if key.startswith("incoming/")]


def replica_of(kind: ReplicaKind, location: str, **options: str) -> Replica:
    return Replica(1, "one", kind, ReplicaRole.PRIMARY, ReplicaState.ACTIVE, location, options)


def folder_world(home: Path, kind: ReplicaKind = ReplicaKind.FOLDER) -> World:
    replica = replica_of(kind, "replicas/one")

    def again() -> Place:
        return open_place(replica, home=home, secrets={}, archive=ARCHIVE)

    return World(again(), BehindFolder(home / "replicas/one"), home, again, USUAL, {})


def bucket_world(
    home: Path, server: S3Server, kind: ReplicaKind = ReplicaKind.S3, limits: Limits = USUAL
) -> World:
    prefix = f"tests/{hashlib.sha256(str(home).encode()).hexdigest()[:16]}"
    replica = replica_of(kind, f"s3://{BUCKET}/{prefix}", **server.options)

    def again() -> Place:
        place = open_place(replica, home=home, secrets=server.secrets, archive=ARCHIVE)
        return limited(place, limits)

    return World(again(), BehindBucket(server.store(prefix)), home, again, limits, server.secrets)


def limited(place: Place, limits: Limits) -> Place:
    if not isinstance(place, DataPlace) or not isinstance(place.medium, BucketMedium):
        return place
    medium = replace(place.medium, small=limits.small, most_copied=limits.most_copied)
    return DataPlace(place.replica, medium, archive=ARCHIVE)
