"""Replicas that one broken disk would take together."""

from dataclasses import replace
from pathlib import Path

from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.opened import on_one_disk


def test_folders_on_one_file_system_are_named_and_those_that_are_away_are_not(tmp_path: Path) -> None:
    one = Replica(1, "one", ReplicaKind.FOLDER, ReplicaRole.PRIMARY, ReplicaState.ACTIVE, "one")
    two = replace(one, id=2, name="two", location=str(tmp_path / "two"))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    away = replace(one, id=3, name="three", location="/no/such/disk")
    bucket = replace(one, id=4, name="four", kind=ReplicaKind.S3, location="s3://bucket")

    assert on_one_disk(tmp_path, [one, two, away, bucket]) == [["one", "two"]]
    assert on_one_disk(tmp_path, [one, away, bucket]) == []
