"""Harm at random, in all ways at once: what has a majority comes back, and nothing good is ever lost."""

import hashlib
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from armarium.db.database import Database
from armarium.storage.model import CopyState, File, RepairState
from tests.integration.storage.audits.world import World

FILES = 8
FOLDERS = ("a", "b", "c")


def harm(world: World, chance: Random, replica: str, file: File, other: File) -> None:
    match chance.choice(["flip", "cut", "remove", "swap", "grow"]):
        case "flip":
            world.flip(replica, file.name, 1 << chance.randrange(8))
        case "cut":
            world.overwrite(replica, file.name, world.content(replica, file.name)[: chance.randrange(40)])
        case "remove":
            world.path(replica, file.name).unlink()
        case "swap":
            world.overwrite(replica, file.name, other.name.encode() * 50)
        case _:
            world.overwrite(replica, file.name, world.content(replica, file.name) + b"more")


def held(world: World, replica: str, file: File) -> str:
    path = world.path(replica, file.name)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def has_majority(world: World, file: File, witness: bool) -> bool:
    """By hand: the register, the folders that have something, and the witness if its note can be read."""
    votes = [vote for replica in FOLDERS if (vote := held(world, replica, file))]
    right = votes.count(file.sha256)
    agreed, cast = 1 + right + witness, 1 + len(votes) + witness
    return right > 0 and 2 * agreed > cast


def test_every_damage_is_found_and_every_file_with_a_majority_is_restored(
    database: Database, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    chance = Random(pytestconfig.getoption("--seed"))
    world = World(database, tmp_path / "home")
    files = [world.store(f"{number}.warc.gz") for number in range(FILES)]
    hurt: set[tuple[str, int]] = set()
    for place, file in enumerate(files):
        for replica in chance.sample(FOLDERS, chance.choice([0, 1, 1, 2, 3])):
            harm(world, chance, replica, file, files[place - 1])
            hurt.add((replica, file.id))
        if chance.random() < 0.2:
            world.flip("sums", file.name)
            hurt.add(("sums", file.id))
    with_majority = {file.id for file in files if has_majority(world, file, ("sums", file.id) not in hurt)}
    bytes_before = Counter(held(world, replica, file) for replica in FOLDERS for file in files)
    for replica in (*FOLDERS, "sums"):
        world.audit(replica)
    found = {(one.replica_name, one.file) for one in world.found_repairs()}
    assert found == hurt
    for _ in range(2):
        world.repair_all()
    lost = {one.file for one in world.found_repairs() if one.state is RepairState.UNDECIDED}
    assert {one.state for one in world.found_repairs()} <= {RepairState.DONE, RepairState.UNDECIDED}
    for file in files:
        good = [replica for replica in FOLDERS if held(world, replica, file) == file.sha256]
        if file.id not in lost:
            assert good == list(FOLDERS)
            assert {world.state(replica, file) for replica in FOLDERS} == {CopyState.ACCEPTED}
        untouched = [replica for replica in FOLDERS if (replica, file.id) not in hurt]
        assert set(untouched) <= set(good)
        assert not (file.id in lost and file.id in with_majority)
    asides = Counter(
        hashlib.sha256(path.read_bytes()).hexdigest() for name in FOLDERS for path in world.asides(name)
    )
    after = Counter(held(world, replica, file) for replica in FOLDERS for file in files)
    assert set(bytes_before) - {""} <= set(after) | set(asides), "no bytes were destroyed, not even bad ones"
